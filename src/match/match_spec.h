/*
 * Match specifications: [{Head, Guards, Body}], compiled once and run over many objects.
 *
 * A compiled MatchSpec is immutable and owns the constants it needs; any number of threads may run it at once, each
 * with a MatchRun of its own. A run gives the value of the last body expression of the first clause whose head
 * matches and whose guards are all `true`, or NON_VALUE. Errors in guards fail the clause; errors in bodies make the
 * failing expression 'EXIT'. What a run returns is copied into the run's area: it shares nothing with the object
 * except literals' absence: the object may be freed at once after. Nothing here locks, waits or collects.
 *
 * Source: ERTS user's guide, "Match Specifications in Erlang"; ets(3); the texts of errors are OTP 25's.
 */
#ifndef VIV_MATCH_MATCH_SPEC_H
#define VIV_MATCH_MATCH_SPEC_H

#include "term/area.h"
#include "term/text.h"

/* Those for calls, for messages that are sent and for messages that are received differ in the actions they know. */
typedef enum { MATCH_TABLE, MATCH_TRACE, MATCH_TRACE_SEND, MATCH_TRACE_RECEIVE } MatchDialect;
typedef struct MatchSpec MatchSpec;

/* What is wrong with a specification: texts for {error, Text}. Empty when all is well. */
typedef struct {
    char **texts;
    size_t count;
} MatchErrors;
void match_errors_release(MatchErrors *errors);

/* MATCH_TOO_DEEP: bad, and what is met first is that guards or bodies are nested too deep; programs hear of
 * system_limit then. How deep is as deep as the stock runtime goes, by what it takes for each level (expressions.c). */
typedef enum { MATCH_GOOD, MATCH_BAD, MATCH_TOO_DEEP } MatchVerdict;
/* *compiled is NULL unless it is good. Who wants no errors (NULL) waits for the first only; they are to be released.
 * The time is linear in the specification's size, and counts as long work. */
MatchVerdict match_spec_compile(Term spec, MatchDialect dialect, MatchSpec **compiled, MatchErrors *errors);
void match_spec_free(MatchSpec *spec);
/* The same, in the table dialect, for who uses and frees it before anything may collect or let go of `spec`: what is
 * compiled refers to that, and lies in `room` while it is small. */
#define MATCH_ROOM_WORDS 80
typedef struct {
    _Alignas(16) Word words[MATCH_ROOM_WORDS];
} MatchRoom;
MatchVerdict match_spec_compile_here(Term spec, MatchRoom *room, MatchSpec **compiled);
/* One that needs none of this in its place: itself, or it is freed. */
must_check MatchSpec *match_spec_keep(MatchSpec *spec);
/* As it was given. Good while the spec is. */
Term match_spec_source(const MatchSpec *spec);

/* The key that every object that can match has at tuple position `keypos` (from 1): clause `i`'s, or NON_VALUE when the
 * clause's head says nothing certain about it. A map without variables is, in a key, that map alone (in a pattern, each
 * one that has more, too): so it is in stock. *never: no object can match that clause. A key is good while the spec is.
 */
size_t match_spec_clause_count(const MatchSpec *spec);
Term match_spec_clause_key(const MatchSpec *spec, size_t clause, size_t keypos, bool *never);
/* Where the keys lie that can match: from the low bound to the high one, in the order of terms. A bound is a clause's
 * pattern of a key, which stands for all keys that match it (`is_key`: it is just that one); pattern NON_VALUE: there
 * is none. Good while the spec is. */
typedef struct {
    Term pattern;
    bool is_key;
} KeyBound;
typedef struct {
    KeyBound low, high;
} KeyRange;
/* False: no object can match. Linear in the clauses' patterns of keys. */
bool match_spec_key_range(const MatchSpec *spec, size_t keypos, KeyRange *range);
/* Negative: all keys that the bound stands for are below `key`; positive: above. 0: by its first elements, it may be
 * one of them. */
int match_bound_compare(const KeyBound *bound, Term key);
/* Is the specification one whose every result is an object with the key of the object it came from? */
bool match_spec_keeps_key(Term spec, size_t keypos);
/* '$1', '$2', ...: its number, or -1 */
int64_t match_variable(Term atom);

/* The trace dialect's actions, in the order of their names in match/functions.c. */
typedef struct MatchRun MatchRun;
typedef Term MatchAction(MatchRun *run, Term name, const Term *arguments, unsigned count);

#define MATCH_SCRATCH_WORDS 64
#define MATCH_OWN_WORDS 48 /* what most programs need; others get a block */
struct MatchRun {
    const MatchSpec *spec;
    Area *to; /* where results are built */
    Term self; /* the pid that runs it */
    MatchAction *action; /* NULL in the table dialect */
    void *context; /* the action's own */
    size_t block_words; /* of the object, when it is a block of so many (heap/copy.h: term_copy_block); else 0 */
    size_t passed; /* out: words of the program that the last run went over, or as many as took that long */
    /* private */
    Area scratch; /* values of guards: emptied after every object */
    void *scratch_chunks;
    Word *stack, *variables;
    Term object;
    Term scratch_words[MATCH_SCRATCH_WORDS];
    Word own_words[MATCH_OWN_WORDS];
};
void match_run_init(MatchRun *run, const MatchSpec *spec, Area *to, Term self);
void match_run_release(MatchRun *run);
/* The result, or NON_VALUE when no clause matches. What takes long, of the program or of the object, is long work. */
Term match_run(MatchRun *run, Term object);

#endif

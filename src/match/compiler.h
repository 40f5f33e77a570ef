/*
 * A compilation under way: what the parts of the compiler share (compile.c: clauses; on heads.c, and on expressions.c:
 * guards and bodies; all of them on emit.c and compile_errors.c). Nothing here is seen from outside of this room.
 *
 * What a specification is refused for is told in the order in which the parts are compiled. A wrong expression does not
 * end it: the rest of the clause is looked at too; anything else does.
 */
#ifndef VIV_MATCH_COMPILER_H
#define VIV_MATCH_COMPILER_H

#include "base/estack.h"
#include "match/program.h"

/* Which of them it is, is where a run keeps its value. */
typedef struct {
    uint32_t number;
    bool is_bound; /* by what of the head is compiled */
} MatchVariable;

typedef struct {
    MatchSpec *spec;
    MatchDialect dialect;
    MatchErrors errors;
    MatchVariable *variables; /* of the head of the clause being compiled, in the order of their numbers */
    size_t variable_count, variable_capacity;
    MatchVariable own_variables[8]; /* these, until there are more */
    size_t depth;             /* words on the stack here, at most */
    size_t changing, rewritten; /* parts so far that are not the same for all objects; or are not what they stand for */
    bool first_only, is_too_deep; /* the first error ends it; it was that one */
    Word *labels; /* where each is in the code */
    size_t label_count, label_capacity;
    bool body;
} MatchCompiler;

static inline bool is_of_table(const MatchCompiler *c) { return c->dialect == MATCH_TABLE; }

void match_emit(MatchCompiler *c, Word w);
void match_emit2(MatchCompiler *c, MatchInstruction op, Word operand);
void match_grow_stack(MatchCompiler *c, size_t by);
/* Is nothing more to be compiled? */
static inline bool match_has_failed(const MatchCompiler *c) { return c->first_only && c->errors.count > 0; }
/* Where a compound term begins in the code: when it turns out to stand for itself, what was emitted for its parts is
 * taken back. Each goes through its parts once, so all is linear. */
void match_mark(const MatchCompiler *c, EStack *marks);
typedef struct {
    size_t code, depth, stack_words, changing, rewritten;
} MatchMark;
#define MATCH_MARK_WORDS 5
MatchMark match_unmark(EStack *marks);
void match_take_back(MatchCompiler *c, const MatchMark *mark);
/* First all that a head has, as often as it has them; then they are sorted, each once, and can be found. */
void match_add_variable(MatchCompiler *c, int64_t number);
void match_sort_variables(MatchCompiler *c);
/* NULL: the head has no such one. */
MatchVariable *match_find_variable(MatchCompiler *c, int64_t number);
static inline Word match_variable_slot(const MatchCompiler *c, const MatchVariable *v) {
    return (Word)(v - c->variables);
}

#define MATCH_UNITS_PER_TERM 20 /* of long work */

/* False: it is refused. */
bool match_compile_head(MatchCompiler *c, Term head);

/* `copy`: the value must not share anything with the object. */
void match_compile_expression(MatchCompiler *c, Term expression, bool copy);
/* Puts places in the jumps of the code from there on. */
void match_place_labels(MatchCompiler *c, size_t from);

/* Texts are cut after so many bytes, as the stock runtime cuts them. */
#define MATCH_ERROR_BYTES 99
/* Those from there on are told again. */
void match_repeat_errors(MatchCompiler *c, size_t from);
void match_error(MatchCompiler *c, const char *format, ...) printf_like(2, 3);
/* The format has one %s: for the term as ~w prints it, for Name/Arity, for the name of a special form. */
void match_error_term(MatchCompiler *c, const char *format, Term t);
void match_error_function(MatchCompiler *c, const char *format, Term name, size_t arity);
void match_error_form(MatchCompiler *c, const char *format, Term name);
/* A special form that is called with arguments though it takes none, or with too many or too few. */
void match_error_arguments(MatchCompiler *c, Term name, bool takes_none, Term call);

#endif

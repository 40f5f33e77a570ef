/*
 * Deep copies between areas: messages, spawn arguments, table objects, literals.
 *
 * Sharing inside the source is not preserved (as in the stock runtime). Literals are not copied: the copy refers to
 * them (but for those of an area that is going away, heap/literal.h). Neither call recurses on the C stack. Off-heap
 * objects get a reference more. Match contexts are never in a source.
 */
#ifndef VIV_HEAP_COPY_H
#define VIV_HEAP_COPY_H

#include "base/long_work.h"
#include "heap/literal.h"

/* Words that term_copy will take; literals count nothing. While a literal area is going away (heap/literal.h) it may be
 * more, never less: who reserves by it takes what the copy leaves. */
size_t term_flat_size(Term t);
/* The same with literals counted too: what a copy into a literal area or another node needs. erts_debug:flat_size/1. */
size_t term_flat_size_literals(Term t);
Term term_copy(Term t, Area *to);
/* Copies literals too. */
Term term_copy_literals(Term t, Area *to);
/* The same when term_flat_size_literals is known to be `words`. */
Term term_copy_literals_sized(Term t, size_t words, Area *to);
/* A copy of the boxed term at words[0], where term_copy_literals had put it: all that it consists of lies in the
 * `count` words from there on. One pass, and no size to be found out. */
Term term_copy_block(const Term *words, size_t count, Area *to);

/*
 * Copies that may take long. Who holds no lock and no pointer that thread progress keeps good opens a section
 * (base/long_work.h), and its thread is offline while it copies a large term. Then literals may have begun to leave
 * (heap/literal.h), which the copy refers to: it is thrown away and made again. So a copy is made in a phase, all its
 * parts in the same one:
 *
 *     made = made_in_phase(phase, function(&phase, ...), free_it);
 *
 * with a function that calls term_flat_size_in and term_copy_in.
 *
 * The source stays good: an area of literals is not freed before the process that copies has answered, between slices.
 * For the same reason phases do not pass without end meanwhile. (A process in a dirty call answers earlier: it copies
 * online, for it sends so, and what it copies its arguments lead to, or its messages, with its gate.) At the end the
 * thread is online, and the section may be open still.
 */
typedef struct {
    LiteralRange counted, leaving;
    uint32_t absences;
} CopyPhase;

static inline CopyPhase copy_phase_begin(void) {
    return (CopyPhase){literal_counted_now(), literal_leaving_now(), long_work_absences()};
}
bool copy_phase_has_passed(const CopyPhase *phase);
static inline bool copy_phase_end(const CopyPhase *phase) {
    return likely(phase->absences == long_work_absences()) || !copy_phase_has_passed(phase);
}
/* What `make` gives, which may name the phase; `drop` is called with what was made in vain. */
#define made_in_phase(phase, make, drop)                                                                               \
    ({                                                                                                                 \
        CopyPhase phase = copy_phase_begin();                                                                          \
        typeof(make) made_;                                                                                            \
        while (made_ = (make), !copy_phase_end(&phase)) {                                                              \
            drop(made_);                                                                                               \
            phase = copy_phase_begin();                                                                                \
        }                                                                                                              \
        made_;                                                                                                         \
    })
/* Does a term that is put somewhere else have to be copied? */
static inline bool copy_is_needed(Term t, const CopyPhase *phase) {
    return is_pointer(t) && !literal_is_shared(phase->counted, t);
}
size_t term_flat_size_in(Term t, const CopyPhase *phase);
/* The same; *may_refer becomes true when the copy that is made in this phase may refer to literals. */
size_t term_flat_size_noting(Term t, const CopyPhase *phase, bool *may_refer);
Term term_copy_in(Term t, Area *to, const CopyPhase *phase);
/* The same when term_flat_size_in is known to be `words`. */
Term term_copy_sized_in(Term t, size_t words, Area *to, const CopyPhase *phase);

#endif

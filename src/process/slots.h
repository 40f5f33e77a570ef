/*
 * Slots: from a number to the actor, a process or a port, that has it, without a lock.
 *
 *  power of two of slots, each NULL or an actor. The low bits of an actor's number are its slot. Numbers are given in
 * this order, as in the stock runtime: first one for each slot, counting up; then those of the slots that have become
 * free, as they did, each higher by the size of the table (28 bits, then from the beginning). So a number comes back
 * only after its slot was used for all numbers, and the next one is found at once, however full the table is: free
 * numbers stand in a ring. A slot is written by whoever creates its actor, and cleared by that itself when it has
 * ended; its memory goes through thread progress. Readers load a slot with acquire.
 *
 * The ring has a place for each slot. Who takes or gives a number gets a turn, which is a place; there he may have to
 * wait for another thread that is on its way there, and has an earlier turn: to give to a place where the one who is to
 * take from it comes late, or the other way round. Who has been counted as alive is owed a number, for a process is
 * counted until it has given its own; so whom one waits for is there, and the first in the order of turns waits for
 * nobody.
 */
#ifndef VIV_PROCESS_SLOTS_H
#define VIV_PROCESS_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/alloc.h"
#include "base/thread_progress.h"

struct Process;

/* What is reserved counts as memory from when it is used, in pieces of so many slots. */
#define PIECE_SLOTS ((size_t)4096)
/* What lies beside such a piece is used, too. */
typedef void PieceUsed(size_t first, size_t count);

/* Fields are for this file and the functions below. */
typedef struct {
    AllocType type;
    PieceUsed *piece_used; /* or NULL */
    _Atomic(struct Process *) *at;
    size_t mask;
    /* Free numbers, plus one; 0: nobody has given one here yet. The first turns around it take what was never given. */
    _Atomic(uint32_t) *ring;
    _Atomic uint64_t turns_to_take, turns_to_give;
    _Atomic size_t live;
    _Atomic size_t used; /* slots from here on were never taken */
    _Atomic bool is_numbered_anew; /* all that are free are taken for a moment: the table is not full */
} Slots;

#define NUMBER_NONE UINT64_MAX

/* Once; `size`: a power of two. */
void slots_init(Slots *s, size_t size, AllocType type, PieceUsed *piece_used);
static inline size_t slots_limit(const Slots *s) { return s->mask + 1; }
static inline size_t slots_count(const Slots *s) { return atomic_load_explicit(&s->live, memory_order_relaxed); }
/* So many have been taken at some time, the first ones. */
static inline size_t slots_used(const Slots *s) { return atomic_load(&s->used); }

/* The number of a free slot; NUMBER_NONE when there is none. */
uint64_t slots_reserve(Slots *s);
static inline void slots_publish(Slots *s, uint64_t number, struct Process *p) {
    atomic_store_explicit(&s->at[number & s->mask], p, memory_order_release);
}
/* In two steps: nobody finds it any more, and the slot may be another's. */
static inline void slots_hide(Slots *s, uint64_t number) { atomic_store(&s->at[number & s->mask], NULL); }
void slots_give_back(Slots *s, uint64_t number);

/* NULL: the slot is free. What is found stays good until the caller's next quiescent point. */
static inline struct Process *slots_at(const Slots *s, size_t slot) {
    assume(thread_progress_may_read());
    return atomic_load_explicit(&s->at[slot & s->mask], memory_order_acquire);
}
/* Every actor that is there throughout, from the end to the beginning, so that a list of them has them in the order of
 * their numbers; those that come and go meanwhile may be missed. Long work, and thread progress may pass between two
 * of them: the caller holds no lock and nothing that it keeps good. */
void slots_each(const Slots *s, void (*each)(struct Process *p, void *data), void *data);

/* The number that the next one gets, if nobody else takes it; and for tests: the free numbers become those from `first`
 * on, in this order, each with a slot of its own that is free. Who takes one meanwhile waits. */
uint64_t slots_next(const Slots *s);
void slots_number_from(Slots *s, uint64_t first);

#endif

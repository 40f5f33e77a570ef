/*
 * The memory of one execution: for each atomic object its stores in modification order, who knows which of them, and
 * the order of the seq_cst operations; for each byte who last accessed it plainly.
 *
 * An event is an atomic operation of a thread; events of a thread are numbered from 1. A clock says for each thread
 * the newest event that happens before; so event `i` of thread `t` happens before whoever's past has of[t] >= i. A
 * plain access counts as part of the event after it. Real memory holds the newest value of each object, and is put
 * back by memory_reset.
 *
 * `memory_hash` names what has happened so far, whatever the order in which the explorer ran it: events, what they
 * read, and the modification orders. Two states with the same hash go on in the same ways.
 */
#ifndef VIV_TEST_MODEL_MEMORY_H
#define VIV_TEST_MODEL_MEMORY_H

#include "model.h"

typedef struct {
    uint32_t of[MODEL_THREADS];
} Clock;

typedef struct {
    Clock past;
    Clock acquired; /* what relaxed loads have read: an acquire fence makes it part of the past */
    Clock released; /* the past at the last release fence: relaxed stores pass it on */
} Knowledge;

extern Knowledge known[MODEL_THREADS];
extern uint64_t memory_hash;

void memory_reset(void);
void clock_join(Clock *to, const Clock *from);
uint64_t hash_mix(uint64_t a, uint64_t b);
/* A step of the calling thread that is no access: it counts, with what it saw. */
void memory_step(uint64_t what, uint64_t seen);

uint64_t memory_load(uintptr_t address, unsigned size, int order, bool newest_only);
void memory_store(uintptr_t address, unsigned size, uint64_t value, int order);
typedef uint64_t Update(uint64_t old, uint64_t operand);
uint64_t memory_update(uintptr_t address, unsigned size, Update *update, uint64_t operand, int order);
/* Gives the value that was there; it is `expected` when the exchange was made. */
uint64_t memory_compare_exchange(uintptr_t address, unsigned size, uint64_t expected, uint64_t desired, int order,
                                 int failure, bool newest_only);
void memory_fence(int order);
void memory_plain(uintptr_t address, size_t size, bool is_write);
void memory_freed(uintptr_t address, size_t size);
/* Names of stores, 0 for the value that it began with: the newest to an object, and what was read last. */
uint64_t memory_newest(uintptr_t address, unsigned size);
extern uint64_t memory_read_last;

#endif

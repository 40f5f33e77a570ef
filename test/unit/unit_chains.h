/*
 * Censuses (process/census.h, process/name_census.h) beside what comes and goes: some threads begin a link of their
 * chain before they end the one before, so that at any moment there is one or two that follow each other; others end it
 * first, so that there is never more than one. How many a census of one moment meets of each chain is checked here.
 */
#ifndef VIV_TEST_UNIT_CHAINS_H
#define VIV_TEST_UNIT_CHAINS_H

#include "base/thread_progress.h"
#include "sys/thread.h"
#include "unit.h"

#define CHAINS 4 /* half of them of each kind */
#define READERS 2
#define CENSUSES 300

static _Atomic unsigned chains_begun, readers_left;

static inline bool chain_overlaps(uint32_t chain) { return chain % 2 == 0; }

/* By who makes a chain, when its first link is there. */
static inline void chain_begins(void) { atomic_fetch_add(&chains_begun, 1); }
static inline bool chain_goes_on(void) { return atomic_load(&readers_left) > 0; }

/* `take` takes a census, and tells how many links of each chain it met. */
static inline void count_chains(void take(uint32_t met[CHAINS])) {
    thread_progress_register();
    while (atomic_load(&chains_begun) < CHAINS)
        thread_progress_quiescent();
    for (unsigned i = 0; i < CENSUSES; i++) {
        uint32_t met[CHAINS] = {0};
        take(met);
        for (uint32_t chain = 0; chain < CHAINS; chain++)
            assert_in_range(met[chain], chain_overlaps(chain) ? 1 : 0, chain_overlaps(chain) ? 2 : 1);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
    atomic_fetch_sub(&readers_left, 1);
}

/* Threads that make a chain, which get its number, and threads that count. */
static inline void run_chains(void make(void *chain), void count(void *)) {
    Thread threads[CHAINS + READERS];
    atomic_store(&readers_left, READERS);
    for (uintptr_t i = 0; i < CHAINS + READERS; i++)
        thread_start(&threads[i], i < CHAINS ? "chain" : "counts", 0, i < CHAINS ? make : count, (void *)i);
    for (unsigned i = 0; i < CHAINS + READERS; i++)
        thread_join(&threads[i]);
}

#endif

/*
 * Three generations of the code access structures, and who may read and write which.
 *
 * `the_active_code_index` names the generation that running code reads, with a plain load and no barrier;
 * `the_staging_code_index` the one being written by the holder of the code modification permission. What a reader took
 * from the active generation stays good until the reader's next quiescent point (base/thread_progress.h), because a
 * generation is only written again after thread progress. The load is an acquire, which on x86-64 is a plain load: what
 * was staged before the store of the index is seen by whoever sees the index.
 */
#ifndef VIV_CODE_CODE_INDEX_H
#define VIV_CODE_CODE_INDEX_H

#include "base/defs.h"

#define CODE_GENERATIONS 3
extern unsigned the_active_code_index;
extern unsigned the_staging_code_index;
static inline unsigned code_active(void) { return __atomic_load_n(&the_active_code_index, __ATOMIC_ACQUIRE); }
static inline unsigned code_staging(void) { return __atomic_load_n(&the_staging_code_index, __ATOMIC_RELAXED); }
/* How often a generation was published: an address of code means what it meant as long as this is the same. */
extern uint64_t the_code_publications;
static inline uint64_t code_publications(void) { return __atomic_load_n(&the_code_publications, __ATOMIC_ACQUIRE); }

#endif

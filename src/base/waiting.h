/*
 * What the calling thread waits for, while another has it: the name of that thing as a word, which those give a meaning
 * who look (process/sampling.h). Written by the thread itself, read by any, and by a signal's handler; nothing is in
 * any order with it.
 *
 * Who waits says so around the wait alone, not on the way on which nobody waits.
 */
#ifndef VIV_BASE_WAITING_H
#define VIV_BASE_WAITING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern __thread _Atomic uint64_t waiting_for; /* 0: for nothing that has a name */

/* `name` may change meanwhile. NULL: it has none. */
static inline void waiting_begin(const _Atomic uint64_t *name) {
    if (name != NULL)
        atomic_store_explicit(&waiting_for, atomic_load_explicit(name, memory_order_relaxed), memory_order_relaxed);
}
static inline void waiting_end(void) { atomic_store_explicit(&waiting_for, 0, memory_order_relaxed); }

#endif

/*
 * A barrier of which one side costs nothing: a thread that stores, light_barrier, loads, and one that stores,
 * heavy_barrier, loads: at least one of the two sees what the other stored. The heavy side has the kernel put a
 * barrier into every running thread of the process (membarrier(2), private expedited), and takes microseconds.
 */
#ifndef VIV_ALLOC_BARRIER_H
#define VIV_ALLOC_BARRIER_H

#include "base/defs.h"

#include <stdatomic.h>

static inline void light_barrier(void) { atomic_signal_fence(memory_order_seq_cst); }
void heavy_barrier(void);
/* Before the first heavy one. False: this kernel has none. */
bool barrier_is_there(void);

/* All running threads of the process have dropped what they had fetched of machine code that was written before. */
void code_barrier(void);
bool code_barrier_is_there(void);

#endif

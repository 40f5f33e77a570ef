/*
 * Waiting awake, for a moment, for what another thread is about to do.
 *
 *   Spin spin = spin_begin(nanoseconds);
 *   while (!has_come() && spin_goes_on(&spin))
 *       ;
 *
 * The limit is one of time: how long a processor's pause takes differs by a factor of ten. Who waits longer than some
 * microseconds lets others have the processor in between, as the thread that is waited for may need just that.
 */
#ifndef VIV_SYS_SPIN_H
#define VIV_SYS_SPIN_H

#include "sys/clock.h"
#include "sys/thread.h"

#include <sched.h>

#define SPINS_PER_LOOK 16 /* at the clock */

typedef struct {
    int64_t until;
    unsigned count;
} Spin;

static inline Spin spin_begin(int64_t nanoseconds) { return (Spin){.until = clock_monotonic() + nanoseconds}; }

/* Pauses. False: it has been long enough. */
static inline bool spin_goes_on(Spin *spin) {
    cpu_pause();
    if (++spin->count % SPINS_PER_LOOK != 0)
        return true;
    if (spin->count > 4 * SPINS_PER_LOOK)
        sched_yield();
    return clock_monotonic() < spin->until;
}

#endif

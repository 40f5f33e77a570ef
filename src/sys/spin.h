/*
 * Waiting awake, for a moment, for what another thread is about to do.
 *
 *   Spin spin = spin_begin(nanoseconds);
 *   while (!has_come() && spin_goes_on(&spin))
 *       ;
 *
 * The limit is one of time: how long a processor's pause takes differs by a factor of ten. Who waits longer than some
 * microseconds lets others have the processor in between, as the thread that is waited for may need just that. Where
 * the program has one processor only, it always does.
 */
#ifndef VIV_SYS_SPIN_H
#define VIV_SYS_SPIN_H

#include "sys/clock.h"
#include "sys/thread.h"

#include <sched.h>

#define SPINS_PER_LOOK 16 /* at the clock */

extern bool spin_gives_way; /* written at start: there is one processor */
/* Once, before any thread spins. */
void spin_init(void);

typedef struct {
    int64_t until;
    unsigned count;
} Spin;

static inline Spin spin_begin(int64_t nanoseconds) { return (Spin){.until = clock_monotonic() + nanoseconds}; }

/* Is it time for a look that costs as much as one at the clock? */
static inline bool spin_looks(const Spin *spin) { return spin_gives_way || spin->count % SPINS_PER_LOOK == 0; }

/* Pauses. False: it has been long enough. */
static inline bool spin_goes_on(Spin *spin) {
    cpu_pause();
    if (++spin->count % SPINS_PER_LOOK != 0 && likely(!spin_gives_way))
        return true;
    if (spin->count > 4 * SPINS_PER_LOOK || unlikely(spin_gives_way))
        sched_yield();
    return clock_monotonic() < spin->until;
}

#endif

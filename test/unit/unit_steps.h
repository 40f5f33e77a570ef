/*
 * How many instructions a call takes: for costs that must not grow with what there is. A count, which stays the same
 * whatever else the machine does. The processor's trap flag stops the thread after each of them.
 */
#ifndef VIV_TEST_UNIT_STEPS_H
#define VIV_TEST_UNIT_STEPS_H

#include <signal.h>
#include <stddef.h>

#define UNIT_TRAP_FLAG 0x100ull

static volatile sig_atomic_t unit_steps_taken;
static void unit_count_step(int number) { unit_steps_taken++; }

/* Of `call`, and a few around it. By one thread at a time. */
static inline int unit_steps_once(void (*call)(void *data), void *data) {
    struct sigaction count = {.sa_handler = unit_count_step}, before;
    sigaction(SIGTRAP, &count, &before);
    unit_steps_taken = 0;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | UNIT_TRAP_FLAG);
    call(data);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~UNIT_TRAP_FLAG);
    sigaction(SIGTRAP, &before, NULL);
    return unit_steps_taken;
}

/* The fewest of some tries: the first makes what is made once, and builds that delay or watch do more now and then. */
static inline int unit_steps(void (*call)(void *data), void *data) {
    int least = unit_steps_once(call, data);
    for (int i = 0; i < 4; i++) {
        int steps = unit_steps_once(call, data);
        least = steps < least ? steps : least;
    }
    return least;
}

#endif

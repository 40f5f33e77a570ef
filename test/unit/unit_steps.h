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

/* ThreadSanitizer's own code cannot be stepped through: it waits for itself, or crashes. */
#if __has_feature(thread_sanitizer)
#define UNIT_STEPS_ARE_COUNTED false
#else
#define UNIT_STEPS_ARE_COUNTED true
#endif

/* The fewest of some tries: the first makes what is made once, and builds that delay or watch do more now and then.
 * Where none can be counted, the test is skipped. */
static inline int unit_steps(void (*call)(void *data), void *data) {
    if (!UNIT_STEPS_ARE_COUNTED)
        skip();
    int least = unit_steps_once(call, data);
    for (int i = 0; i < 4; i++) {
        int steps = unit_steps_once(call, data);
        least = steps < least ? steps : least;
    }
    return least;
}

#endif

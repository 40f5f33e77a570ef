/*
 * SysEvent on a futex. The word is IDLE, SLEEPING or POLLING (its thread is in the kernel, or on its way) or WOKEN.
 * Only the step from one of those two to WOKEN costs a system call.
 */
#include "sys/event_polling.h"

#include "sys/clock.h"
#include "sys/futex.h"
#include "sys/thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock. */
bool futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline) {
    struct timespec until = {deadline / NANOSECONDS_PER_SECOND, deadline % NANOSECONDS_PER_SECOND};
    long answer = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, deadline < 0 ? NULL : &until, NULL,
                          FUTEX_BITSET_MATCH_ANY);
    return answer == 0 || errno != ETIMEDOUT;
}

void futex_wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

enum { IDLE, SLEEPING, WOKEN, POLLING };

/* Reads the wake that it forgets, and so comes after it. */
void event_reset(SysEvent *e) { atomic_exchange(&e->state, IDLE); }

bool event_wait(SysEvent *e, int64_t deadline) {
    uint32_t idle = IDLE;
    if (!atomic_compare_exchange_strong(&e->state, &idle, SLEEPING))
        return true;
    while (atomic_load(&e->state) != WOKEN) {
        if (futex_wait(&e->state, SLEEPING, deadline))
            continue;
        uint32_t sleeping = SLEEPING;
        if (atomic_compare_exchange_strong(&e->state, &sleeping, IDLE))
            return false;
    }
    return true;
}

int event_wait_polling(SysEvent *e, int64_t deadline, FdEvent *events, int most) {
    uint32_t state = IDLE;
    if (!atomic_compare_exchange_strong(&e->state, &state, POLLING))
        return 0;
    int count = fd_poll_wait(events, most, deadline);
    state = POLLING;
    atomic_compare_exchange_strong(&e->state, &state, IDLE);
    return count;
}

void event_wake(SysEvent *e) {
    uint32_t before = atomic_exchange(&e->state, WOKEN);
    if (before == SLEEPING)
        futex_wake(&e->state);
    else if (before == POLLING)
        fd_poll_interrupt();
}

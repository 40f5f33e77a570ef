#include "sys/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return t.tv_sec * NANOSECONDS_PER_SECOND + t.tv_nsec;
}

int64_t clock_monotonic(void) { return read_clock(CLOCK_MONOTONIC); }
int64_t clock_coarse(void) { return read_clock(CLOCK_MONOTONIC_COARSE); }
int64_t clock_real(void) { return read_clock(CLOCK_REALTIME); }
int64_t clock_cpu(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
int64_t clock_thread_cpu(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

#include "process/clock.h"

#include <stdatomic.h>

#include "sys/clock.h"

static int64_t start, offset;

void clock_init(void) {
    start = clock_monotonic();
    offset = clock_real() - monotonic_time();
}

int64_t monotonic_time(void) { return clock_monotonic() - start + MONOTONIC_START; }
int64_t time_offset(void) { return offset; }
int64_t system_time(void) { return monotonic_time() + offset; }

int64_t now_microseconds(void) {
    static _Atomic int64_t latest;
    int64_t before = atomic_load_explicit(&latest, memory_order_relaxed), now;
    do {
        now = system_time() / 1000;
        if (now <= before)
            now = before + 1;
    } while (!atomic_compare_exchange_weak(&latest, &before, now));
    return now;
}

int64_t clock_of_monotonic_time(int64_t nanoseconds) { return nanoseconds - MONOTONIC_START + start; }

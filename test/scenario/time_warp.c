/* Loaded before the C library: the system's time is as much later as the file CLOCK_SHIFT says, in nanoseconds. It goes
 * on from the program's start as the monotonic clock does: nobody else sets it meanwhile. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
static volatile long long *shift;
static long long since_start; /* what the system's time was ahead of the monotonic clock */

static int ask(clockid_t clock, long long *nanoseconds) {
    struct timespec time;
    int result = (int)syscall(SYS_clock_gettime, clock, &time);
    *nanoseconds = time.tv_sec * SECOND + time.tv_nsec;
    return result;
}

__attribute__((constructor)) static void find_shift(void) {
    long long real, monotonic;
    ask(CLOCK_REALTIME, &real);
    ask(CLOCK_MONOTONIC, &monotonic);
    since_start = real - monotonic;
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY) : -1;
    void *there = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    shift = there == MAP_FAILED ? NULL : there;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    long long now;
    if (clock != CLOCK_REALTIME || shift == NULL)
        return (int)syscall(SYS_clock_gettime, clock, time);
    int result = ask(CLOCK_MONOTONIC, &now);
    now += since_start + *shift;
    *time = (struct timespec){now / SECOND, now % SECOND};
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    *time = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}

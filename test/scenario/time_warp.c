/* Loaded before the C library: the system's time is as much later as the file CLOCK_SHIFT says, in nanoseconds. */
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

__attribute__((constructor)) static void find_shift(void) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? open(path, O_RDONLY) : -1;
    void *there = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    shift = there == MAP_FAILED ? NULL : there;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock != CLOCK_REALTIME || shift == NULL || result != 0)
        return result;
    long long all = time->tv_sec * SECOND + time->tv_nsec + *shift;
    *time = (struct timespec){all / SECOND, all % SECOND};
    return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    *time = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}

/* The clocks of bench/gaps.erl, and how long the operating system has kept the calling thread waiting. */
#define _GNU_SOURCE
#include <erl_nif.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Nanoseconds that this thread was ready to run and had no processor: the second number of its schedstat. */
static int64_t waited(void) {
    static __thread int fd = -1;
    char text[96];
    if (fd < 0)
        fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (size <= 0)
        return 0;
    text[size] = 0;
    char *second;
    (void)strtoll(text, &second, 10);
    return strtoll(second, NULL, 10);
}

static ERL_NIF_TERM clock_only(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_int64(env, now());
}

static int64_t processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* How often this thread has gone to sleep of its own. */
static long sleeps(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* {Clock, ProcessorTime, Waited, Sleeps, Thread}, all of one moment: nothing was waited while they were read. It takes
 * some microseconds, of a slice of some hundred. */
static ERL_NIF_TERM look(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    enif_consume_timeslice(env, 2);
    int64_t before, after = waited(), at, used;
    do {
        before = after;
        used = processor_time();
        at = now();
        after = waited();
    } while (before != after);
    return enif_make_tuple5(env, enif_make_int64(env, at), enif_make_int64(env, used), enif_make_int64(env, after),
                            enif_make_long(env, sleeps()), enif_make_int(env, gettid()));
}

static ErlNifFunc functions[] = {{"clock", 0, clock_only}, {"look", 0, look}};
ERL_NIF_INIT(gaps, functions, NULL, NULL, NULL, NULL)

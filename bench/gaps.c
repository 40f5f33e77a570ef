/* The clock of bench/gaps.erl, and how long the operating system has kept the calling thread waiting. */
#define _GNU_SOURCE
#include <erl_nif.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
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

/* {Clock, Waited, Thread}, all of one moment: nothing was waited while they were read. */
static ERL_NIF_TERM clock_and_waited(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int64_t before, after = waited(), at;
    do {
        before = after;
        at = now();
        after = waited();
    } while (before != after);
    return enif_make_tuple3(env, enif_make_int64(env, at), enif_make_int64(env, after), enif_make_int(env, gettid()));
}

static ErlNifFunc functions[] = {{"clock", 0, clock_only}, {"clock_and_waited", 0, clock_and_waited}};
ERL_NIF_INIT(gaps, functions, NULL, NULL, NULL, NULL)

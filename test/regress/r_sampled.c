/* A function that sleeps on a dirty thread, and tells what the system called that; one that uses up a tenth of a slice;
 * one that works on a dirty thread. */
#include <errno.h>
#include <time.h>

#include "../erl/nif/nif_test.h"

static ERL_NIF_TERM nap(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int ms;
    if (!enif_get_int(env, argv[0], &ms))
        return enif_make_badarg(env);
    struct timespec time = {.tv_nsec = ms * 1000000L};
    return enif_make_atom(env, nanosleep(&time, NULL) == 0 ? "ok" : errno == EINTR ? "interrupted" : "error");
}

static ERL_NIF_TERM takes_a_tenth(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_int(env, enif_consume_timeslice(env, 10));
}

static ERL_NIF_TERM works(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int ms;
    if (!enif_get_int(env, argv[0], &ms))
        return enif_make_badarg(env);
    ErlNifTime end = enif_monotonic_time(ERL_NIF_MSEC) + ms;
    while (enif_monotonic_time(ERL_NIF_MSEC) < end) {
    }
    return enif_make_atom(env, "ok");
}

static ErlNifFunc functions[] = {{"nap", 1, nap, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"takes_a_tenth", 0, takes_a_tenth, 0},
                                 {"works", 1, works, ERL_NIF_DIRTY_JOB_CPU_BOUND}};
ERL_NIF_INIT(r_sampled, functions, NULL, NULL, NULL, NULL)

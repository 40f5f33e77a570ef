/* Functions that raise an exception and schedule another one, in either order. */
#include "erl_nif.h"

static ERL_NIF_TERM next(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_tuple2(env, enif_make_atom(env, "next"), argv[0]);
}

static ERL_NIF_TERM raise_it(ErlNifEnv *env) { return enif_raise_exception(env, enif_make_atom(env, "raised")); }
static ERL_NIF_TERM schedule(ErlNifEnv *env, int flags) {
    ERL_NIF_TERM reason = enif_make_atom(env, "none");
    int has = enif_has_pending_exception(env, &reason);
    ERL_NIF_TERM answer = enif_make_tuple2(env, enif_make_int(env, has), reason);
    return enif_schedule_nif(env, "next", flags, next, 1, &answer);
}

static ERL_NIF_TERM raise_then_schedule(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    raise_it(env);
    return schedule(env, 0);
}
static ERL_NIF_TERM raise_then_schedule_dirty(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    raise_it(env);
    return schedule(env, ERL_NIF_DIRTY_JOB_IO_BOUND);
}
static ERL_NIF_TERM raise_schedule_return_exception(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM result = raise_it(env);
    schedule(env, 0);
    return result;
}
static ERL_NIF_TERM schedule_then_raise(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    schedule(env, 0);
    return raise_it(env);
}

static ErlNifFunc functions[] = {
    {"raise_then_schedule", 0, raise_then_schedule},
    {"raise_then_schedule_dirty", 0, raise_then_schedule_dirty},
    {"raise_schedule_return_exception", 0, raise_schedule_return_exception},
    {"schedule_then_raise", 0, schedule_then_raise},
    {"dirty_raise_then_schedule", 0, raise_then_schedule, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"dirty_schedule_then_raise", 0, schedule_then_raise, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};
ERL_NIF_INIT(r_nif_raise_or_go_on, functions, NULL, NULL, NULL, NULL)

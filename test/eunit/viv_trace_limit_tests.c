/* For viv_trace_limit_tests: a tracer that sends what it is told to the process that is its state. */
#include <erl_nif.h>

static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_atom(env, "trace");
}

static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid to;
    if (!enif_get_local_pid(env, argv[1], &to))
        return enif_make_badarg(env);
    ErlNifEnv *message = enif_alloc_env();
    ERL_NIF_TERM told = enif_make_tuple4(env, enif_make_atom(env, "told"), argv[0], argv[2], argv[3]);
    enif_send(env, &to, message, enif_make_copy(message, told));
    enif_free_env(message);
    return enif_make_atom(env, "ok");
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}};

ERL_NIF_INIT(viv_trace_limit_tests, functions, NULL, NULL, NULL, NULL)

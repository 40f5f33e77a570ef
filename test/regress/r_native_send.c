/* Sends a term from a call, on whatever thread that is: copied, and with the environment that it is in. */
#include "../erl/nif/nif_test.h"

static ERL_NIF_TERM send_both(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid to;
    enif_get_local_pid(env, argv[0], &to);
    ErlNifEnv *own = enif_alloc_env();
    int sent = enif_send(env, &to, NULL, argv[1]);
    sent += enif_send(env, &to, own, enif_make_tuple2(own, enif_make_copy(own, argv[1]), enif_make_int(own, 2)));
    enif_free_env(own);
    return enif_make_int(env, sent);
}

static ErlNifFunc functions[] = {{"send_plain", 2, send_both, 0},
                                 {"send_cpu", 2, send_both, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"send_io", 2, send_both, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(r_native_send, functions, NULL, NULL, NULL, NULL)

#include "hold.h"

/* Sends N messages to a process, which may end the caller meanwhile. */
NIF(send_many) {
    ErlNifPid to;
    enif_get_local_pid(env, argv[0], &to);
    for (int n = int_of(env, argv[1]); n-- > 0;)
        enif_send(env, &to, NULL, enif_make_int(env, n));
    return argv[1];
}

static ErlNifFunc functions[] = {
    {"hold", 0, hold, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"let_go", 0, let_go, 0},
    {"send_many", 2, send_many, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};
ERL_NIF_INIT(r_dirty_end_told, functions, NULL, NULL, NULL, NULL)

#include "../erl/nif/nif_test.h"

/* Keeps its dirty thread until the process is told to exit. */
NIF(until_dead) {
    while (enif_is_current_process_alive(env))
        ;
    return atom(env, "never_seen");
}

static ErlNifFunc functions[] = {{"until_dead", 0, until_dead, ERL_NIF_DIRTY_JOB_CPU_BOUND}};
ERL_NIF_INIT(r_load_beside_natives, functions, NULL, NULL, NULL, NULL)

#include "../erl/nif/nif_test.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_int released;

/* Until somebody calls let_go. */
NIF(hold) {
    while (!atomic_load(&released))
        usleep(1000);
    return enif_make_int(env, 7);
}

NIF(let_go) {
    atomic_store(&released, 1);
    return enif_make_int(env, 1);
}

static ErlNifFunc functions[] = {
    {"hold", 0, hold, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"let_go", 0, let_go, 0},
};
ERL_NIF_INIT(r_procs_dirty, functions, NULL, NULL, NULL, NULL)

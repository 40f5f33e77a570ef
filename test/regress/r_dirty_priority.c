#include "../erl/nif/nif_test.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_int released, begun, calls;

/* Until somebody calls let_go. */
NIF(hold) {
    atomic_store(&begun, 1);
    while (!atomic_load(&released))
        usleep(1000);
    return enif_make_int(env, 0);
}

NIF(let_go) {
    atomic_store(&released, 1);
    return enif_make_int(env, 0);
}

NIF(has_begun) { return boolean(env, atomic_load(&begun) == 1); }

/* The how manieth it is. */
NIF(turn) { return enif_make_int(env, 1 + atomic_fetch_add(&calls, 1)); }

static ErlNifFunc functions[] = {{"hold", 0, hold, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"turn", 0, turn, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"let_go", 0, let_go, 0},
                                 {"has_begun", 0, has_begun, 0}};
ERL_NIF_INIT(r_dirty_priority, functions, NULL, NULL, NULL, NULL)

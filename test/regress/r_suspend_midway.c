/* A process waits in a call, in the middle of its slice, until another lets it go on. */
#include "../erl/nif/nif_test.h"

#include <stdatomic.h>
#include <unistd.h>

static _Atomic int waiting, let_go;

static int number(ErlNifEnv *env, ERL_NIF_TERM t) {
    int n = 0;
    enif_get_int(env, t, &n);
    return n;
}

NIF(wait_in_slice) {
    int n = number(env, argv[0]);
    for (atomic_store(&waiting, n); atomic_load(&let_go) < n;)
        usleep(20);
    return argv[0];
}
NIF(who_waits) { return enif_make_int(env, atomic_load(&waiting)); }
NIF(go_on) {
    atomic_store(&let_go, number(env, argv[0]));
    return argv[0];
}

static ErlNifFunc functions[] = {{"wait_in_slice", 1, wait_in_slice}, {"who_waits", 0, who_waits}, {"go_on", 1, go_on}};
ERL_NIF_INIT(r_suspend_midway, functions, NULL, NULL, NULL, NULL)

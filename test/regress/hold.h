/* A native function that does not return before it is let go, and the one that does that. */
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

/* A library whose `load` and `upgrade` take until the file that their argument names is there. What it is told to do
 * goes into the file that the environment variable LOG names. It is compiled once for each MODULE. */
#include <erl_nif.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int version; /* of the library that is called: 1, 2, ... by `upgrade` */

static void tell(const char *what) {
    int log = open(getenv("LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (log < 0 || write(log, what, strlen(what)) < 0)
        abort();
    close(log);
}

/* 0; what it does not see in half a minute is not coming. */
static int wait_for_file(ErlNifEnv *env, ERL_NIF_TERM name) {
    char path[1000];
    if (enif_get_string(env, name, path, sizeof path, ERL_NIF_LATIN1) <= 0)
        return 1;
    for (int tries = 0; access(path, F_OK) != 0; tries++) {
        if (tries == 30000)
            return 2;
        usleep(1000);
    }
    return 0;
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    tell("load ");
    version = 1;
    *data = &version;
    return wait_for_file(env, info);
}

static int upgrade(ErlNifEnv *env, void **data, void **data_before, ERL_NIF_TERM info) {
    tell("upgrade ");
    int status = wait_for_file(env, info);
    ++*(int *)*data_before;
    *data = *data_before;
    return status;
}

static void unload(ErlNifEnv *env, void *data) { tell("unload "); }

static ERL_NIF_TERM value(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_int(env, *(int *)enif_priv_data(env));
}

static ErlNifFunc functions[] = {{"value", 0, value, 0}};
#define INIT(module) ERL_NIF_INIT(module, functions, load, NULL, upgrade, unload)
INIT(MODULE)

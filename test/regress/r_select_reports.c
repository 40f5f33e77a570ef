/* A driver without callbacks for descriptors, and natives: both select what they are told to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "erl_driver.h"
#include "erl_nif.h"

static ErlDrvData start(ErlDrvPort port, char *command) { return (ErlDrvData)port; }

/* "Descriptor Mode On" */
static ErlDrvSSizeT control(ErlDrvData data, unsigned command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room) {
    char text[100] = "";
    int fd, mode, on;
    memcpy(text, bytes, size);
    if (sscanf(text, "%d %d %d", &fd, &mode, &on) != 3)
        return -1;
    driver_select((ErlDrvPort)data, (ErlDrvEvent)(long)fd, mode, on);
    return 0;
}

static ErlDrvEntry entry = {
    .start = start,
    .control = control,
    .driver_name = "r_select_reports",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(r_select_reports) { return &entry; }

static ErlNifResourceType *type;
static void *objects[2];

static void stop(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct) {}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit callbacks = {.stop = stop};
    type = enif_open_resource_type_x(env, "user", &callbacks, ERL_NIF_RT_CREATE, NULL);
    for (int i = 0; i < 2; i++)
        objects[i] = enif_alloc_resource(type, 8);
    return 0;
}

static ERL_NIF_TERM select_it(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int object, fd, mode;
    if (!enif_get_int(env, argv[0], &object) || !enif_get_int(env, argv[1], &fd) || !enif_get_int(env, argv[2], &mode))
        return enif_make_badarg(env);
    enif_select(env, fd, mode, objects[object], NULL, enif_make_atom(env, "undefined"));
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM pair(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return enif_make_badarg(env);
    return enif_make_int(env, ends[0]);
}

static ErlNifFunc functions[] = {{"select_it", 3, select_it}, {"pair", 0, pair}};
ERL_NIF_INIT(r_select_reports, functions, load, NULL, NULL, NULL)

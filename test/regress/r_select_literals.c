/* Pipes that are selected with a message of the caller's choice, or with a reference, and written to later. */
#include "../erl/nif/nif_test.h"

#include <unistd.h>

static ErlNifResourceType *type;

static void stopped(ErlNifEnv *env, void *object, ErlNifEvent fd, int is_direct_call) { close(fd); }

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit init = {NULL, stopped, NULL};
    type = enif_open_resource_type_x(env, "pipe", &init, ERL_NIF_RT_CREATE, NULL);
    return type == NULL;
}

typedef int Select(ErlNifEnv *env, int fd, void *object, ERL_NIF_TERM term);

static ERL_NIF_TERM selected(ErlNifEnv *env, Select *select, ERL_NIF_TERM term) {
    int ends[2];
    if (pipe(ends))
        return atom(env, "no_pipe");
    void *object = enif_alloc_resource(type, 1);
    ERL_NIF_TERM made = enif_make_resource(env, object);
    int result = select(env, ends[0], object, term);
    enif_release_resource(object);
    return enif_make_tuple4(env, enif_make_int(env, result), made, enif_make_int(env, ends[0]),
                            enif_make_int(env, ends[1]));
}

static int with_message(ErlNifEnv *env, int fd, void *object, ERL_NIF_TERM term) {
    return enif_select_read(env, fd, object, NULL, term, NULL);
}
static int with_reference(ErlNifEnv *env, int fd, void *object, ERL_NIF_TERM term) {
    return enif_select(env, fd, ERL_NIF_SELECT_READ, object, NULL, term);
}
NIF(select_message) { return selected(env, with_message, argv[0]); }
NIF(select_reference) { return selected(env, with_reference, argv[0]); }

NIF(write_one) { return enif_make_int(env, (int)write(int_of(env, argv[0]), "x", 1)); }

NIF(stop) {
    void *object;
    enif_get_resource(env, argv[0], type, &object);
    enif_select(env, int_of(env, argv[1]), ERL_NIF_SELECT_STOP, object, NULL, atom(env, "undefined"));
    close(int_of(env, argv[2]));
    return atom(env, "ok");
}

static ErlNifFunc functions[] = {{"select_message", 1, select_message, 0},
                                 {"select_reference", 1, select_reference, 0},
                                 {"write_one", 1, write_one, 0},
                                 {"stop", 3, stop, 0}};
ERL_NIF_INIT(r_select_literals, functions, load, NULL, NULL, NULL)

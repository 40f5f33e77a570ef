/* An object that is called by its reference, and by a binary that shows its bytes. */
#include "erl_nif.h"

static ErlNifResourceType *type;

static void called(ErlNifEnv *env, void *object, void *data) { ++*(int *)data; }

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit callbacks = {.members = 4, .dyncall = called};
    type = enif_init_resource_type(env, "type", &callbacks, ERL_NIF_RT_CREATE, NULL);
    return 0;
}

static ERL_NIF_TERM call(ErlNifEnv *env, ERL_NIF_TERM term) {
    ERL_NIF_TERM module = enif_make_atom(env, "r_nif_dynamic_binary"), name = enif_make_atom(env, "type");
    void *object;
    int calls = 0, is_object = enif_get_resource(env, term, type, &object);
    int result = enif_dynamic_resource_call(env, module, name, term, &calls);
    return enif_make_tuple3(env, enif_make_int(env, is_object), enif_make_int(env, result != 0),
                            enif_make_int(env, calls));
}

static ERL_NIF_TERM both(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *object = enif_alloc_resource(type, 8);
    ERL_NIF_TERM by_reference = call(env, enif_make_resource(env, object));
    ERL_NIF_TERM by_binary = call(env, enif_make_resource_binary(env, object, "hello", 5));
    enif_release_resource(object);
    return enif_make_tuple2(env, by_reference, by_binary);
}

static ErlNifFunc functions[] = {{"both", 0, both}};
ERL_NIF_INIT(r_nif_dynamic_binary, functions, load, NULL, NULL, NULL)

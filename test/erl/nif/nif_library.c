/*
 * Loading, upgrading and unloading a library, well and badly. The variable NIF_TEST_WHAT says what is to be wrong with
 * it, when it is loaded; what its callbacks see is told to the process that the load info names.
 */
#include "nif_test.h"

#ifndef VERSION
#define VERSION 1
#endif

static ErlNifPid listener;
static ErlNifResourceType *type, *second_type;
static char what[40];

typedef struct {
    int number;
} Object;

static void tell(ErlNifEnv *env, const char *event, int number) {
    ErlNifEnv *own = enif_alloc_env();
    enif_send(
        env, &listener, own,
        enif_make_tuple3(own, enif_make_atom(own, event), enif_make_int(own, VERSION), enif_make_int(own, number)));
    enif_free_env(own);
}

static void died(ErlNifEnv *env, void *object) { tell(env, "died", ((Object *)object)->number); }
static void second_died(ErlNifEnv *env, void *object) { tell(env, "second_died", ((Object *)object)->number); }

NIF(version) { return enif_make_int(env, VERSION); }
NIF(data) {
    int *data = enif_priv_data(env);
    return data ? enif_make_int(env, *data) : atom(env, "none");
}
static ERL_NIF_TERM object_of_type(ErlNifEnv *env, ErlNifResourceType *of, int number) {
    Object *o = enif_alloc_resource(of, sizeof *o);
    o->number = number;
    ERL_NIF_TERM term = enif_make_resource(env, o);
    enif_release_resource(o);
    return term;
}
NIF(new) { return object_of_type(env, type, int_of(env, argv[0])); }
NIF(new_second) { return object_of_type(env, second_type, int_of(env, argv[0])); }
NIF(look) {
    void *object;
    if (enif_get_resource(env, argv[0], type, &object) || enif_get_resource(env, argv[0], second_type, &object))
        return enif_make_int(env, ((Object *)object)->number);
    return atom(env, "no");
}
/* A number for how it went: types that should be there are, those that should not are not. */
static int open_types(ErlNifEnv *env, ErlNifResourceFlags flags) {
    ErlNifResourceFlags tried = 0;
    type = enif_open_resource_type(env, NULL, "object", died, flags, &tried);
    second_type =
        enif_open_resource_type(env, NULL, "second", second_died, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    return type ? (int)tried : -(int)tried;
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    static int data;
    if (!enif_get_local_pid(env, info, &listener))
        return 1;
    int opened = open_types(env, ERL_NIF_RT_CREATE);
    data = 100 * VERSION;
    *priv_data = &data;
    tell(env, "load", opened);
    return strcmp(what, "load fails") == 0 ? 42 : strcmp(what, "load fails negative") == 0 ? -7 : 0;
}

static int upgrade(ErlNifEnv *env, void **priv_data, void **old_priv_data, ERL_NIF_TERM info) {
    static int data;
    int *old = *old_priv_data;
    if (!enif_get_local_pid(env, info, &listener))
        return 1;
    int opened = open_types(env, strcmp(what, "creates again") == 0 ? ERL_NIF_RT_CREATE : ERL_NIF_RT_TAKEOVER);
    data = 100 * VERSION + (old ? *old / 100 : 0);
    *priv_data = &data;
    tell(env, "upgrade", opened);
    if (old)
        ++*old;
    return strcmp(what, "upgrade fails") == 0 ? 17 : 0;
}

static void unload(ErlNifEnv *env, void *priv_data) { tell(env, "unload", priv_data ? *(int *)priv_data : -1); }

static ErlNifFunc functions[] = {
    {"version", 0, version, 0},       {"data", 0, data, 0}, {"new", 1, new, 0},
    {"new_second", 1, new_second, 0}, {"look", 1, look, 0}, {"missing", 0, version, 0},
};

ERL_NIF_INIT_EXPORT ErlNifEntry *nif_init(void) {
    static ErlNifEntry entry = {ERL_NIF_MAJOR_VERSION,
                                ERL_NIF_MINOR_VERSION,
                                "nif_subject",
                                5,
                                functions,
                                load,
                                NULL,
                                upgrade,
                                unload,
                                ERL_NIF_VM_VARIANT,
                                1,
                                sizeof(ErlNifResourceTypeInit),
                                "erts-13.0"};
    size_t size = sizeof what;
    entry.major = ERL_NIF_MAJOR_VERSION;
    entry.minor = ERL_NIF_MINOR_VERSION;
    entry.name = "nif_subject";
    entry.num_of_funcs = 5;
    entry.vm_variant = ERL_NIF_VM_VARIANT;
    entry.upgrade = upgrade;
    entry.load = load;
    entry.unload = unload;
    entry.options = 1;
    functions[0].flags = 0;
    functions[0].arity = 0;
    functions[0].fptr = version;
    if (enif_getenv("NIF_TEST_WHAT", what, &size) != 0)
        what[0] = 0;
#define WRONG(text) if (strcmp(what, text) == 0)
    WRONG("major 3") entry.major = 3;
    WRONG("minor 99") entry.minor = 99;
    WRONG("another module") entry.name = "another_module";
    WRONG("missing function") entry.num_of_funcs = 6;
    WRONG("another arity") functions[0].arity = 9;
    WRONG("bad flags") functions[0].flags = 8;
    WRONG("both flags") functions[0].flags = 3;
    WRONG("another variant") entry.vm_variant = "beam.other";
    WRONG("no upgrade") entry.upgrade = NULL;
    WRONG("no load") entry.load = NULL;
    WRONG("no unload") entry.unload = NULL;
    WRONG("no functions") entry.num_of_funcs = 0;
    WRONG("no entry") return NULL;
    return &entry;
}

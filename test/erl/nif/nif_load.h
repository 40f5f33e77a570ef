/* A library that does what nif_load.erl asks for; each nif_load_*.c makes one of its kinds. */
#include <erl_nif.h>

#include <string.h>

#ifndef MODULE
#define MODULE nif_load_m
#endif
#ifndef NIF_FLAGS
#define NIF_FLAGS 0
#endif

static ERL_NIF_TERM which(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int *count = enif_priv_data(env);
    return enif_make_tuple2(env, enif_make_atom(env, LIBRARY), enif_make_int(env, count ? *count : -1));
}

#ifndef FUNCTIONS
#define FUNCTIONS {"which", 0, which, NIF_FLAGS}
#endif
static ErlNifFunc functions[] = {FUNCTIONS};

/* load_info is what to return, or {Pid}: told when the library is unloaded. */
static int counter;
static ErlNifPid told;
static int has_told;

static int start(ErlNifEnv *env, ERL_NIF_TERM info) {
    int result, arity;
    const ERL_NIF_TERM *elements;
    if (enif_get_int(env, info, &result))
        return result;
    if (enif_get_tuple(env, info, &arity, &elements) && arity == 1)
        has_told = enif_get_local_pid(env, elements[0], &told);
    return 0;
}

static void tell(ErlNifEnv *env, const char *what) {
    if (!has_told)
        return;
    ErlNifEnv *message = enif_alloc_env();
    enif_send(env, &told, message,
              enif_make_tuple3(message, enif_make_atom(message, "library"), enif_make_atom(message, LIBRARY),
                               enif_make_atom(message, what)));
    enif_free_env(message);
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    counter = 1;
    *priv_data = &counter;
    int result = start(env, info);
    tell(env, "load");
    return result;
}

static int upgrade(ErlNifEnv *env, void **priv_data, void **old_priv_data, ERL_NIF_TERM info) {
    counter = *old_priv_data ? **(int **)old_priv_data + 1 : 100;
    *priv_data = &counter;
    int result = start(env, info);
    tell(env, "upgrade");
    return result;
}

static void unload(ErlNifEnv *env, void *priv_data) { tell(env, priv_data == &counter ? "unload" : "wrong unload"); }

#ifndef INIT
#define INIT(name) ERL_NIF_INIT(name, functions, load, NULL, upgrade, unload)
#endif
INIT(MODULE)

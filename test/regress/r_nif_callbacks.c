/* Types of resources with callbacks and without, a monitor, and how the library came. It is bound to the module that
 * r_nif_callbacks makes. */
#include <erl_nif.h>

static ErlNifResourceType *plain, *watching;
static void *kept;

static void destroyed(ErlNifEnv *env, void *object) {}
static void ended(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) {}

static int open_types(ErlNifEnv *env) {
    ErlNifResourceTypeInit init = {.dtor = destroyed, .down = ended};
    plain = enif_open_resource_type(env, NULL, "plain", NULL, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    watching = enif_open_resource_type_x(env, "watching", &init, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    return plain == NULL || watching == NULL;
}
static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    *priv_data = "loaded";
    return open_types(env);
}
static int upgrade(ErlNifEnv *env, void **priv_data, void **old_priv_data, ERL_NIF_TERM info) {
    *priv_data = "upgraded";
    return open_types(env);
}
static ERL_NIF_TERM how(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_atom(env, enif_priv_data(env));
}
static ERL_NIF_TERM make_plain(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *object = enif_alloc_resource(plain, 8);
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    return term;
}
static ERL_NIF_TERM watch(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid pid;
    if (!enif_get_local_pid(env, argv[0], &pid))
        return enif_make_badarg(env);
    kept = enif_alloc_resource(watching, 8);
    return enif_make_int(env, enif_monitor_process(env, kept, &pid, NULL));
}
/* Is this the object that watches? */
static ERL_NIF_TERM is_it(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *object;
    return enif_make_atom(env, enif_get_resource(env, argv[0], watching, &object) && object == kept ? "true" : "false");
}
static ERL_NIF_TERM drop(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    enif_release_resource(kept);
    return enif_make_atom(env, "ok");
}

static ErlNifFunc functions[] = {
    {"how", 0, how, 0},   {"make_plain", 0, make_plain, 0}, {"watch", 1, watch, 0}, {"is_it", 1, is_it, 0},
    {"drop", 0, drop, 0},
};
ERL_NIF_INIT(r_nif_callbacks_m, functions, load, NULL, upgrade, NULL)

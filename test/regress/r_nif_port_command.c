/* Commands to ports with what stands in an environment; a type of objects that is opened with the name of a module. */
#include <erl_nif.h>

/* The same message twice, then a term of its environment. */
static ERL_NIF_TERM twice(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPort port;
    if (!enif_get_local_port(env, argv[0], &port))
        return enif_make_badarg(env);
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM message = enif_make_copy(own, argv[1]);
    int first = enif_port_command(env, &port, own, message);
    for (int i = 0; i < 100; i++)
        enif_make_int(own, i);
    int second = enif_port_command(env, &port, own, message);
    ERL_NIF_TERM left = enif_make_copy(env, message);
    enif_free_env(own);
    return enif_make_tuple3(env, enif_make_int(env, first), enif_make_int(env, second), left);
}

static ERL_NIF_TERM by_own(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPort port;
    if (!enif_get_local_port(env, argv[0], &port))
        return enif_make_badarg(env);
    return enif_make_int(env, enif_port_command(env, &port, env, argv[1]));
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    return enif_open_resource_type(env, "a_module", "a_type", NULL, ERL_NIF_RT_CREATE, NULL) == NULL;
}

static ErlNifFunc functions[] = {{"twice", 2, twice, 0}, {"by_own", 2, by_own, 0}};
ERL_NIF_INIT(r_nif_port_command, functions, load, NULL, NULL, NULL)

/* A select with a message of its own, which holds the last reference to an object. */
#include "erl_nif.h"

static ErlNifResourceType *user_type, *kept_type;
static int destroyed;

static void stop(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct) {}
static void destroy(ErlNifEnv *env, void *object) { destroyed++; }

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit of_user = {.stop = stop}, of_kept = {.dtor = destroy};
    user_type = enif_open_resource_type_x(env, "user", &of_user, ERL_NIF_RT_CREATE, NULL);
    kept_type = enif_open_resource_type_x(env, "kept", &of_kept, ERL_NIF_RT_CREATE, NULL);
    return 0;
}

/* Of descriptor and directions: has it failed, and taken the message? */
static ERL_NIF_TERM fails_and_takes(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int fd, mode;
    if (!enif_get_int(env, argv[0], &fd) || !enif_get_int(env, argv[1], &mode))
        return enif_make_badarg(env);
    void *user = enif_alloc_resource(user_type, 8), *kept = enif_alloc_resource(kept_type, 8);
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM message = enif_make_resource(own, kept);
    enif_release_resource(kept);
    destroyed = 0;
    int result = enif_select_x(env, fd, mode | ERL_NIF_SELECT_CUSTOM_MSG, user, NULL, message, own);
    int is_taken = result < 0 && destroyed;
    enif_free_env(own);
    enif_release_resource(user);
    return enif_make_atom(env, is_taken ? "true" : "false");
}

static ErlNifFunc functions[] = {{"fails_and_takes", 2, fails_and_takes}};
ERL_NIF_INIT(r_select_env_kept, functions, load, NULL, NULL, NULL)

/* A dirty call that has a lock, and a resource whose destructor waits for it. */
#include "../erl/nif/nif_test.h"

#include <stdatomic.h>
#include <unistd.h>

static ErlNifMutex *lock;
static ErlNifResourceType *type;
static atomic_int is_held, is_seen, has_begun;

static void destroy(ErlNifEnv *env, void *object) {
    atomic_store(&has_begun, 1);
    enif_mutex_lock(lock);
    enif_mutex_unlock(lock);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    lock = enif_mutex_create("r_dirty_destructor");
    type = enif_open_resource_type(env, NULL, "resource", destroy, ERL_NIF_RT_CREATE, NULL);
    return type == NULL;
}

NIF(resource) {
    void *object = enif_alloc_resource(type, 16);
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    return term;
}

/* Takes the lock; when that was seen it waits a while for the destructor to come, and sends and asks with the lock. */
NIF(hold) {
    ErlNifPid to;
    enif_get_local_pid(env, argv[0], &to);
    enif_mutex_lock(lock);
    atomic_store(&is_held, 1);
    while (!atomic_load(&is_seen))
        usleep(1000);
    atomic_store(&has_begun, 0);
    for (int i = 0; i < 200 && !atomic_load(&has_begun); i++)
        usleep(1000);
    enif_send(env, &to, NULL, enif_make_atom(env, "sent"));
    int alive = enif_is_current_process_alive(env);
    enif_mutex_unlock(lock);
    atomic_store(&is_held, 0);
    atomic_store(&is_seen, 0);
    return enif_make_atom(env, alive ? "alive" : "dead");
}

NIF(held) {
    if (!atomic_load(&is_held))
        return enif_make_atom(env, "false");
    atomic_store(&is_seen, 1);
    return enif_make_atom(env, "true");
}

static ErlNifFunc functions[] = {
    {"resource", 0, resource, 0}, {"hold", 1, hold, ERL_NIF_DIRTY_JOB_CPU_BOUND}, {"held", 0, held, 0}};
ERL_NIF_INIT(r_dirty_destructor, functions, load, NULL, NULL, NULL)

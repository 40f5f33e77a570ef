/* An object whose destructor takes the library's lock; its last reference lies in the message of a select, to a process
 * that is gone. Who holds the lock lets the message be sent, waits for the destructor, and cancels the select. */
#include <unistd.h>

#include "erl_nif.h"

static ErlNifResourceType *user_type, *kept_type;
static ErlNifMutex *lock, *state_lock;
static ErlNifCond *state_changed;
static int entered, left;

static void stop(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct) {}

static void note(int *state) {
    enif_mutex_lock(state_lock);
    ++*state;
    enif_cond_broadcast(state_changed);
    enif_mutex_unlock(state_lock);
}
static void wait_for(const int *state) {
    enif_mutex_lock(state_lock);
    while (*state == 0)
        enif_cond_wait(state_changed, state_lock);
    enif_mutex_unlock(state_lock);
}

static void destroy(ErlNifEnv *env, void *object) {
    note(&entered);
    enif_mutex_lock(lock);
    enif_mutex_unlock(lock);
    note(&left);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit of_user = {.stop = stop}, of_kept = {.dtor = destroy};
    user_type = enif_open_resource_type_x(env, "user", &of_user, ERL_NIF_RT_CREATE, NULL);
    kept_type = enif_open_resource_type_x(env, "kept", &of_kept, ERL_NIF_RT_CREATE, NULL);
    lock = enif_mutex_create("lock");
    state_lock = enif_mutex_create("state");
    state_changed = enif_cond_create("changed");
    return 0;
}

/* For a process that is gone. */
static ERL_NIF_TERM cancel_meanwhile(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid gone;
    int ends[2];
    if (!enif_get_local_pid(env, argv[0], &gone) || pipe(ends) != 0)
        return enif_make_badarg(env);
    void *user = enif_alloc_resource(user_type, 8), *kept = enif_alloc_resource(kept_type, 8);
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM message = enif_make_resource(own, kept);
    enif_release_resource(kept);
    enif_mutex_lock(lock);
    int waits = enif_select_read(env, ends[0], user, &gone, message, own);
    enif_free_env(own);
    (void)!write(ends[1], "x", 1);
    wait_for(&entered);
    int cancelled = enif_select(env, ends[0], ERL_NIF_SELECT_READ | ERL_NIF_SELECT_CANCEL, user, NULL, argv[0]);
    enif_mutex_unlock(lock);
    wait_for(&left);
    enif_select(env, ends[0], ERL_NIF_SELECT_STOP, user, NULL, argv[0]);
    enif_release_resource(user);
    close(ends[0]);
    close(ends[1]);
    return enif_make_tuple2(env, enif_make_int(env, waits), enif_make_int(env, cancelled));
}

static ErlNifFunc functions[] = {{"cancel_meanwhile", 1, cancel_meanwhile, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(r_select_destructor_waits, functions, load, NULL, NULL, NULL)

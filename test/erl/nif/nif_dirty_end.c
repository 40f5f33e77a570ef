/* Dirty functions that wait until they are told to return, whatever becomes of their processes. */
#include "nif_test.h"

#define GATES 100
#define SECONDS 60

static ErlNifMutex *lock;
static ErlNifCond *changed;
static int is_open[GATES], destroyed, have_lived;
static ErlNifEnv *kept[GATES];
static ERL_NIF_TERM kept_term[GATES];
static ErlNifResourceType *type;

static int send(ErlNifEnv *env, ERL_NIF_TERM to, ERL_NIF_TERM message) {
    ErlNifPid pid;
    return enif_get_local_pid(env, to, &pid) && enif_send(env, &pid, NULL, message);
}

static int wait_for(int gate) {
    ErlNifTime end = enif_monotonic_time(ERL_NIF_SEC) + SECONDS;
    enif_mutex_lock(lock);
    while (!is_open[gate] && enif_monotonic_time(ERL_NIF_SEC) < end)
        enif_cond_wait(changed, lock);
    int result = is_open[gate];
    enif_mutex_unlock(lock);
    return result;
}

/* wait(Gate, To, Term): {begun, Gate, Alive} goes to To. When the gate is open {Alive, Sent, Self, Term} is kept, for
 * result(Gate). */
NIF(wait) {
    int gate = int_of(env, argv[0]);
    ErlNifPid self;
    send(env, argv[1],
         enif_make_tuple3(env, atom(env, "begun"), argv[0], boolean(env, enif_is_current_process_alive(env))));
    if (!wait_for(gate))
        return atom(env, "never");
    enif_self(env, &self);
    ErlNifEnv *own = enif_alloc_env();
    int alive = enif_is_current_process_alive(env), sent = send(env, argv[1], argv[2]);
    ERL_NIF_TERM term = enif_make_tuple4(own, boolean(own, alive), boolean(own, sent), enif_make_pid(own, &self),
                                         enif_make_copy(own, argv[2]));
    enif_mutex_lock(lock);
    ErlNifEnv *before = kept[gate];
    kept[gate] = own;
    kept_term[gate] = term;
    enif_mutex_unlock(lock);
    if (before != NULL)
        enif_free_env(before);
    return atom(env, "waited");
}

NIF(result) {
    enif_mutex_lock(lock);
    ErlNifEnv *own = kept[int_of(env, argv[0])];
    ERL_NIF_TERM term = own != NULL ? enif_make_copy(env, kept_term[int_of(env, argv[0])]) : atom(env, "none");
    enif_mutex_unlock(lock);
    return term;
}

/* A list cell for each time that the process was found alive, until it is not. */
NIF(live) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    send(env, argv[0], atom(env, "lives"));
    while (enif_is_current_process_alive(env))
        list = enif_make_list_cell(env, atom(env, "alive"), list);
    enif_mutex_lock(lock);
    have_lived = 1;
    enif_mutex_unlock(lock);
    return list;
}

NIF(has_lived) {
    enif_mutex_lock(lock);
    int result = have_lived;
    enif_mutex_unlock(lock);
    return boolean(env, result);
}

NIF(open) {
    enif_mutex_lock(lock);
    is_open[int_of(env, argv[0])] = 1;
    enif_cond_broadcast(changed);
    enif_mutex_unlock(lock);
    return atom(env, "ok");
}

static void destroy(ErlNifEnv *env, void *object) {
    enif_mutex_lock(lock);
    destroyed++;
    enif_mutex_unlock(lock);
}

NIF(object) {
    void *object = enif_alloc_resource(type, 100);
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    return term;
}

NIF(count_destroyed) {
    enif_mutex_lock(lock);
    int count = destroyed;
    enif_mutex_unlock(lock);
    return enif_make_int(env, count);
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    lock = enif_mutex_create("nif_dirty_end");
    changed = enif_cond_create("nif_dirty_end");
    type = enif_open_resource_type(env, NULL, "object", destroy, ERL_NIF_RT_CREATE, NULL);
    return 0;
}

static ErlNifFunc functions[] = {
    {"wait_cpu", 3, wait, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"wait_io", 3, wait, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"live", 1, live, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"has_lived", 0, has_lived, 0},
    {"open", 1, open, 0},
    {"result", 1, result, 0},
    {"object", 0, object, 0},
    {"count_destroyed", 0, count_destroyed, 0},
};

ERL_NIF_INIT(nif_dirty_end, functions, load, NULL, NULL, NULL)

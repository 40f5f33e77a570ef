/*
 * A library that is replaced while it is used: each instance has a thread that sends to whoever has asked for it, and
 * objects that outlive it. Counts of all that happens pass from instance to instance; the last one prints nothing, it
 * tells them to the process that the first one was given.
 */
#include "nif_test.h"

#include <stdatomic.h>
#include <time.h>

#ifndef VERSION
#define VERSION 1
#endif

typedef struct {
    atomic_long instances, created, destroyed, downs, sent, threads_ended, unloaded;
    ErlNifPid listener;
} Counts;

typedef struct {
    Counts *counts;
    ErlNifMutex *lock;
    ErlNifPid receivers[64]; /* under lock */
    int count;
    atomic_int stop;
    ErlNifTid thread;
} Instance;

typedef struct {
    Counts *counts;
    int number;
    ErlNifBinary bin;
    ErlNifMonitor monitor;
} Object;

static ErlNifResourceType *type;

static void died(ErlNifEnv *env, void *object) {
    Object *o = object;
    enif_release_binary(&o->bin);
    atomic_fetch_add(&o->counts->destroyed, 1);
}
static void went_down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) {
    atomic_fetch_add(&((Object *)object)->counts->downs, 1);
}

static void *sender(void *data) {
    Instance *i = data;
    ErlNifEnv *own = enif_alloc_env();
    for (int n = 0; !atomic_load(&i->stop); n++) {
        struct timespec moment = {0, 50000};
        ErlNifPid to;
        enif_mutex_lock(i->lock);
        int any = i->count > 0;
        if (any)
            to = i->receivers[n % i->count];
        enif_mutex_unlock(i->lock);
        if (any) {
            ERL_NIF_TERM bin;
            memset(enif_make_new_binary(own, 100, &bin), n & 255, 100);
            ERL_NIF_TERM message = enif_make_tuple3(own, atom(own, "tick"), enif_make_int(own, n), bin);
            atomic_fetch_add(&i->counts->sent, enif_send(NULL, &to, n % 2 ? own : NULL, message));
            enif_clear_env(own);
        }
        nanosleep(&moment, NULL);
    }
    enif_free_env(own);
    atomic_fetch_add(&i->counts->threads_ended, 1);
    return NULL;
}

NIF(version) { return enif_make_int(env, VERSION); }

/* new(Number, Pid or none): an object with memory of its own that watches the process. */
NIF(new) {
    Instance *i = enif_priv_data(env);
    ErlNifPid pid;
    Object *o = enif_alloc_resource(type, sizeof *o);
    o->counts = i->counts;
    o->number = int_of(env, argv[0]);
    enif_alloc_binary(200, &o->bin);
    memset(o->bin.data, o->number & 255, 200);
    atomic_fetch_add(&i->counts->created, 1);
    if (enif_get_local_pid(env, argv[1], &pid))
        enif_monitor_process(env, o, &pid, &o->monitor);
    ERL_NIF_TERM term = enif_make_resource(env, o);
    enif_release_resource(o);
    return term;
}
NIF(look) {
    void *object;
    if (!enif_get_resource(env, argv[0], type, &object))
        return atom(env, "no");
    Object *o = object;
    return enif_make_tuple2(env, enif_make_int(env, o->number), binary(env, o->bin.data, o->bin.size));
}
NIF(listen) {
    Instance *i = enif_priv_data(env);
    enif_mutex_lock(i->lock);
    if (i->count < (int)COUNT(i->receivers))
        enif_self(env, &i->receivers[i->count++]);
    enif_mutex_unlock(i->lock);
    return atom(env, "ok");
}
NIF(many) {
    Instance *i = enif_priv_data(env);
    for (int n = int_of(env, argv[0]); n > 0; n--) {
        Object *o = enif_alloc_resource(type, sizeof *o);
        o->counts = i->counts;
        o->number = n;
        enif_alloc_binary(10, &o->bin);
        atomic_fetch_add(&i->counts->created, 1);
        enif_make_resource(env, o);
        enif_release_resource(o);
    }
    return atom(env, "ok");
}

static int begin(ErlNifEnv *env, void **priv_data, Counts *counts) {
    Instance *i = enif_alloc(sizeof *i);
    ErlNifResourceTypeInit init = {.dtor = died, .down = went_down, .members = 3};
    memset(i, 0, sizeof *i);
    i->counts = counts;
    i->lock = enif_mutex_create("receivers");
    atomic_fetch_add(&counts->instances, 1);
    type = enif_init_resource_type(env, "object", &init, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    *priv_data = i;
    return !type || enif_thread_create("ticks", &i->thread, sender, i, NULL);
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    Counts *counts = enif_alloc(sizeof *counts);
    memset(counts, 0, sizeof *counts);
    enif_get_local_pid(env, info, &counts->listener);
    return begin(env, priv_data, counts);
}
static int upgrade(ErlNifEnv *env, void **priv_data, void **old_priv_data, ERL_NIF_TERM info) {
    return begin(env, priv_data, ((Instance *)*old_priv_data)->counts);
}

static void unload(ErlNifEnv *env, void *priv_data) {
    Instance *i = priv_data;
    Counts *c = i->counts;
    atomic_store(&i->stop, 1);
    enif_thread_join(i->thread, NULL);
    enif_mutex_destroy(i->lock);
    enif_free(i);
    if (atomic_fetch_add(&c->unloaded, 1) + 1 < c->instances)
        return;
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM counts = enif_make_list6(own, enif_make_long(own, c->instances), enif_make_long(own, c->threads_ended),
                                          enif_make_long(own, c->created), enif_make_long(own, c->destroyed),
                                          enif_make_long(own, c->sent), enif_make_long(own, c->downs));
    enif_send(env, &c->listener, own, enif_make_tuple2(own, atom(own, "last_unloaded"), counts));
    enif_free_env(own);
    enif_free(c);
}

static ErlNifFunc functions[] = {
    {"version", 0, version, 0}, {"new", 2, new, 0},   {"look", 1, look, 0},
    {"listen", 0, listen, 0},   {"many", 1, many, 0}, {"many_dirty", 1, many, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};
ERL_NIF_INIT(nif_soaked, functions, load, NULL, upgrade, unload)

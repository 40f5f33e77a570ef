/*
 * The library of the storm: one source for storm_native (never unloaded), for storm_lib (loaded, replaced and purged
 * under its callers) and for storm_tracer. What is made is counted, and so is what goes.
 */
#include <erl_nif.h>

#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MADE, GONE, SELECTED, STOPPED, MONITORS, DOWNS, THREADS, COUNTS };
static _Atomic long counts[COUNTS];
static ErlNifResourceType *thing_type;

typedef struct {
    ErlNifMonitor monitor;
    int fd[2]; /* -1: none */
    _Atomic int is_selected;
    unsigned char check[64];
} Thing;

static void count(int which) { atomic_fetch_add(&counts[which], 1); }

static void thing_gone(ErlNifEnv *env, void *object) {
    Thing *t = object;
    for (int i = 0; i < 2; i++)
        if (t->fd[i] >= 0)
            close(t->fd[i]);
    memset(t->check, 0xdd, sizeof t->check);
    count(GONE);
}
static void thing_stop(ErlNifEnv *env, void *object, ErlNifEvent fd, int is_direct) { count(STOPPED); }
static void thing_down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) { count(DOWNS); }

static int open_types(ErlNifEnv *env) {
    ErlNifResourceTypeInit init = {.dtor = thing_gone, .stop = thing_stop, .down = thing_down};
    thing_type = enif_open_resource_type_x(env, "thing", &init, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    return thing_type == NULL;
}
static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) { return open_types(env); }
static int upgrade(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info) { return open_types(env); }
static void unload(ErlNifEnv *env, void *data) {}

static ERL_NIF_TERM ok(ErlNifEnv *env) { return enif_make_atom(env, "ok"); }

static ERL_NIF_TERM echo(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return argv[0]; }

/* Sums a list, slowly: sleeps for so many microseconds. */
static ERL_NIF_TERM slow_sum(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    long sum = 0, each;
    ERL_NIF_TERM list = argv[0], head;
    int us;
    if (!enif_get_int(env, argv[1], &us))
        return enif_make_badarg(env);
    usleep((unsigned)us);
    while (enif_get_list_cell(env, list, &head, &list))
        sum += enif_get_long(env, head, &each) ? each : 0;
    return enif_make_long(env, sum);
}

/* in_parts(N, Sum): on a scheduler, on dirty threads, in turn. */
static ERL_NIF_TERM in_parts(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    static const int kinds[] = {0, ERL_NIF_DIRTY_JOB_CPU_BOUND, 0, ERL_NIF_DIRTY_JOB_IO_BOUND};
    long left, sum;
    if (!enif_get_long(env, argv[0], &left) || !enif_get_long(env, argv[1], &sum))
        return enif_make_badarg(env);
    if (left == 0)
        return enif_make_tuple2(env, argv[1], argv[2]);
    ERL_NIF_TERM next[] = {enif_make_long(env, left - 1), enif_make_long(env, sum + left), argv[2]};
    return enif_schedule_nif(env, "in_parts", kinds[left % 4], in_parts, 3, next);
}

static ERL_NIF_TERM make(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = enif_alloc_resource(thing_type, sizeof *t);
    memset(t, 0, sizeof *t);
    memset(t->check, 0x5a, sizeof t->check);
    t->fd[0] = t->fd[1] = -1;
    ERL_NIF_TERM term = enif_make_resource(env, t);
    enif_release_resource(t);
    count(MADE);
    return term;
}

static Thing *thing_of(ErlNifEnv *env, ERL_NIF_TERM term) {
    void *object;
    return enif_get_resource(env, term, thing_type, &object) ? object : NULL;
}

/* As it was made: whoever has it sees it whole. */
static ERL_NIF_TERM is_whole(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    if (t == NULL)
        return enif_make_badarg(env);
    for (size_t i = 0; i < sizeof t->check; i++)
        if (t->check[i] != 0x5a)
            return enif_make_atom(env, "false");
    return enif_make_atom(env, "true");
}

static ERL_NIF_TERM watch(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    ErlNifPid pid;
    if (t == NULL || !enif_get_local_pid(env, argv[1], &pid))
        return enif_make_badarg(env);
    if (enif_monitor_process(env, t, &pid, &t->monitor) != 0)
        return enif_make_atom(env, "noproc");
    count(MONITORS);
    return ok(env);
}

static ERL_NIF_TERM unwatch(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    if (t == NULL)
        return enif_make_badarg(env);
    int failed = enif_demonitor_process(env, t, &t->monitor);
    return enif_make_atom(env, failed ? "false" : "true");
}

/* select(Thing, Pid, Message): told when the pipe can be read. */
static ERL_NIF_TERM select_read(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    ErlNifPid pid;
    if (t == NULL || !enif_get_local_pid(env, argv[1], &pid))
        return enif_make_badarg(env);
    if (t->fd[0] < 0 && pipe(t->fd) != 0)
        return enif_make_atom(env, "no_pipe");
    if (!atomic_exchange(&t->is_selected, 1))
        count(SELECTED);
    return enif_make_int(env, enif_select_read(env, t->fd[0], t, &pid, argv[2], NULL));
}

static ERL_NIF_TERM write_byte(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    if (t == NULL || t->fd[1] < 0)
        return enif_make_badarg(env);
    return write(t->fd[1], "x", 1) == 1 ? ok(env) : enif_make_badarg(env);
}

static ERL_NIF_TERM cancel(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    if (t == NULL || t->fd[0] < 0)
        return enif_make_badarg(env);
    return enif_make_int(env, enif_select(env, t->fd[0], ERL_NIF_SELECT_READ | ERL_NIF_SELECT_CANCEL, t, NULL, 0));
}

static ERL_NIF_TERM stop(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Thing *t = thing_of(env, argv[0]);
    if (t == NULL || !atomic_exchange(&t->is_selected, 0))
        return enif_make_badarg(env);
    return enif_make_int(env, enif_select(env, t->fd[0], ERL_NIF_SELECT_STOP, t, NULL, 0));
}

typedef struct {
    ErlNifEnv *env;
    ErlNifPid to;
    ERL_NIF_TERM term;
    int times;
} Sender;

static void *send_all(void *data) {
    Sender *s = data;
    for (int i = 0; i < s->times; i++) {
        ErlNifEnv *env = enif_alloc_env();
        ERL_NIF_TERM term = enif_make_copy(env, s->term);
        enif_send(NULL, &s->to, env, enif_make_tuple3(env, enif_make_atom(env, "sent"), enif_make_int(env, i), term));
        enif_free_env(env);
    }
    enif_free_env(s->env);
    enif_free(s);
    atomic_fetch_sub(&counts[THREADS], 1);
    return NULL;
}

/* A thread sends a term so many times. */
static ERL_NIF_TERM send_by_thread(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Sender *s = enif_alloc(sizeof *s);
    ErlNifTid tid;
    if (s == NULL)
        return enif_make_atom(env, "no_memory");
    s->env = enif_alloc_env();
    s->term = enif_make_copy(s->env, argv[1]);
    if (!enif_get_local_pid(env, argv[0], &s->to) || !enif_get_int(env, argv[2], &s->times)) {
        enif_free_env(s->env);
        enif_free(s);
        return enif_make_badarg(env);
    }
    count(THREADS);
    if (enif_thread_create("storm", &tid, send_all, s, NULL) != 0) {
        atomic_fetch_sub(&counts[THREADS], 1);
        enif_free_env(s->env);
        enif_free(s);
        return enif_make_atom(env, "no_thread");
    }
    enif_thread_join(tid, NULL);
    return ok(env);
}

static ERL_NIF_TERM figures(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM all[COUNTS];
    for (int i = 0; i < COUNTS; i++)
        all[i] = enif_make_long(env, atomic_load(&counts[i]));
    return enif_make_tuple_from_array(env, all, COUNTS);
}

/* A tracer: its state is what it answers, or {Answer, ...}. */
static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    const ERL_NIF_TERM *elements;
    int arity;
    return enif_get_tuple(env, argv[1], &arity, &elements) ? elements[0] : argv[1];
}
static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return ok(env); }

#ifdef STORM_TRACER
static ErlNifFunc functions[] = {{"enabled", 3, enabled, 0}, {"trace", 5, trace, 0}};
ERL_NIF_INIT(storm_tracer, functions, NULL, NULL, NULL, NULL)
#else
static ErlNifFunc functions[] = {
    {"echo", 1, echo, 0},
    {"slow", 2, slow_sum, 0},
    {"slow_cpu", 2, slow_sum, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"slow_io", 2, slow_sum, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"in_parts", 3, in_parts, 0},
    {"make", 0, make, 0},
    {"is_whole", 1, is_whole, 0},
    {"watch", 2, watch, 0},
    {"unwatch", 1, unwatch, 0},
    {"select_read", 3, select_read, 0},
    {"write_byte", 1, write_byte, 0},
    {"cancel", 1, cancel, 0},
    {"stop", 1, stop, 0},
    {"send_by_thread", 3, send_by_thread, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"figures", 0, figures, 0},
};
#ifdef STORM_LIB
ERL_NIF_INIT(storm_lib, functions, load, NULL, upgrade, unload)
#else
ERL_NIF_INIT(storm_lib_kept, functions, load, NULL, upgrade, unload)
#endif
#endif

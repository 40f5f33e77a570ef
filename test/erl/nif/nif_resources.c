/* Resources: types, life and death, monitors, calls into other libraries' objects. */
#include "nif_test.h"

/* An object tells its owner what happens to it. */
typedef struct {
    ErlNifPid owner;
    int number;
    ErlNifMonitor monitor;
} Object;

static ErlNifResourceType *plain, *watching, *old_style, *without_dtor;

static void tell(ErlNifEnv *env, Object *o, ERL_NIF_TERM (*content)(ErlNifEnv *, Object *, const char *),
                 const char *what) {
    ErlNifEnv *own = enif_alloc_env();
    enif_send(env, &o->owner, own, content(own, o, what));
    enif_free_env(own);
}
static ERL_NIF_TERM numbered(ErlNifEnv *env, Object *o, const char *what) {
    return enif_make_tuple2(env, atom(env, what), enif_make_int(env, o->number));
}

static void died(ErlNifEnv *env, void *object) { tell(env, object, numbered, "died"); }
static void watcher_died(ErlNifEnv *env, void *object) { tell(env, object, numbered, "watcher_died"); }
static void old_died(ErlNifEnv *env, void *object) { tell(env, object, numbered, "old_died"); }

/* The message says whether it is the monitor of the object, and who ended. */
static void down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) {
    Object *o = object;
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM message =
        enif_make_tuple5(own, atom(own, "down"), enif_make_int(own, o->number), enif_make_pid(own, pid),
                         boolean(own, enif_compare_monitors(monitor, &o->monitor) == 0),
                         boolean(own, enif_is_ref(own, enif_make_monitor_term(own, monitor))));
    enif_send(env, &o->owner, own, message);
    enif_free_env(own);
}

/* Another one's data: the number is told, and doubled. */
static void dyncall(ErlNifEnv *env, void *object, void *data) {
    Object *o = object;
    int *number = data;
    tell(env, o, numbered, "called");
    *number += o->number;
}

static Object *new_object(ErlNifEnv *env, ErlNifResourceType *type, int number, ERL_NIF_TERM owner, size_t more) {
    Object *o = enif_alloc_resource(type, sizeof *o + more);
    enif_get_local_pid(env, owner, &o->owner);
    o->number = number;
    memset(&o->monitor, 0, sizeof o->monitor);
    return o;
}

static ErlNifResourceType *type_of(ErlNifEnv *env, ERL_NIF_TERM name) {
    return enif_is_identical(name, atom(env, "watching"))       ? watching
           : enif_is_identical(name, atom(env, "old_style"))    ? old_style
           : enif_is_identical(name, atom(env, "without_dtor")) ? without_dtor
                                                                : plain;
}

static Object *object_of(ErlNifEnv *env, ERL_NIF_TERM term) {
    void *object = NULL;
    if (enif_get_resource(env, term, plain, &object) || enif_get_resource(env, term, watching, &object) ||
        enif_get_resource(env, term, old_style, &object))
        return object;
    return NULL;
}

/* new(Type, Number, Owner): held by the term alone. */
NIF(new) {
    Object *o = new_object(env, type_of(env, argv[0]), int_of(env, argv[1]), argv[2], 100);
    ERL_NIF_TERM term = enif_make_resource(env, o);
    enif_release_resource(o);
    return term;
}

/* Without a term: dies at once when it is released. */
NIF(never_a_term) {
    Object *o = new_object(env, plain, int_of(env, argv[0]), argv[1], 0);
    enif_keep_resource(o);
    enif_release_resource(o);
    enif_release_resource(o);
    return atom(env, "ok");
}

NIF(look) {
    Object *o = object_of(env, argv[0]);
    return o ? enif_make_tuple2(env, enif_make_int(env, o->number),
                                enif_make_uint64(env, enif_sizeof_resource(o) - sizeof(Object)))
             : atom(env, "no");
}

NIF(is_of) {
    void *object = NULL;
    int ok = enif_get_resource(env, argv[0], type_of(env, argv[1]), &object);
    return boolean(env, ok);
}

/* Held by the library alone. */
static Object *kept;
NIF(keep_away) {
    kept = object_of(env, argv[0]);
    enif_keep_resource(kept);
    return atom(env, "ok");
}
NIF(bring_back) {
    ERL_NIF_TERM term = enif_make_resource(env, kept);
    enif_release_resource(kept);
    kept = NULL;
    return term;
}

/* Two terms of one object are the same reference. */
NIF(two_terms) {
    Object *o = new_object(env, plain, int_of(env, argv[0]), argv[1], 0);
    ERL_NIF_TERM a = enif_make_resource(env, o), b = enif_make_resource(env, o);
    enif_release_resource(o);
    return enif_make_tuple4(env, a, b, boolean(env, enif_is_identical(a, b)), boolean(env, enif_compare(a, b) == 0));
}

/* A binary that is the object's own memory; shows(Binary) writes into it, and says whether the term shows that. */
NIF(shows) {
    void *found = NULL;
    ErlNifBinary bytes;
    if (!enif_get_resource(env, argv[0], plain, &found) || !enif_inspect_binary(env, argv[0], &bytes))
        return atom(env, "no_resource");
    unsigned char *own = (unsigned char *)((Object *)found + 1);
    if (bytes.size > 0)
        own[bytes.size - 1]++;
    return enif_make_tuple2(env, boolean(env, bytes.data == own), argv[0]);
}

NIF(own_binary) {
    int size = int_of(env, argv[1]);
    Object *o = new_object(env, plain, int_of(env, argv[0]), argv[2], (size_t)size);
    memset(o + 1, 'r', (size_t)size);
    ERL_NIF_TERM term = enif_make_resource_binary(env, o, o + 1, (size_t)size);
    void *found = NULL;
    int is_resource = enif_get_resource(env, term, plain, &found);
    enif_release_resource(o);
    return enif_make_tuple3(env, term, boolean(env, enif_is_binary(env, term)), boolean(env, is_resource));
}

NIF(monitor) {
    ErlNifPid pid;
    Object *o = object_of(env, argv[0]);
    if (!o || !enif_get_local_pid(env, argv[1], &pid))
        return enif_make_badarg(env);
    return enif_make_int(env, enif_monitor_process(env, o, &pid, &o->monitor));
}
/* NULL for the monitor is allowed. */
NIF(monitor_unnamed) {
    ErlNifPid pid;
    Object *o = object_of(env, argv[0]);
    if (!o || !enif_get_local_pid(env, argv[1], &pid))
        return enif_make_badarg(env);
    return enif_make_int(env, enif_monitor_process(env, o, &pid, NULL));
}
NIF(demonitor) {
    Object *o = object_of(env, argv[0]);
    int answer = enif_demonitor_process(env, o, &o->monitor);
    return enif_make_int(env, answer > 0 ? 1 : answer);
}
NIF(monitor_terms) {
    Object *a = object_of(env, argv[0]), *b = object_of(env, argv[1]);
    int order = enif_compare_monitors(&a->monitor, &b->monitor), back = enif_compare_monitors(&b->monitor, &a->monitor);
    return enif_make_tuple5(env, boolean(env, (order < 0) == (back > 0)), boolean(env, order == 0),
                            boolean(env, enif_compare_monitors(&a->monitor, &a->monitor) == 0),
                            enif_make_monitor_term(env, &a->monitor), enif_make_monitor_term(env, &b->monitor));
}

/* dynamic(Module, Type, Term): the other's function adds to the number. */
NIF(dynamic) {
    int number = 100;
    int status = enif_dynamic_resource_call(env, argv[0], argv[1], argv[2], &number);
    return enif_make_tuple2(env, enif_make_int(env, status), enif_make_int(env, number));
}

NIF(many) {
    for (int i = int_of(env, argv[0]); i > 0; i--) {
        void *object = enif_alloc_resource(without_dtor, (size_t)(i % 200));
        enif_make_resource(env, object);
        enif_release_resource(object);
    }
    return atom(env, "ok");
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceFlags tried = 0;
    ErlNifResourceTypeInit with_all = {.dtor = watcher_died, .down = down, .members = 4, .dyncall = dyncall};
    ErlNifResourceTypeInit nothing = {.members = 0};
    ErlNifResourceTypeInit only_dtor = {.dtor = old_died};
    plain = enif_open_resource_type(env, NULL, "plain", died, ERL_NIF_RT_CREATE, &tried);
    if (!plain || tried != ERL_NIF_RT_CREATE)
        return 1;
    watching = enif_init_resource_type(env, "watching", &with_all, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    old_style = enif_open_resource_type_x(env, "old_style", &only_dtor, ERL_NIF_RT_CREATE, NULL);
    without_dtor = enif_init_resource_type(env, "without_dtor", &nothing, ERL_NIF_RT_CREATE, &tried);
    if (!watching || !old_style || !without_dtor)
        return 2;
    /* What is not there can not be taken over; what is there can not be made again. */
    tried = 0;
    if (enif_open_resource_type(env, NULL, "nothing", NULL, ERL_NIF_RT_TAKEOVER, &tried))
        return 3;
    if (tried != ERL_NIF_RT_TAKEOVER)
        return 4;
    return 0;
}

static ErlNifFunc functions[] = {
    {"new", 3, new, 0},
    {"never_a_term", 2, never_a_term, 0},
    {"look", 1, look, 0},
    {"is_of", 2, is_of, 0},
    {"keep_away", 1, keep_away, 0},
    {"bring_back", 0, bring_back, 0},
    {"two_terms", 2, two_terms, 0},
    {"own_binary", 3, own_binary, 0},
    {"shows", 1, shows, 0},
    {"monitor", 2, monitor, 0},
    {"monitor_unnamed", 2, monitor_unnamed, 0},
    {"dirty_monitor", 2, monitor, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"demonitor", 1, demonitor, 0},
    {"monitor_terms", 2, monitor_terms, 0},
    {"dynamic", 3, dynamic, 0},
    {"many", 1, many, 0},
};
ERL_NIF_INIT(nif_resources, functions, load, NULL, NULL, NULL)

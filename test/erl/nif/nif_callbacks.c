/*
 * A library whose callbacks do what the load info says: a list of actions, whose results are sent to the process that
 * is registered as `tester`. The function run/1 does the same in a call.
 */
#include "nif_test.h"

#include <unistd.h>

#ifndef VERSION
#define VERSION 1
#endif
#ifndef MODULE
#define MODULE nif_callbacks_m
#endif

static ErlNifResourceType *types[4];
static int type_count;
static ErlNifEnv *kept_env;
static ERL_NIF_TERM kept;
static _Thread_local int result; /* of the callback that runs: others may run beside `load` */

static int tester(ErlNifEnv *env, ErlNifPid *to) { return enif_whereis_pid(env, atom(env, "tester"), to); }

static void tell(ErlNifEnv *caller, const char *what, int number) {
    ErlNifPid to;
    ErlNifEnv *env = enif_alloc_env();
    if (tester(caller, &to))
        enif_send(caller, &to, env,
                  enif_make_tuple3(env, atom(env, what), enif_make_int(env, VERSION), enif_make_int(env, number)));
    enif_free_env(env);
}

static void died(ErlNifEnv *env, void *object) { tell(env, "died", *(int *)object); }
static void down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) {
    tell(env, "down", *(int *)object);
}

static void *from_thread(void *data) {
    ErlNifEnv *env = enif_alloc_env();
    enif_send(NULL, data, env, enif_make_tuple2(env, atom(env, "from_thread"), enif_make_int(env, VERSION)));
    enif_free_env(env);
    return data;
}

static ERL_NIF_TERM open_type(ErlNifEnv *env, const ERL_NIF_TERM *a) {
    char name[100] = "";
    ErlNifResourceFlags tried = 0;
    ErlNifResourceTypeInit init = {.dtor = died, .down = down};
    enif_get_string(env, a[1], name, sizeof name, ERL_NIF_LATIN1);
    ErlNifResourceFlags flags = (ErlNifResourceFlags)int_of(env, a[2]);
    ErlNifResourceType *type = enif_open_resource_type_x(env, name, &init, flags, &tried);
    if (type != NULL && type_count < (int)COUNT(types))
        types[type_count++] = type;
    return enif_make_tuple2(env, boolean(env, type != NULL), enif_make_int(env, (int)tried));
}

static ERL_NIF_TERM object(ErlNifEnv *env, const ERL_NIF_TERM *a, int monitored) {
    int i = int_of(env, a[1]);
    if (i >= type_count)
        return atom(env, "no_type");
    int *o = enif_alloc_resource(types[i], sizeof *o);
    *o = int_of(env, a[2]);
    ERL_NIF_TERM term = enif_make_resource(env, o);
    ErlNifPid pid;
    ErlNifMonitor monitor;
    if (monitored) {
        enif_get_local_pid(env, a[3], &pid);
        term = enif_make_int(env, enif_monitor_process(env, o, &pid, &monitor));
        return term; /* kept alive for good: the count of the allocation stays */
    }
    enif_release_resource(o);
    return term;
}

static ERL_NIF_TERM act(ErlNifEnv *env, ERL_NIF_TERM action) {
    int arity;
    const ERL_NIF_TERM *a;
    char what[40];
    ErlNifPid pid, self;
    if (!enif_get_tuple(env, action, &arity, &a) || !enif_get_atom(env, a[0], what, sizeof what, ERL_NIF_LATIN1))
        return atom(env, "what");
#define IS(name) if (strcmp(what, name) == 0)
    IS("return") return enif_make_int(env, result = int_of(env, a[1]));
    IS("badarg") return enif_make_badarg(env), enif_make_int(env, 0);
    IS("raise") return enif_raise_exception(env, a[1]), enif_make_int(env, 0);
    IS("has_exception") return boolean(env, enif_has_pending_exception(env, NULL));
    IS("send") {
        enif_get_local_pid(env, a[1], &pid);
        return boolean(env, enif_send(env, &pid, NULL, a[2]));
    }
    IS("send_own") {
        enif_get_local_pid(env, a[1], &pid);
        ErlNifEnv *own = enif_alloc_env();
        ERL_NIF_TERM copy = enif_make_copy(own, a[2]);
        int sent = enif_send(env, &pid, own, copy);
        enif_free_env(own);
        return boolean(env, sent);
    }
    IS("open") return open_type(env, a);
    IS("object") return object(env, a, 0);
    IS("monitor") return object(env, a, 1);
    IS("is_self") {
        int has = enif_self(env, &self) != NULL;
        return boolean(env, has && enif_is_identical(a[1], enif_make_pid(env, &self)));
    }
    IS("current_alive") return boolean(env, enif_is_current_process_alive(env));
    IS("sleep") return usleep((unsigned)int_of(env, a[1]) * 1000), atom(env, "slept");
    IS("slice") return enif_make_int(env, enif_consume_timeslice(env, int_of(env, a[1])));
    IS("keep") {
        if (kept_env == NULL)
            kept_env = enif_alloc_env();
        kept = enif_make_copy(kept_env, a[1]);
        return atom(env, "kept");
    }
    IS("kept") return kept_env == NULL ? atom(env, "nothing") : enif_make_copy(env, kept);
    IS("envs") {
        for (int i = 0; i < int_of(env, a[1]); i++) {
            ErlNifEnv *own = enif_alloc_env();
            enif_make_copy(own, action);
            enif_clear_env(own);
            enif_make_list1(own, enif_make_int(own, i));
            enif_free_env(own);
        }
        return atom(env, "ok");
    }
    IS("thread") {
        ErlNifTid thread;
        enif_get_local_pid(env, a[1], &pid);
        if (enif_thread_create("callbacks", &thread, from_thread, &pid, NULL) != 0)
            return atom(env, "no_thread");
        void *back;
        enif_thread_join(thread, &back);
        return boolean(env, back == &pid);
    }
    IS("list") {
        ERL_NIF_TERM list = enif_make_list(env, 0);
        for (int i = int_of(env, a[1]); i > 0; i--)
            list = enif_make_list_cell(env, enif_make_tuple1(env, enif_make_int(env, i)), list);
        return list;
    }
    IS("bytes") {
        ErlNifBinary bytes;
        enif_alloc_binary((size_t)int_of(env, a[1]), &bytes);
        memset(bytes.data, 'x', bytes.size);
        return enif_make_binary(env, &bytes);
    }
    IS("hash") return enif_make_uint64(env, enif_hash(ERL_NIF_PHASH2, a[1], 0));
    IS("to_binary") {
        ErlNifBinary bytes;
        return enif_term_to_binary(env, a[1], &bytes) ? enif_make_binary(env, &bytes) : atom(env, "no");
    }
    IS("unique") return boolean(env, enif_is_number(env, enif_make_unique_integer(env, ERL_NIF_UNIQUE_POSITIVE)));
    IS("ref") return boolean(env, enif_is_ref(env, enif_make_ref(env)));
    IS("alive") {
        enif_get_local_pid(env, a[1], &pid);
        return boolean(env, enif_is_process_alive(env, &pid));
    }
    IS("data") {
        int *data = enif_priv_data(env);
        return data ? enif_make_int(env, *data) : atom(env, "none");
    }
    return action;
}

static ERL_NIF_TERM act_all(ErlNifEnv *env, ERL_NIF_TERM list) {
    ERL_NIF_TERM head, results = enif_make_list(env, 0);
    result = 0;
    while (enif_get_list_cell(env, list, &head, &list))
        results = enif_make_list_cell(env, act(env, head), results);
    enif_make_reverse_list(env, results, &results);
    return results;
}

static void tell_results(ErlNifEnv *env, const char *callback, ERL_NIF_TERM results) {
    ErlNifPid to;
    if (tester(env, &to))
        enif_send(env, &to, NULL, enif_make_tuple3(env, atom(env, callback), enif_make_int(env, VERSION), results));
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    static int data;
    data = 10 * VERSION;
    *priv_data = &data;
    tell_results(env, "load", act_all(env, info));
    return result;
}

static int upgrade(ErlNifEnv *env, void **priv_data, void **old_priv_data, ERL_NIF_TERM info) {
    static int data;
    data = 10 * VERSION + 1;
    *priv_data = &data;
    tell_results(env, "upgrade", act_all(env, info));
    return result;
}

static void unload(ErlNifEnv *env, void *priv_data) { tell(env, "unload", priv_data ? *(int *)priv_data : -1); }

static ERL_NIF_TERM run(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM exception;
    ERL_NIF_TERM results = act_all(env, argv[0]);
    return enif_has_pending_exception(env, &exception) ? enif_raise_exception(env, exception) : results;
}

static ErlNifFunc functions[] = {{"run", 1, run, 0}, {"dirty", 1, run, ERL_NIF_DIRTY_JOB_IO_BOUND}};
#define INIT(name) ERL_NIF_INIT(name, functions, load, NULL, upgrade, unload)
INIT(MODULE)

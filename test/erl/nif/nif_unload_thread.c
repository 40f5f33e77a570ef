/* A library that is told by every scheduler thread when it goes: enif_set_option(ERL_NIF_OPT_ON_UNLOAD_THREAD). The
 * calls of an instance are counted in memory that is never freed: a later instance reads it. */
#include <erl_nif.h>

#if ERL_NIF_MINOR_VERSION < 17 /* OTP 25's header; the runtime has them */
typedef enum { ERL_NIF_OPT_DELAY_HALT = 1, ERL_NIF_OPT_ON_HALT = 2, ERL_NIF_OPT_ON_UNLOAD_THREAD = 3 } ErlNifOption;
typedef void ErlNifOnUnloadThreadCallback(void *priv_data);
extern int enif_set_option(ErlNifEnv *env, ErlNifOption option, ...);
#endif
#include "nif_test.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define KINDS 4

typedef struct {
    ErlNifPid owner;
    atomic_int calls[KINDS]; /* by enif_thread_type */
    atomic_int running, given, given_back, unloads, destroyed, after_unload;
} Data;

static ErlNifResourceType *type;
static ErlNifTSDKey key;

static void unload_thread(void *priv_data) {
    Data *d = priv_data;
    atomic_fetch_add(&d->running, 1);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    if (atomic_load(&d->unloads))
        atomic_fetch_add(&d->after_unload, 1);
    ErlNifEnv *own = enif_tsd_get(key);
    if (own != NULL) {
        atomic_fetch_add(&d->given_back, 1);
        enif_free_env(own);
        enif_tsd_set(key, NULL);
    }
    int kind = enif_thread_type();
    atomic_fetch_add(&d->calls[kind >= 0 && kind < KINDS ? kind : 0], 1);
    atomic_fetch_sub(&d->running, 1);
}

static void other_callback(void *priv_data) { atomic_fetch_add(&((Data *)priv_data)->calls[0], 100); }

static ERL_NIF_TERM counts(ErlNifEnv *env, const Data *d) {
    const atomic_int *of[] = {&d->calls[0], &d->calls[1],   &d->calls[2], &d->calls[3],  &d->running,
                              &d->given,    &d->given_back, &d->unloads,  &d->destroyed, &d->after_unload};
    ERL_NIF_TERM terms[COUNT(of)];
    for (unsigned i = 0; i < COUNT(of); i++)
        terms[i] = enif_make_int(env, atomic_load(of[i]));
    return enif_make_tuple_from_array(env, terms, COUNT(of));
}

static void unload(ErlNifEnv *env, void *priv_data) {
    Data *d = priv_data;
    atomic_fetch_add(&d->unloads, 1);
    enif_send(env, &d->owner, NULL, enif_make_tuple2(env, atom(env, "unloaded"), counts(env, d)));
}

static void destroy(ErlNifEnv *env, void *object) {
    Data *d = *(Data **)object;
    atomic_fetch_add(&d->destroyed, 1);
    enif_send(env, &d->owner, NULL, enif_make_tuple2(env, atom(env, "destroyed"), counts(env, d)));
}

static int start(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    const ERL_NIF_TERM *e; /* {Owner, What} */
    int arity, results[4] = {0};
    char what[20];
    Data *d = calloc(1, sizeof *d);
    *priv_data = d;
    if (!enif_get_tuple(env, info, &arity, &e) || arity != 2 || !enif_get_local_pid(env, e[0], &d->owner) ||
        enif_get_atom(env, e[1], what, sizeof what, ERL_NIF_LATIN1) == 0)
        return 1;
    type = enif_open_resource_type(env, NULL, "object", destroy, ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER, NULL);
    if (key == 0)
        enif_tsd_key_create("nif_unload_thread", &key);
    if (strcmp(what, "plain") == 0)
        return 0;
    if (strcmp(what, "null") == 0) {
        results[0] = enif_set_option(env, ERL_NIF_OPT_ON_UNLOAD_THREAD, NULL) != 0;
    } else {
        results[0] = enif_set_option(env, ERL_NIF_OPT_ON_UNLOAD_THREAD, unload_thread) != 0;
        results[1] = enif_set_option(env, ERL_NIF_OPT_ON_UNLOAD_THREAD, other_callback) != 0;
    }
    if (strcmp(what, "halt") == 0) {
        results[2] = 10 * (enif_set_option(env, ERL_NIF_OPT_ON_HALT, other_callback) != 0) +
                     (enif_set_option(env, ERL_NIF_OPT_ON_HALT, other_callback) != 0);
        results[3] = 10 * (enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) != 0) +
                     (enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) != 0);
    }
    ERL_NIF_TERM terms[COUNT(results)];
    for (unsigned i = 0; i < COUNT(results); i++)
        terms[i] = enif_make_int(env, results[i]);
    enif_send(env, &d->owner, NULL,
              enif_make_tuple2(env, atom(env, "refused"), enif_make_list_from_array(env, terms, COUNT(results))));
    return strcmp(what, "fail") == 0 ? 7 : 0;
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) { return start(env, priv_data, info); }
static int upgrade(ErlNifEnv *env, void **priv_data, void **old, ERL_NIF_TERM info) {
    return start(env, priv_data, info);
}

NIF(data) { return enif_make_uint64(env, (uintptr_t)enif_priv_data(env)); }

NIF(told) {
    ErlNifUInt64 address = 0;
    enif_get_uint64(env, argv[0], &address);
    return counts(env, (const Data *)(uintptr_t)address);
}

NIF(set_option) { return boolean(env, enif_set_option(env, ERL_NIF_OPT_ON_UNLOAD_THREAD, unload_thread) != 0); }

NIF(object) {
    Data **object = enif_alloc_resource(type, sizeof(Data *));
    *object = enif_priv_data(env);
    ERL_NIF_TERM term = enif_make_resource(env, object);
    enif_release_resource(object);
    return term;
}

NIF(is_object) {
    void *found;
    return boolean(env, enif_get_resource(env, argv[0], type, &found));
}

NIF(give) {
    Data *d = enif_priv_data(env);
    if (enif_tsd_get(key) == NULL) {
        ErlNifEnv *own = enif_alloc_env();
        enif_make_copy(own, enif_make_string(env, "of this thread", ERL_NIF_LATIN1));
        enif_tsd_set(key, own);
        atomic_fetch_add(&d->given, 1);
    }
    return atom(env, "ok");
}

static ErlNifFunc functions[] = {{"data", 0, data, 0},
                                 {"told", 1, told, 0},
                                 {"set_option", 0, set_option, 0},
                                 {"object", 0, object, 0},
                                 {"is_object", 1, is_object, 0},
                                 {"normal", 0, give, 0},
                                 {"cpu", 0, give, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"io", 0, give, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(nif_unloaded, functions, load, NULL, upgrade, unload)

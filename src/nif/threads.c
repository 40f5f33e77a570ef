/*
 * Threads of libraries. Their own data in threads: thread_data.c. Source: erl_nif(3), erl_driver(3).
 *
 * A thread that was created here belongs to the library that made it: nobody else waits for it, and it is not known to
 * thread progress until it first looks at something shared (visitor_enter). Its identity is a Thread record, made by
 * the creator and freed by the join; a thread that nobody created here (a scheduler) gets a record when it first asks
 * for its own identity, freed when the thread ends.
 *
 * Records are written by their creator before the thread starts and read by anyone who has the identity; `result` is
 * the thread's own until it has been joined.
 */
#include "nif/env.h"

#include <errno.h>
#include <pthread.h>

#include "alloc/alloc.h"
#include "base/fault.h"
#include "nif/locks.h"
#include "sys/affinity.h"

typedef struct ErlDrvTid_ {
    pthread_t handle;
    void *(*run)(void *);
    void *argument;
    char name[];
} ThreadRecord;

static pthread_key_t self_key;

/* The record of a thread that was not created here. */
static void free_foreign(void *record) {
    if (((ThreadRecord *)record)->run == NULL)
        mem_free(ALLOC_NIF, record);
}
void nif_threads_init(void) { require(pthread_key_create(&self_key, free_foreign) == 0); }

static ThreadRecord *record_create(const char *name) {
    size_t length = strlen(name);
    ThreadRecord *r = mem_alloc(ALLOC_NIF, sizeof *r + length + 1);
    r->run = NULL;
    memcpy(r->name, name, length + 1);
    return r;
}

static void *thread_main(void *data) {
    ThreadRecord *r = data;
    char shortened[16];
    snprintf(shortened, sizeof shortened, "%s", r->name);
    pthread_setname_np(pthread_self(), shortened);
    pthread_setspecific(self_key, r);
    return r->run(r->argument);
}

/* A stack that is suggested may be smaller than a thread can live with. */
static void set_stack(pthread_attr_t *attributes, const ErlNifThreadOpts *options) {
    if (!options || options->suggested_stack_size < 0)
        return;
    size_t bytes = (size_t)options->suggested_stack_size * 1024 * sizeof(void *), least = 64 * 1024;
    pthread_attr_setstacksize(attributes, bytes < least ? least : bytes);
}

int enif_thread_create(char *name, ErlNifTid *thread, void *(*run)(void *), void *argument, ErlNifThreadOpts *options) {
    ThreadRecord *r = record_create(nif_name(name));
    r->run = run;
    r->argument = argument;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    set_stack(&attributes, options);
    affinity_for_child(&attributes);
    *thread = r; /* the thread may look for it there */
    int error = fault_now(FAULT_THREAD) ? EAGAIN : pthread_create(&r->handle, &attributes, thread_main, r);
    pthread_attr_destroy(&attributes);
    if (error) {
        *thread = NULL;
        mem_free(ALLOC_NIF, r);
    }
    return error;
}

int enif_thread_join(ErlNifTid thread, void **result) {
    int error = pthread_join(thread->handle, result);
    if (!error)
        mem_free(ALLOC_NIF, thread);
    return error;
}

void enif_thread_exit(void *result) { pthread_exit(result); }

ErlNifTid enif_thread_self(void) {
    ThreadRecord *r = pthread_getspecific(self_key);
    if (!r) {
        char name[16] = "";
        pthread_getname_np(pthread_self(), name, sizeof name);
        r = record_create(name);
        r->handle = pthread_self();
        pthread_setspecific(self_key, r);
    }
    return r;
}

int enif_equal_tids(ErlNifTid a, ErlNifTid b) { return a == b; }

char *enif_thread_name(ErlNifTid thread) { return thread->name; }

ErlNifThreadOpts *enif_thread_opts_create(char *name) {
    ErlNifThreadOpts *options = mem_alloc(ALLOC_NIF, sizeof *options);
    options->suggested_stack_size = -1;
    return options;
}

void enif_thread_opts_destroy(ErlNifThreadOpts *options) { mem_free(ALLOC_NIF, options); }

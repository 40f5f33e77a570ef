/*
 * What a destructor does with monitors of its own object: it ends one that is over by then, and makes others, which go
 * with the object and never fire. For AddressSanitizer.
 */
#include "nif/monitor.h"

#include <dlfcn.h>

#include "heap/literal.h"
#include "nif/load.h"
#include "process/reference.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

static ErlNifPid watched;
static ErlNifMonitor monitor;
static bool was_watching;
static unsigned destroyed, fired;

static void destructor(ErlNifEnv *env, void *object) {
    ErlNifMonitor another;
    if (was_watching)
        assert_int_equal(enif_demonitor_process(env, object, &monitor), 1);
    assert_int_equal(enif_monitor_process(env, object, &watched, &another), 0);
    assert_int_equal(enif_demonitor_process(env, object, &another), 0);
    assert_int_equal(enif_monitor_process(env, object, &watched, &another), 0);
    destroyed++;
}
static void down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *which) { fired++; }

static ErlNifResourceType *type_make(void) {
    NifLibrary *l = nif_library_create(dlopen(NULL, RTLD_NOW), am_erlang);
    l->entry.sizeof_ErlNifResourceTypeInit = sizeof(ErlNifResourceTypeInit);
    l->loading = true;
    ErlNifEnv env;
    nif_env_begin(&env, NIF_ENV_LOAD, NULL, NULL, l);
    ErlNifResourceTypeInit init = {.dtor = destructor, .down = down};
    ErlNifResourceType *type = enif_open_resource_type_x(&env, "watcher", &init, ERL_NIF_RT_CREATE, NULL);
    l->loading = false;
    nif_types_commit(l);
    return type;
}

static void monitors_of_a_destructor_end_with_it(void **state) {
    ErlNifResourceType *type = type_make();
    for (unsigned i = 0; i < 4; i++) {
        Process *p = unit_process(STATE_RUNNING);
        watched.pid = p->pid;
        was_watching = i % 2;
        void *object = enif_alloc_resource(type, 1);
        if (was_watching)
            assert_int_equal(enif_monitor_process(NULL, object, &watched, &monitor), 0);
        if (i < 2)
            signal_handle(p); /* the process has heard of it */
        enif_release_resource(object);
        assert_int_equal(destroyed, i + 1);
        unit_process_end(p);
    }
    assert_int_equal(fired, 0);
}

int main(void) {
    thread_progress_be_guest();
    unit_processes_init();
    literal_span_init();
    export_table_init();
    reference_init();
    visitors_init();
    thread_progress_offline();
    const struct CMUnitTest tests[] = {unit(monitors_of_a_destructor_end_with_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

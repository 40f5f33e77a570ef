/*
 * A library stays as long as a function of it runs on a dirty thread, whatever happens to the process: it ends as soon
 * as the gate is open, before the function is called, and the other thread, which has handled its signals, lets go of
 * the library as a purge does. For ThreadSanitizer.
 */
#include "nif/call.h"

#include <dlfcn.h>
#include <sched.h>

#include "heap/literal.h"
#include "nif/load.h"
#include "process/bif.h"
#include "process/dirty_end.h"
#include "process/dirty_signals.h"
#include "process/life.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_process.h"

#define ROUNDS 3000

static bool is_closed; /* plain: the order is that of the library's count */
static _Atomic bool is_let_go;
static unsigned calls;

static ERL_NIF_TERM function(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    while (!atomic_load_explicit(&is_let_go, memory_order_relaxed))
        sched_yield();
    assert_false(is_closed);
    calls++;
    return argv[0];
}
static void unload(ErlNifEnv *env, void *data) { is_closed = true; }

static NifLibrary *library_make(void) {
    NifLibrary *l = nif_library_create(dlopen(NULL, RTLD_NOW), am_erlang);
    l->entry.unload = unload;
    is_closed = false;
    return l;
}

static void kill_process(Process *p) {
    Message *m = exit_signal_create(SIGNAL_EXIT, p->pid, am_kill);
    if (!signal_push(p, &m->signal))
        message_free(m);
}

/* What has ended for p, and p itself, which are found by nobody. */
static void process_end(Process *p) {
    thread_progress_enter();
    Process *successor = run_queue_take(run_queue_at(0));
    assert_ptr_equal(process_find(p->pid), successor);
    process_table_remove(successor);
    signal_close(successor);
    thread_progress_leave();
    process_free(successor);
    dirty_end_release(p);
}

/* Of the round; the number says that it has begun. */
static NifLibrary *library;
static Process *process;
static _Atomic unsigned begun;

/* As a scheduler does, until another has ended for the process. */
static void handle_signals(void) {
    while (!dirty_end_has_left(process)) {
        Process *p = run_queue_take(run_queue_at(0));
        if (p != NULL)
            dirty_signals_handle(p);
        else
            sched_yield();
    }
}

static void purge(void *data) {
    thread_progress_register();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        while (atomic_load(&begun) < round)
            thread_progress_quiescent();
        handle_signals();
        nif_library_unload(library);
        atomic_store_explicit(&is_let_go, true, memory_order_relaxed);
    }
    thread_progress_unregister();
}

static void begin(unsigned round) {
    library = library_make();
    process = unit_process(STATE_DIRTY_CPU); /* this thread is its owner */
    atomic_store(&is_let_go, false);
    thread_progress_enter();
    kill_process(process);
    thread_progress_leave();
    atomic_store(&begun, round);
}

static void a_call_keeps_its_library(void **state) {
    Thread purger;
    thread_start(&purger, "purger", 0, purge, NULL);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        begin(round);
        const Export *name = export_put(am_erlang, am_apply, 1);
        NifCall call = nif_call_make(ERL_NIF_DIRTY_JOB_CPU_BOUND, name, function, library);
        Term x[] = {am_ok};
        assert_true(call.native.enter(process, x, &call.native) == am_ok);
        assert_true(is_closed);
        process_end(process);
    }
    assert_int_equal(calls, ROUNDS);
    thread_join(&purger);
}

int main(void) {
    thread_progress_be_guest();
    unit_processes_init();
    literal_span_init();
    export_table_init();
    reference_init();
    thread_progress_offline();
    const struct CMUnitTest tests[] = {unit(a_call_keeps_its_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

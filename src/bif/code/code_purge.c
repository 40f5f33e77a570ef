/*
 * Purging: what the stock process erts_code_purger is made of, and the stock system processes themselves.
 *
 * erts_internal:purge_module/2 is called by that process only: `prepare` (or `prepare_on_load`: code whose on_load
 * function failed) says whether there is something to purge, and looks whom it concerns (replace/asked.h); then it asks
 * those; then `abort` or `complete`. Where there is no old code `prepare` takes code that viv_code:begin_on_load/1 has
 * begun, and that nobody can finish any more: each purge one of them.
 * See replace/purge.h for what the steps do, docs/CODE_LOADING.md for why each waits.
 * Source: the calls in erts_code_purger; answers of OTP 25.
 */
#include "alloc/alloc.h"
#include "base/race_window.h"
#include "bif/argument.h"
#include "bif/code/prepared.h"
#include "bif_table.h"
#include "code/ranges.h"
#include "loader/prepare.h"
#include "process/process_table.h"
#include "process/registry.h"
#include "process/request.h"
#include "process/spawn.h"
#include "replace/asked.h"
#include "replace/code_check.h"
#include "replace/code_permission.h"
#include "replace/literal_release.h"
#include "replace/purge.h"
#include "replace/system_process.h"
#include "term/atom.h"

/* The purger's own; only it reads and writes this. BEGINNING: the funs are pending, others may still be entering;
 * LOOKING: nobody is, and it is looked who is to be asked. */
static struct {
    enum { IDLE, BEGINNING, LOOKING, BEGUN } step;
    Module *module;
} purge;

/* A large stack is walked by its own process. */
#define STACK_WORDS_MAX 4096

static bool may_run(Process *p, const void *instance) {
    return p->heap.end - p->heap.area.limit > STACK_WORDS_MAX || code_check(p, code_range(instance));
}

/* Code that viv_code began, and that nobody waits for any more. Of what stock's functions began a purge says, as on the
 * stock runtime, that there is nothing. */
static ModuleInstance *abandoned(Module *m) {
    if (prepared_is_abandoned(m))
        code_give_up_pending(m);
    ModuleInstance *instance = m->given_up;
    while (instance != NULL && !instance->was_awaited)
        instance = instance->next_given_up;
    return instance;
}

/* What there is to purge: old code first. */
static ModuleInstance *choose(Module *m, bool on_load) {
    return on_load ? m->given_up : m->old != NULL ? m->old : abandoned(m);
}

static Term begin(Process *p, Term name, bool on_load) {
    if (!code_permission_take(p))
        return NON_VALUE;
    Module *m = module_find(name);
    ModuleInstance *instance = m == NULL ? NULL : choose(m, on_load);
    if (instance == NULL)
        return am_false;
    purge_begin(instance);
    race_window("a purge has begun, others are entering");
    purge.module = m;
    purge.step = BEGINNING;
    return request_wait_for_progress(p, am_true);
}

static void begin_to_look(Process *p) {
    const ModuleInstance *instance = purge_instance();
    asked_begin(p, &(AskedAbout){.born = instance->born, .look = may_run, .data = instance});
    purge.step = LOOKING;
}

/* A round. */
static Term look(Process *p) {
    if (!asked_go_on(p))
        return request_wait_for_progress(p, am_true);
    purge.step = BEGUN;
    return am_true;
}

static Term prepare(Process *p, Term name, Term how) {
    Term answer;
    switch (purge.step) {
    case IDLE: return begin(p, name, how == am_prepare_on_load);
    case BEGINNING:
        if (request_answer(p, &answer) != REQUEST_ANSWERED)
            return request_wait(p);
        begin_to_look(p);
        return look(p);
    case LOOKING: return request_answer(p, &answer) == REQUEST_ANSWERED ? look(p) : request_wait(p);
    default: return fail_badarg(p);
    }
}

static bool is_under_way(Term name) { return purge.step == BEGUN && purge.module->name == name; }

static Term abort_purge(Process *p, Term name) {
    if (!is_under_way(name))
        return fail_badarg(p);
    if (!code_permission_take(p))
        return NON_VALUE;
    purge_abort();
    asked_end(p);
    purge.step = IDLE;
    return am_false;
}

typedef struct {
    ProgressNode progress;
    ModuleInstance *instance;
    Term told; /* the purger, who waits for the end of its library, or NON_VALUE */
    uint64_t id;
} Leaving;

/* Nobody reads a range, or runs code, that was there before the commit. */
static void free_instance(ProgressNode *node) {
    Leaving *leaving = container_of(node, Leaving, progress);
    LiteralArea *literals = leaving->instance->literals;
    leaving->instance->literals = NULL;
    race_window("purged code is to be freed");
    module_instance_free(leaving->instance);
    if (literals != NULL)
        literal_release(literals);
    if (is_value(leaving->told)) {
        thread_progress_enter(); /* the thread may be going to sleep */
        request_reply(leaving->told, leaving->id, am_true);
        thread_progress_leave();
    }
    mem_free(ALLOC_MODULE, leaving);
}

/* `unload` of its library has been called when the purge is over, as on the stock runtime, unless calls go on in it or
 * there are objects of its types. */
static void leave_later(Process *p, ModuleInstance *instance) {
    Leaving *leaving = mem_alloc(ALLOC_MODULE, sizeof *leaving);
    *leaving = (Leaving){.progress.run = free_instance, .instance = instance, .told = NON_VALUE};
    if (instance->library != NULL) {
        leaving->told = p->pid;
        leaving->id = request_begin(p);
    }
    thread_progress_later(&leaving->progress);
}

static void forget(Module *m, ModuleInstance *instance) {
    ModuleInstance **at = &m->given_up;
    if (m->old == instance) {
        __atomic_store_n(&m->old, NULL, __ATOMIC_RELEASE);
        return;
    }
    while (*at != instance)
        at = &(*at)->next_given_up;
    *at = instance->next_given_up;
}

static Term complete(Process *p, Term name) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!is_under_way(name))
        return fail_badarg(p);
    if (!code_permission_take(p))
        return NON_VALUE;
    ModuleInstance *instance = purge_complete();
    race_window("a purge is over, its ranges are there");
    code_stage_begin();
    ranges_stage_remove(instance);
    code_commit();
    forget(purge.module, instance);
    bool has_library = instance->library != NULL;
    leave_later(p, instance);
    code_permission_release_later();
    asked_end(p);
    purge.step = IDLE;
    return has_library ? request_wait(p) : am_true;
}

Term erts_internal_purge_module_2(Process *p, const Term *a) {
    if (!system_process_is(p, am_erts_code_purger))
        return fail_with(p, FAIL_NOTSUP);
    if (!is_atom(a[0]))
        return fail_badarg(p);
    switch (a[1]) {
    case am_prepare:
    case am_prepare_on_load: return prepare(p, a[0], a[1]);
    case am_abort: return abort_purge(p, a[0]);
    case am_complete: return complete(p, a[0]);
    default: return fail_badarg(p);
    }
}

/* server(Name, Module, Start, Entry) -> pid(): a stock system process, as if it had called Module:Start() and were
 * waiting in Entry() for its first message: nothing is loaded until that comes. Name is undefined or registered, from
 * the beginning. */
Term viv_start_server_4(Process *p, const Term *a) {
    for (unsigned i = 0; i < 4; i++)
        if (!is_atom(a[i]))
            return fail_badarg(p);
    Term pid = system_process_spawn(p, a[1], a[2], a[3]);
    if (!is_value(pid))
        return fail_badarg(p);
    if (a[0] != am_undefined && !registry_register(a[0], process_find(pid)))
        return fail_badarg(p);
    return pid;
}

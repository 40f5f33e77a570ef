#include "process/spawn.h"

#include "base/long_work.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/life.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/recorder.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "process/seq_trace.h"
#include "process/spawn_token.h"
#include "process/trace_point.h"
#include "term/atom.h"

#define FULLSWEEP_DEFAULT 65535

SpawnDefaults spawn_defaults = {
    .min_heap_words = HEAP_DEFAULT_WORDS,
    .min_virtual_words = HEAP_DEFAULT_VIRTUAL_WORDS,
    .fullsweep_after = FULLSWEEP_DEFAULT,
    .max_heap_flags = HEAP_MAX_KILL | HEAP_MAX_LOG,
};

void spawn_options_init(SpawnOptions *o) {
    *o = (SpawnOptions){
        .off_heap = spawn_defaults.off_heap,
        .async_dist = false,
        .shown_function = NON_VALUE,
        .replies = true,
        .reply_tag = am_spawn_reply,
        .given = NIL,
        .monitor_options = MONITOR_DEFAULTS,
        .priority = PRIORITY_NORMAL,
        .min_heap_words = spawn_defaults.min_heap_words,
        .min_virtual_words = spawn_defaults.min_virtual_words,
        .fullsweep_after = (uint16_t)spawn_defaults.fullsweep_after,
        .max_heap_words = spawn_defaults.max_heap_words,
        .max_heap_flags = (uint8_t)spawn_defaults.max_heap_flags,
    };
}

/* What is made in vain stays in the child's heap until its first collection. */
static void leave_there(Term copy) {}

static Term copy_arguments(Process *p, Term arguments) {
    LONG_WORK_OPEN;
    return made_in_phase(phase, term_copy_in(arguments, process_area(p), &phase), leave_there);
}

void process_set_arguments(Process *p, Term list) {
    uint32_t arity = 0;
    for (Term l = list; is_list(l); l = list_tail(l))
        arity++;
    p->saved[2] = list;
    p->initial_arity = arity;
}

static void set_start(Process *p, Term module, Term function) {
    p->saved[0] = p->initial_module = module;
    p->saved[1] = p->initial_function = function;
    p->saved[2] = NIL;
    p->arity = 3;
}

static void set_options(Process *p, const SpawnOptions *o) {
    p->heap.max_words = o->max_heap_words;
    p->heap.max_flags = o->max_heap_flags;
    p->flags = (o->off_heap ? FLAG_OFF_HEAP_MESSAGES : 0) | (o->async_dist ? FLAG_ASYNC_DIST : 0) |
               (o->traps_exits ? FLAG_TRAP_EXIT : 0);
    p->bound_queue = o->bound_queue;
    p->is_system = o->is_system;
    if (is_value(o->shown_function))
        p->initial_function = o->shown_function;
    p->reductions = REDUCTIONS_PER_SLICE;
    uint32_t runs = o->waits ? 0 : STATE_ACTIVE | STATE_QUEUED;
    atomic_store_explicit(&p->state, runs | (uint32_t)o->priority << STATE_PRIORITY_SHIFT, memory_order_relaxed);
    RunQueue *rq = run_queue_self();
    atomic_store_explicit(&p->home_queue, rq ? rq->index : 0, memory_order_relaxed);
}

static void inherit(Process *p, const Process *parent) {
    p->parent = parent->pid;
    Term leader = parent->group_leader;
    p->group_leader = is_pointer(leader) ? term_copy(leader, process_area(p)) : leader;
}

/* On the stock runtime a process that was asked for begins in a function of its own: it is told so. */
static Term start_of(const Process *p, Area *area, bool is_request) {
    Term mfa = area_tuple3(area, p->saved[0], p->saved[1], p->saved[2]);
    return !is_request ? mfa : area_tuple3(area, am_erts_internal, am_spawn_init, area_cons(area, mfa, NIL));
}

/* By the parent's thread: nobody can see the child yet. */
static void trace_spawn(Process *parent, Process *p, const SpawnOptions *o) {
    if (parent == NULL)
        return;
    if (unlikely(parent->trace_flags)) {
        trace_event(parent, TRACE_PROCS, EVENT_SPAWN, p->pid, start_of(p, process_area(parent), o->is_request));
        if (o->link)
            trace_event(parent, TRACE_PROCS, EVENT_LINK, p->pid, NON_VALUE);
    }
    if (unlikely(p->trace_flags)) {
        trace_event(p, TRACE_PROCS, EVENT_SPAWNED, parent->pid, start_of(p, process_area(p), o->is_request));
        if (o->link)
            trace_event(p, TRACE_PROCS, EVENT_GETTING_LINKED, parent->pid, NON_VALUE);
    }
}

/* Traces and the sequence token are told of it, in stock's order. */
static SpawnAnswer tell_spawn(Process *parent, Process *p, const SpawnOptions *o, Term reference) {
    bool has_token = parent != NULL && !is_nil(seq_trace_token(parent));
    SpawnAnswer answer = {reference, NIL};
    if (has_token) {
        if (!is_value(reference))
            answer.reference = reference_new(process_area(parent));
        spawn_token_request(parent, p, o, answer.reference);
    }
    trace_spawned(parent, p, o->link);
    recorder_spawned(parent, p);
    trace_spawn(parent, p, o);
    if (has_token)
        answer.token = spawn_token_reply(parent, p, o, answer.reference);
    return answer;
}

/* The parent hears that it went well before anything that the child does, wherever that runs. */
static void send_reply(Process *parent, const Process *p, const SpawnOptions *o, const SpawnAnswer *answer) {
    Term tuple = area_tuple4(process_area(parent), o->reply_tag, answer->reference, am_ok, p->pid);
    signal_send_or_drop(parent->pid, &message_create(tuple, p->pid, answer->token)->signal);
}

static void publish(Process *p, const SpawnOptions *o) {
    race_window("a process is made, and not yet found by anybody");
    process_table_publish(p);
    race_window("a process is found, and not yet queued");
    if (!o->waits)
        run_queue_add(p);
}

Term process_spawn(Process *parent, Term module, Term function, Term arguments, const SpawnOptions *o,
                   SpawnAnswer *answer) {
    Term pid = process_table_reserve();
    if (!is_value(pid))
        return NON_VALUE;
    Process *p = process_create(o->min_heap_words, o->min_virtual_words, o->fullsweep_after);
    p->pid = pid;
    p->group_leader = pid;
    Term monitor = o->monitor ? monitor_spawned(parent, p, &o->monitor_options) : NON_VALUE;
    /* From here until it is published nothing goes offline: nobody can ask the child yet to let go of literals. */
    set_start(p, module, function);
    process_set_arguments(p, is_pointer(arguments) ? copy_arguments(p, arguments) : arguments);
    set_options(p, o);
    if (parent)
        inherit(p, parent);
    if (o->link) {
        link_add(p, parent->pid, false);
        link_add(parent, pid, o->link_is_priority);
    }
    SpawnAnswer told = tell_spawn(parent, p, o, monitor);
    if (o->is_request && !is_value(told.reference))
        told.reference = reference_new(process_area(parent));
    if (o->is_request && o->replies)
        send_reply(parent, p, o, &told);
    if (answer != NULL)
        *answer = told;
    publish(p, o);
    return pid;
}

Term process_spawn_furnished(Term module, Term function, const SpawnOptions *o, Fragment *data,
                             void (*furnish)(Process *p, void *data), void *furniture) {
    Term pid = process_table_reserve();
    if (!is_value(pid)) {
        fragments_free(data);
        return NON_VALUE;
    }
    Process *p = process_create(o->min_heap_words, o->min_virtual_words, o->fullsweep_after);
    p->pid = p->group_leader = pid;
    set_start(p, module, function);
    set_options(p, o);
    if (data != NULL)
        heap_adopt_fragments(&p->heap, data);
    trace_spawned(NULL, p, false);
    recorder_spawned(NULL, p);
    furnish(p, furniture);
    publish(p, o);
    return pid;
}

#include "process/exit.h"

#include <unistd.h>

#include "alloc/alloc.h"
#include "base/leave.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/life.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/process_table.h"
#include "process/receive.h"
#include "process/recorder.h"
#include "process/registry.h"
#include "process/report.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "process/signal_handle.h"
#include "process/spawn_far.h"
#include "process/suspend.h"
#include "process/system_task.h"
#include "process/timer.h"
#include "process/trace_point.h"
#include "sys/file.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/print.h"

#define COST_OF_SIGNAL 10

static ExitHandler *handlers[EXIT_HANDLERS_MAX];
static unsigned handler_count;

typedef enum {
    EXIT_OWN,
    EXIT_SUSPENSIONS,
    EXIT_TIMERS,
    EXIT_HANDLERS,
    EXIT_LEAVE,
    EXIT_LINKS,
    EXIT_PORTS,
    EXIT_WATCHERS,
    EXIT_MONITORS,
    EXIT_MEMORY,
} ExitStep;
typedef struct ExitState {
    ExitStep step;
    unsigned handler;
    bool is_out; /* it has been told that the slice was over */
    KeyTable ports; /* that it is linked to: EXIT_LINKS comes by them */
} ExitState;

void (*exit_hand_over)(Process *p, Process *to);

void exit_handler_add(ExitHandler *handler) {
    require(handler_count < EXIT_HANDLERS_MAX);
    handlers[handler_count++] = handler;
}

/* What is told in later slices, the reason and the label of a sequence token. The literals in it may be gone then: who
 * ends says that he has let go of all (process/system_task.c). */
static void keep_what_is_told(Process *p) {
    LONG_WORK_OPEN;
    p->exit_reason = term_copy_literals(p->exit_reason, process_area(p));
    p->seq_trace_token = term_copy_literals(p->seq_trace_token, process_area(p));
}

/* The last thing that it does with literals, and on its stack. */
static void let_go(Process *p) {
    keep_what_is_told(p);
    race_window("one that ends has let go of all, and does not say so yet");
    atomic_fetch_or(&p->state, STATE_LET_GO);
}

/* A signal ends it in the middle of its code: to who traces the calls that do not return, that was once an exception;
 * as on the stock runtime not to meta tracers alone, nor of one that is sensitive. Those that an exception of its own
 * has passed were told. */
static void unwind_traced(Process *p) {
    if (p->trace_flags != 0 && !is_value(p->exit_class) && !release_has(RELEASE_SIGNALS_UNTOLD))
        trace_frames_raised(p, p->heap.area.limit, p->heap.end, am_exit, p->exit_reason);
}

/* The runtime does not go on without one of its own. */
static _Noreturn void leave_with(const Process *p) {
    TEXT(text);
    text_string(&text, "System process ");
    print_term(&text, p->pid);
    text_string(&text, " terminated: ");
    print_term(&text, p->exit_reason);
    runtime_crash(CRASH_LEAVES, text.bytes, text.size);
}

void process_exit_begin(Process *p) {
    if (p->exit_state)
        return;
    p->exit_state = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->exit_state);
    process_table_end(p, STATE_EXITING | STATE_ACTIVE);
    unwind_traced(p);
    recorder_exits(p);
    trace_event(p, TRACE_PROCS, EVENT_EXIT, p->exit_reason, NON_VALUE);
    if (is_value(p->exit_class) && (p->exit_class == am_error || p->exit_class == am_throw))
        report_crash(p);
    if (unlikely(p->is_system))
        leave_with(p);
    let_go(p);
}

static void give_up_name(Process *p) {
    Term name = registry_forget(p);
    if (!is_value(name))
        return;
    recorder_name(p, p->pid, name, false);
    trace_event(p, TRACE_PROCS, EVENT_UNREGISTER, name, NON_VALUE);
}

static void give_up_own(Process *p) {
    receive_timeout_clear(p);
    request_drop(p);
    system_tasks_refuse(p);
    suspend_answer(p);
    spawn_far_leave_orphans(p);
}

static bool run_handlers(Process *p, ExitState *s) {
    while (s->handler < handler_count) {
        if (!handlers[s->handler](p, &p->reductions))
            return false;
        s->handler++;
    }
    return true;
}

static void leave(Process *p) {
    give_up_name(p);
    atomic_fetch_or(&p->state, STATE_FREE);
    process_table_remove(p);
    race_window("gone from the table, and still sent to");
    signal_close(p);
}

static void free_later(ProgressNode *node) { process_free(container_of(node, Process, progress)); }

static void give_up_memory(Process *p) {
    trace_event(p, TRACE_SCHEDULING | TRACE_EXITING, EVENT_OUT_EXITED, NON_VALUE, NON_VALUE);
    trace_points.release(p);
    mem_free(ALLOC_PROCESS_MISC, p->exit_state);
    race_window("a process has told all, its memory is there");
    process_release(p);
    p->progress.run = free_later;
    thread_progress_later(&p->progress);
}

/* Calls `next` until it has nothing left (true), or the slice is over, or p is to wait. */
static bool tell_all(Process *p, bool (*next)(Process *, Term), Term reason) {
    while (p->reductions > 0) {
        if (!next(p, reason))
            return true;
        process_bump(p, COST_OF_SIGNAL);
        if (unlikely(process_ends_later(p)))
            return false;
    }
    return false;
}

static bool release_suspension(Process *p, Term reason) { return suspend_release_next(p); }
static bool release_monitor(Process *p, Term reason) { return monitor_release_next(p); }

static bool tell_no_port(Process *p, Term reason) { return link_exit_next_but_ports(p, &p->exit_state->ports, reason); }

/* Ports hear last, as on the stock runtime: who is linked to both hears of the process before he hears of a port that
 * ends with it. */
static bool tell_links(Process *p, ExitState *s) {
    watchers_first_down(p, p->exit_reason);
    if (!tell_all(p, tell_no_port, p->exit_reason))
        return false;
    p->links = s->ports;
    s->ports = (KeyTable){0};
    return true;
}

/* False: the step is not over yet. */
static bool do_step(Process *p, ExitState *s) {
    switch (s->step) {
    case EXIT_OWN: give_up_own(p); return true;
    case EXIT_SUSPENSIONS: return tell_all(p, release_suspension, NON_VALUE);
    case EXIT_TIMERS: return timers_end_for(p, &p->reductions);
    case EXIT_HANDLERS: return run_handlers(p, s);
    case EXIT_LEAVE: leave(p); return true;
    case EXIT_LINKS: return tell_links(p, s);
    case EXIT_PORTS: return tell_all(p, link_exit_next, p->exit_reason);
    case EXIT_WATCHERS: return tell_all(p, watcher_down_next, p->exit_reason);
    default: return tell_all(p, release_monitor, NON_VALUE);
    }
}

static bool do_steps(Process *p, ExitState *s) {
    while (s->step != EXIT_MEMORY) {
        race_window("between two steps of an exit");
        if (!do_step(p, s))
            return false;
        s->step++;
    }
    return true;
}

bool process_exit_continue(Process *p) {
    ExitState *s = p->exit_state;
    if (s->is_out)
        trace_event(p, TRACE_EXITING, EVENT_IN_EXITING, NON_VALUE, NON_VALUE);
    s->is_out = !do_steps(p, s);
    if (s->is_out) {
        trace_event(p, TRACE_EXITING, EVENT_OUT_EXITING, NON_VALUE, NON_VALUE);
        return false;
    }
    give_up_memory(p);
    return true;
}

#include "process/dirty_end.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/dirty_gate.h"
#include "process/exit.h"
#include "process/life.h"
#include "process/link.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "process/trace_point.h"
#include "sys/thread.h"
#include "term/atom.h"

/* The shells, oldest first. All under the lock, but for what a shell itself is: that is its gate's. */
typedef struct Shell {
    struct Shell *next;
    Process *process;
} Shell;

static Mutex lock = MUTEX_INITIALIZER(LOCK_DIRTY_ENDS);
static Shell *first, **last = &first;

static void shell_add(Process *p) {
    Shell *s = mem_alloc(ALLOC_PROCESS_MISC, sizeof *s);
    *s = (Shell){.process = p};
    mutex_lock(&lock);
    *last = s;
    last = &s->next;
    mutex_unlock(&lock);
}

static void shell_remove(const Process *p) {
    mutex_lock(&lock);
    Shell **at = &first;
    while ((*at)->process != p)
        at = &(*at)->next;
    Shell *s = *at;
    *at = s->next;
    if (last == &s->next)
        last = at;
    mutex_unlock(&lock);
    mem_free(ALLOC_PROCESS_MISC, s);
}

/* While it is looked at its owner cannot come to remove it, and so the next one is known. */
void dirty_end_each(void (*look)(Process *p)) {
    mutex_lock(&lock);
    for (Shell *s = first; s != NULL; s = s->next) {
        if (!dirty_gate_look_at_shell(s->process))
            continue;
        mutex_unlock(&lock);
        look(s->process);
        mutex_lock(&lock);
        dirty_gate_look_end(s->process);
    }
    mutex_unlock(&lock);
}

static Term own_copy(Term t, Process *of) { return term_copy_literals(t, process_area(of)); }

/* What those who watch its end are told by. */
static void hand_over_watched(Process *p, Process *to) {
    to->trace = p->trace;
    to->trace_flags = p->trace_flags;
    atomic_store_explicit(&to->trace_epoch, trace_epoch_seen(p), memory_order_relaxed);
    p->trace = NULL;
    p->trace_flags = 0;
    to->profiled = p->profiled;
    to->seq_trace_token = own_copy(p->seq_trace_token, to);
    to->seq_clock = p->seq_clock;
    to->seq_last = p->seq_last;
    to->seq_epoch = p->seq_epoch;
}

/* Nobody of a higher priority keeps it from ending: on the stock runtime a dirty thread does that. */
static uint32_t priority_of_end(const Process *p) {
    Priority own = process_priority(p);
    return (uint32_t)(own < PRIORITY_HIGH ? own : PRIORITY_HIGH) << STATE_PRIORITY_SHIFT;
}

static void hand_over(Process *p, Process *to) {
    to->pid = p->pid;
    to->born = p->born;
    to->parent = own_copy(p->parent, to);
    to->is_system = p->is_system;
    to->initial_module = p->initial_module;
    to->initial_function = p->initial_function;
    to->initial_arity = p->initial_arity;
    hand_over_watched(p, to);
    to->links = p->links;
    to->monitors = p->monitors;
    to->watchers = p->watchers;
    p->links = p->monitors = p->watchers = (KeyTable){0};
    to->node_monitors = p->node_monitors;
    p->node_monitors = NULL;
    to->flags |= p->flags & (FLAG_WATCHED_FIRST | FLAG_ASYNC_DIST);
    to->suspensions = p->suspensions;
    to->request = p->request;
    to->system_tasks = p->system_tasks;
    p->suspensions = NULL;
    p->request = NULL;
    p->system_tasks = NULL;
    if (exit_hand_over != NULL)
        exit_hand_over(p, to);
    atomic_store(&to->timer_wheels, atomic_load(&p->timer_wheels)); /* it is exiting: process/timer.c */
    uint32_t kept = priority_of_end(p) | (atomic_load(&p->state) & STATE_SENSITIVE);
    atomic_store(&to->state, STATE_EXITING | STATE_ACTIVE | STATE_QUEUED | kept);
    atomic_store(&to->home_queue, atomic_load(&p->home_queue));
    to->bound_queue = p->bound_queue;
}

static size_t words_of_frame(const Term *slot) { return 1 + trace_frame_words((const TraceFrame *)(slot + 1)); }

static size_t words_of_frames(const Process *p) {
    size_t words = 0;
    for (const Term *slot = p->heap.area.limit; p->trace != NULL && slot < p->heap.end; slot++)
        if (is_trace_return(*slot))
            words += words_of_frame(slot);
    return words;
}

/* The stack stays behind, but for the frames of traced calls: that those do not return is told. */
static void copy_frames(const Process *p, Process *to, size_t words) {
    Term *top = to->heap.area.limit -= words;
    for (const Term *slot = p->heap.area.limit; words > 0; slot++) {
        if (!is_trace_return(*slot))
            continue;
        size_t size = words_of_frame(slot);
        memcpy(top, slot, size * sizeof *top);
        TraceFrame *f = (TraceFrame *)(top + 1);
        if (size > 2)
            f->tracer = own_copy(f->tracer, to);
        top += size;
        words -= size;
    }
}

static Process *successor_of(const Process *p) {
    size_t frames = words_of_frames(p);
    Process *to = process_create(HEAP_DEFAULT_WORDS + frames, HEAP_DEFAULT_VIRTUAL_WORDS, UINT16_MAX);
    copy_frames(p, to, frames);
    return to;
}

/* From when the list is closed whoever has the old address is refused, and answers for a process that is no more. */
void dirty_end_take_apart(Process *p) {
    Process *to = successor_of(p);
    to->exit_reason = own_copy(p->exit_reason, to);
    hand_over(p, to);
    race_window("what a process had is another's, its shell not yet known");
    shell_add(p);
    atomic_fetch_or(&p->state, STATE_LEFT);
    atomic_store(&to->signals_in, signal_list_close(p));
    atomic_store(&to->registered_name, atomic_exchange(&p->registered_name, NIL));
    process_table_replace(to);
    race_window("a successor is found, and not yet queued");
    run_queue_add(to);
}

static void free_later(ProgressNode *node) { process_free(container_of(node, Process, progress)); }

void dirty_end_release(Process *p) {
    race_window("a shell is to go");
    shell_remove(p);
    process_release(p);
    p->progress.run = free_later;
    thread_progress_later(&p->progress);
}

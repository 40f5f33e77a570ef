#include "process/system_task.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/dirty_gate.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "process/trace_point.h"
#include "term/atom.h"

_Atomic uint32_t system_requests_limit;

static void answer_by_message(SystemTask *task, Term from, Term answer) {
    size_t words = 4 + term_flat_size(kept_term(&task->id)) + (is_pointer(answer) ? term_flat_size(answer) : 0);
    Area area;
    Fragment *f = message_area_begin(&area, words);
    Term tuple = area_tuple3(&area, task->tag, NON_VALUE, NON_VALUE);
    tuple_elements(tuple)[1] = kept_copy(&task->id, &area);
    tuple_elements(tuple)[2] = is_pointer(answer) ? term_copy(answer, &area) : answer;
    message_area_end(&area, f);
    Message *m = message_create_with(tuple, f, from);
    m->token = TOKEN_OF_RUNTIME;
    if (!signal_send(task->requester, &m->signal))
        message_free(m);
}

static void answer(SystemTask *task, Term from, Term answer) {
    if (task->request != 0)
        request_reply(task->requester, task->request, answer);
    else
        answer_by_message(task, from, answer);
}

static void answer_last(SystemTask *task, Term from, Term term) {
    if (!task->is_answered)
        answer(task, from, term);
    kept_release(&task->id);
    mem_free(ALLOC_SIGNAL, task);
}

/* The lines: those of the priorities, in this order, and that of what is put off behind them. */

#define LINE_PUT_OFF PRIORITY_COUNT

static SystemTask *next_of(const SystemTask *task) { return (SystemTask *)task->call.signal.next; }

static void enter(Process *p, SystemTask *task, unsigned line) {
    SystemTask **at = &p->system_tasks;
    while (*at != NULL && (*at)->line < line)
        at = &(*at)->next_line;
    task->line = line;
    task->call.signal.next = NULL;
    SystemTask *first = *at;
    if (first != NULL && first->line == line) {
        first->last->call.signal.next = &task->call.signal;
        first->last = task;
    } else {
        task->next_line = first;
        task->last = task;
        *at = task;
    }
    if (line != LINE_PUT_OFF)
        atomic_fetch_or(&p->state, STATE_TASKS);
}

/* The first of a line. */
static SystemTask *leave_line(SystemTask **at) {
    SystemTask *task = *at, *next = next_of(task);
    if (next != NULL) {
        next->next_line = task->next_line;
        next->last = task->last;
    }
    *at = next != NULL ? next : task->next_line;
    return task;
}

/* NULL: there is none that is not put off. */
static SystemTask *take_first(Process *p) {
    SystemTask **at = &p->system_tasks, *low = *at != NULL ? (*at)->next_line : NULL, *task = NULL;
    if (*at != NULL && (*at)->line == PRIORITY_NORMAL && low != NULL && low->line == PRIORITY_LOW &&
        low->passed_over++ == TASKS_BEFORE_LOW)
        at = &(*at)->next_line;
    if (*at != NULL && (*at)->line != LINE_PUT_OFF)
        task = leave_line(at);
    if (p->system_tasks == NULL || p->system_tasks->line == LINE_PUT_OFF)
        atomic_fetch_and(&p->state, ~(uint32_t)STATE_TASKS);
    return task;
}

/* Of one that is told to end, but has not begun to: it refers to literals still, and answers when it has let go. */
static bool is_past_answering(const Process *p) {
    return process_is_exiting(p) && (p->exit_state != NULL || atomic_load(&p->state) & STATE_FREE);
}

/* Answered by a look, and done with: a dirty call goes on. */
static bool is_seen(Process *p, SystemTask *task) {
    Term seen = task->kind->look != NULL ? task->kind->look(p, task) : NON_VALUE;
    if (!is_value(seen))
        return false;
    if (!task->stays) {
        answer_last(task, p->pid, seen);
        return true;
    }
    answer(task, p->pid, seen);
    task->is_answered = true;
    return false;
}

static void take(Process *p, CallSignal *call) {
    SystemTask *task = container_of(call, SystemTask, call);
    if (is_past_answering(p)) {
        answer_last(task, NON_VALUE, task->kind->refusal);
        return;
    }
    if (unlikely(process_is_in_dirty_call(p)) && is_seen(p, task))
        return;
    enter(p, task, task->priority);
}

static SystemTask *create(const SystemTaskKind *kind, Priority priority, Term requester, Term argument) {
    SystemTask *task = mem_calloc(ALLOC_SIGNAL, sizeof *task);
    signal_init(&task->call.signal, SIGNAL_CALL)->detail = CALL_LEAVES_MESSAGES;
    task->call.handle = take;
    task->kind = kind;
    task->priority = priority;
    task->requester = requester;
    task->argument = argument;
    return task;
}

SystemTask *system_task_create(const SystemTaskKind *kind, Priority priority, Term requester, Term tag, Term id,
                               Term argument) {
    SystemTask *task = create(kind, priority, requester, argument);
    task->tag = tag;
    task->id = kept_make(id);
    return task;
}

SystemTask *system_task_create_request(const SystemTaskKind *kind, Process *p, uint64_t request, Term argument) {
    SystemTask *task = create(kind, process_priority(p), p->pid, argument);
    task->request = request;
    task->id = KEPT_NONE;
    return task;
}

void system_task_send(Term pid, SystemTask *task) {
    Process *to = is_local_pid(pid) ? process_find(pid) : NULL;
    race_window("a process is found, and not yet asked");
    if (to == NULL || process_has_let_go(to) || !signal_push_asking(to, &task->call.signal, task->priority))
        answer_last(task, NON_VALUE, task->kind->refusal);
}

void system_tasks_run(Process *p) {
    while (p->reductions > 0 && !process_is_exiting(p)) {
        SystemTask *task = take_first(p);
        if (task == NULL)
            return;
        if (task->kind == &system_task_collect && p->flags & FLAG_PUTS_OFF_COLLECTIONS)
            enter(p, task, LINE_PUT_OFF);
        else
            answer_last(task, p->pid, task->kind->run(p, task));
    }
    if (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_TASKS)
        process_raise_priority(p, p->system_tasks->priority);
}

void system_tasks_refuse(Process *p) {
    while (p->system_tasks != NULL) {
        SystemTask *task = leave_line(&p->system_tasks);
        answer_last(task, NON_VALUE, task->kind->refusal);
    }
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_TASKS);
}

void system_tasks_put_off(Process *p, bool put_off) {
    p->flags &= ~(uint32_t)FLAG_PUTS_OFF_COLLECTIONS;
    if (put_off) {
        p->flags |= FLAG_PUTS_OFF_COLLECTIONS;
        return;
    }
    SystemTask **at = &p->system_tasks;
    while (*at != NULL && (*at)->line != LINE_PUT_OFF)
        at = &(*at)->next_line;
    SystemTask *task = *at;
    *at = NULL; /* it is the last line */
    for (SystemTask *next; task != NULL; task = next) {
        next = next_of(task);
        enter(p, task, task->priority);
    }
}

/* On the stock runtime a collection takes up the messages of one that is suspended: those that nobody hears of then are
 * told to nobody later. */
static Term collect(Process *p, SystemTask *task) {
    if (!(p->trace_flags & TRACE_RECEIVE))
        p->untold = NULL;
    process_collect_saved(p, (CollectKind)small_value(task->argument));
    return am_true;
}

const SystemTaskKind system_task_collect = {.run = collect, .refusal = am_false};

static Term do_nothing(Process *p, SystemTask *task) { return am_true; }

const SystemTaskKind system_task_test = {.run = do_nothing, .refusal = am_false};

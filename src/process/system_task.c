#include "process/system_task.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/dirty_gate.h"
#include "process/request.h"
#include "process/run_queue.h"
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

static SystemTask **list_of(Process *p) { return &p->system_tasks; }
static SystemTask **next_of(SystemTask *task) { return (SystemTask **)&task->call.signal.next; }

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
    SystemTask **at = list_of(p);
    while (*at != NULL && (*at)->priority <= task->priority)
        at = next_of(*at);
    *next_of(task) = *at;
    *at = task;
    atomic_fetch_or(&p->state, STATE_TASKS);
}

static SystemTask *create(const SystemTaskKind *kind, Priority priority, Term requester, Term argument) {
    SystemTask *task = mem_calloc(ALLOC_SIGNAL, sizeof *task);
    signal_init(&task->call.signal, SIGNAL_CALL);
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
    if (to == NULL || !signal_push_asking(to, &task->call.signal, task->priority))
        answer_last(task, NON_VALUE, task->kind->refusal);
}

static SystemTask *take_first(Process *p) {
    SystemTask *task = *list_of(p);
    if (task != NULL)
        *list_of(p) = *next_of(task);
    if (*list_of(p) == NULL)
        atomic_fetch_and(&p->state, ~(uint32_t)STATE_TASKS);
    return task;
}

void system_tasks_run(Process *p) {
    while (p->reductions > 0 && !process_is_exiting(p)) {
        SystemTask *task = take_first(p);
        if (task == NULL)
            return;
        answer_last(task, p->pid, task->kind->run(p, task));
    }
    if (*list_of(p) != NULL)
        process_raise_priority(p, (*list_of(p))->priority);
}

void system_tasks_refuse(Process *p) {
    for (SystemTask *task; (task = take_first(p)) != NULL;)
        answer_last(task, NON_VALUE, task->kind->refusal);
}

static Term collect(Process *p, SystemTask *task) {
    process_collect_saved(p, (CollectKind)small_value(task->argument));
    return am_true;
}

const SystemTaskKind system_task_collect = {.run = collect, .refusal = am_false};

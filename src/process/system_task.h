/*
 * System tasks: what a process is asked to do to itself, with nothing of its code running. Collections, "do you still
 * run old code?", "let go of these literals", and who holds a module.
 *
 * A task arrives as a signal, which may neither collect nor look at registers; so it is only entered in one of the
 * process's own lines, and STATE_TASKS makes the scheduler call system_tasks_run at the start of
 * the process's next slice: there all that is live is in saved[], on the stack and in what the process holds. Waiting,
 * suspended and hibernating processes answer too, as their signals wake them. One that ends, or has ended, answers
 * every task with the task's refusal. To end may take long: from when it has let go of what it refers to (STATE_LET_GO)
 * whoever asks is refused at once.
 *
 * Urgent ones are done first, those of one priority by age; but after TASKS_BEFORE_LOW normal ones comes a low one.
 * Collections stand in a line of their own while the process has them put off (system_tasks_put_off), and are done
 * when it has them no more, or refused.
 *
 * While its tasks wait the process runs at the best of their priorities and its own (process/run_queue.h).
 *
 * The answer is the message {Tag, Id, Answer} to the requester, or, when he waits within a BIF, his request's answer
 * (process/request.h). `Id` is kept without references to literals: those may go away while the task is under way.
 *
 * One in a dirty call comes to its tasks when the call is over. A task that has a `look` may be answered before, by who
 * handles its signals meanwhile (process/dirty_gate.h).
 * Source: answers of OTP 25 to erts_internal:request_system_task/3,4.
 */
#ifndef VIV_PROCESS_SYSTEM_TASK_H
#define VIV_PROCESS_SYSTEM_TASK_H

#include "process/message.h"

typedef struct SystemTask SystemTask;

typedef struct {
    /* In the process itself, between slices: may collect. Gives the answer, a term of its heap or an immediate. */
    Term (*run)(Process *p, SystemTask *task);
    /* When it arrives during a dirty call: what can be said with nothing but a look. NON_VALUE: nothing, it becomes a
     * task. If it sets task->stays, it is answered and becomes a task. May be NULL. */
    Term (*look)(Process *p, SystemTask *task);
    Term refusal; /* an atom: the answer of a process that is no more */
} SystemTaskKind;

struct SystemTask {
    CallSignal call;
    const SystemTaskKind *kind;
    Priority priority;
    unsigned line; /* where it stands: its priority, or that of what is put off */
    /* Of the first in its line: the first of the next line, the last of this one, and of low ones how many normal ones
     * were done while it stood first. */
    SystemTask *next_line, *last;
    unsigned passed_over;
    Term requester;
    uint64_t request; /* of process/request.h; 0: answer by message */
    Term tag; /* an atom */
    Kept id;
    Term argument; /* immediate */
    bool stays, is_answered;
};

/* The answer goes to `requester` as {tag, id, Answer}. */
SystemTask *system_task_create(const SystemTaskKind *kind, Priority priority, Term requester, Term tag, Term id,
                               Term argument);
/* The answer is that of p's request (request_begin). */
SystemTask *system_task_create_request(const SystemTaskKind *kind, Process *p, uint64_t request, Term argument);
/* Hands the task over. When there is no such process, or nothing of it to ask about, it is refused at once. */
void system_task_send(Term pid, SystemTask *task);

/* By the scheduler, at the start of a slice, with STATE_TASKS set: does some or all, as far as the reductions go. */
void system_tasks_run(Process *p);
/* A process that ends answers what is left. */
void system_tasks_refuse(Process *p);
/* By its thread: does it have the collections put off that others ask it for? Those that it needs itself are made. */
void system_tasks_put_off(Process *p, bool put_off);

#define TASKS_BEFORE_LOW 8

/* How many requests a stock system process has out at once: system_flag(outstanding_system_requests_limit, _). Twice
 * the number of schedulers, set at the start. */
#define SYSTEM_REQUESTS_LIMIT_MAX 134217727
extern _Atomic uint32_t system_requests_limit;

/* A collection of that kind: am_true. The argument is a small, its CollectKind. */
extern const SystemTaskKind system_task_collect;
/* Nothing: am_true. For tests of the order in which tasks are done. */
extern const SystemTaskKind system_task_test;

#endif

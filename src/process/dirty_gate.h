/*
 * The gate of a process in the hands of the dirty threads: who handles its signals while a call takes as long as it
 * likes.
 *
 * From the moment when its scheduler gives it to the dirty queue (process_leave_to_dirty) until a dirty thread gives it
 * back (process_give_back) a process is in the hands of the dirty threads: one of the DIRTY bits is set in its `state`,
 * RUNNING is not. It has an *owner* then as well, first nobody (it stands in the dirty queue), then the thread that
 * took it from there. All that belongs to a process's thread belongs to the owner while the gate is *shut*, and to the
 * *handler*, one at a time, who has it LOOKED_AT, while the gate is *open*.
 *
 * An open gate says that the owner touches nothing of the process but what never changes (its pid) and what a call
 * reads of its heap: terms, which stay where they are, as a handler never collects. What the call builds it builds in
 * an area of its own, which joins the heap when the gate is shut (nif/env.h, process/dirty_call.h). Whatever else a
 * call needs of its process (its sequential trace token, the frame of a call that goes on later) it takes between a
 * shut and an open.
 *
 * Whoever pushes a signal wakes the receiver as ever (process/signal.h): with neither RUNNING nor QUEUED in its state
 * it is put into a run queue. The scheduler that takes it from there sees whose hands it is in. If it is in those of
 * the dirty threads he leaves QUEUED set, so that nobody else puts it into a queue, and is in charge of its signals: he
 * looks through the gate, if it is open, handles some (process/dirty_signals.h), and lets go of it.
 *
 * No signal is lost. Each of the four writes one word, then reads another's (all are sequentially consistent):
 *
 *   - who pushes: `signals_in`, then QUEUED;
 *   - who opens the gate, or gives it to the dirty queue: the gate, then `signals_in`: not empty, he wakes it;
 *   - who is in charge and lets go: clears QUEUED, then reads the gate, and if that is open `signals_in`: he wakes it
 *     again; if it is shut the owner will read after him;
 *   - who gives the process back: clears the DIRTY bits and reads QUEUED by one compare and swap. Somebody is in
 *     charge: he puts the process into a run queue as any other, for he clears QUEUED by compare and swap, and only if
 *     a DIRTY bit is set. Nobody is: it is done here, if the process has something to do, or signals.
 *
 * (test/model/m_gate.c tries all executions of a scheduler, a dirty thread and one who pushes.)
 *
 * No handler is there once the gate is shut: the owner clears OPEN, and waits for LOOKED_AT to go; a handler sets that
 * only on a word that has OPEN, by compare and swap. The owner sleeps meanwhile, for as long as one handler handles
 * DIRTY_SIGNALS_AT_ONCE signals (a single one may be long: an answer with a million messages). What a handler took from
 * signals_in and did not come to, `signals_begun`, the owner handles itself when it shuts the gate: so with the gate
 * shut there is nothing of that kind, but what came behind the signal that ends it.
 *
 * No destructor runs while somebody handles signals in the middle of a call (term/refc_binary.h: hold): it may be a
 * library's, and wait for a lock that the call has, which waits for the gate. The handler calls it when he has given
 * the gate back; what the owner came upon is left to another thread.
 *
 * An exit signal ends a process in a call at once, where the owner said that it may (process/dirty_end.h). Otherwise
 * the call must be over first, as it must when the process is suspended, or is to do something to itself. If it stands
 * in the dirty queue still, the handler takes it out of there (dirty_queue_remove) to the schedulers.
 */
#ifndef VIV_PROCESS_DIRTY_GATE_H
#define VIV_PROCESS_DIRTY_GATE_H

#include "process/process.h"

/* Why it is open. */
typedef enum {
    GATE_IN_QUEUE,    /* it stands in the dirty queue, or soon will */
    GATE_CALL,        /* in a call; when it must end, it does so afterwards */
    GATE_CALL_TO_END, /* in a call that goes on without the process when that must end */
} DirtyGateKind;

/* By the scheduler that runs p: its state has a DIRTY bit. The process is not the caller's any more. */
void process_leave_to_dirty(Process *p);
/* Has it something to do that a dirty queue would only delay? */
static inline bool process_is_wanted_elsewhere(const Process *p) {
    return (atomic_load(&p->state) & (STATE_EXITING | STATE_SUSPENDED | STATE_TASKS)) != 0;
}
/* By the dirty thread, with the gate shut: back to the schedulers. The rest as process_leave. */
void process_give_back(Process *p, bool wants_more);

/* By the owner. */
void dirty_gate_open(Process *p, DirtyGateKind kind);
/* May sleep, and handles what a handler has begun. Offline for thread progress, or not. */
void dirty_gate_shut(Process *p);

/* In the middle of a call, on the thread that makes it, dirty or not: between the two the process belongs to that
 * thread as ever, or it is a shell. */
typedef struct {
    Process *process; /* NULL: it is not on a dirty thread */
} DirtyPause;
DirtyPause dirty_gate_pause(Process *p);
void dirty_gate_go_on(const DirtyPause *pause);

/* By the handler: false when it is shut. */
must_check bool dirty_gate_look(Process *p);
/* By one thread at a time, for one that was taken apart (process/dirty_end.h): nobody handles its signals any more.
 * False when its call is over. */
must_check bool dirty_gate_look_at_shell(Process *p);
/* The process may be gone after either, when another has ended for it. */
void dirty_gate_look_end(Process *p);
bool dirty_gate_is_open(const Process *p);
/* By either: why it is open, or was last. */
DirtyGateKind dirty_gate_kind(const Process *p);
/* Is a function being called, and not only about to be? */
static inline bool process_is_in_dirty_call(const Process *p) {
    return process_is_in_dirty_hands(p) && dirty_gate_kind(p) != GATE_IN_QUEUE;
}

/* Does processes/0 tell of it? Not of one that ends; but of one that was told to, and is in a call that must be over
 * first, with the code of a module and its literals: those who let go of such things ask all that are told of. */
static inline bool process_is_listed(const Process *p) {
    return !process_is_exiting(p) ||
           (atomic_load_explicit(&p->works_for, memory_order_acquire) != NULL && process_is_in_dirty_call(p));
}

#endif

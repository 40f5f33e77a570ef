/*
 * erlang:suspend_process and resume_process: who suspends whom, how often, and who waits for that.
 *
 * Both sides act on signals: the suspendee raises or lowers its own count, and STATE_SUSPENDED says that it is not
 * zero: it then handles signals and runs no code. One that handles them in the middle of its code leaves that at once
 * (process/signal_handle.h). One that is in a dirty call is suspended when that is over, and only
 * then is it said to be: until then those who wait for it are in `asked`. Each side knows the other: the suspender, who
 * counts, so that what it has done is undone when it ends; and the suspendee, so that the suspender forgets it when it
 * ends. Owner's thread only.
 *
 * One that works for a module (`works_for`) may have what others wait for, so it goes on until that is over:
 * STATE_SUSPENDS says that it is to be suspended then. Who sets that looks at works_for after it; who ends the work
 * clears works_for, then looks at the state, and signals: one of the two sees the other.
 * Source: erlang(3) suspend_process/2, resume_process/1.
 */
#ifndef VIV_PROCESS_SUSPEND_H
#define VIV_PROCESS_SUSPEND_H

#include "process/message.h"

/* Of one process; NULL in most. */
typedef struct Suspensions {
    KeyTable suspending;     /* Suspending by pid: whom it suspends */
    KeyTable suspenders;     /* Suspending by pid: who suspends it; what the runtime itself does is not there */
    struct CallSignal *asked; /* who waits until it is suspended */
    size_t count;            /* by how much it is suspended */
    int64_t timeout_left;    /* milliseconds of the receive that it waits in, as of OTP 28; -1: its time passes */
} Suspensions;
typedef struct {
    KeyNode node;
    size_t count;
    struct SuspendMark *mark; /* in `suspending` alone */
} Suspending;

/* Does the suspendee run no code any more for the first of what `suspending` counts? Until then it is outstanding. Any
 * thread that owns the suspender. */
bool suspend_holds(const Suspending *s);

/* How often p has suspended it. */
size_t suspend_count_of(const Process *p, Term pid);
/* Whom p suspends. */
void suspend_each(const Process *p, void (*each)(KeyNode *suspending, void *data), void *data);

typedef struct {
    bool only_ask; /* p suspends it already */
    uint64_t id;   /* or 0: request `id` of p is answered: true, when it is suspended or goes on (am_false: was asked
                      only); am_badarg when it has ended */
    KeptMessage told; /* or none: {Tag, State}, whose second element becomes one of suspended, not_suspended, exited,
                         badarg; sent to p */
} SuspendRequest;
/* False: no such process; `told` says so then. */
bool suspend_process(Process *p, Term pid, SuspendRequest *request);
/* False: p has not suspended it. */
bool suspend_resume(Process *p, Term pid);
/* p runs no code any more, unless its suspension is put off, or is ending: who waits for that is told. */
void suspend_answer_asked(Process *p);
static inline void suspend_answer(Process *p) {
    if (unlikely(p->suspensions != NULL && p->suspensions->asked != NULL))
        suspend_answer_asked(p);
}
/* By p's thread, or in its dirty call: it works for no module any more. */
void suspend_work_is_over(Process *p);
/* p ends: tells one more process, whom it suspends or who suspends it. False: there was none. */
bool suspend_release_next(Process *p);
/* p suspends itself: it must stop, and goes on when somebody calls suspend_let_go for it. */
void suspend_oneself(Process *p);
void suspend_let_go(Term pid);

#endif

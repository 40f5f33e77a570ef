/*
 * erlang:suspend_process and resume_process: a count in the one who is suspended, a record of it in each who suspends.
 *
 * Both sides act on signals: the suspendee raises or lowers its own count, and STATE_SUSPENDED says that it is not
 * zero: it then handles signals and runs no code. One that is in a dirty call is suspended when that is over, and only
 * then is it said to be: until then those who wait for it are in `suspend_asked`. The suspender's records are undone
 * when it ends. Owner's thread only.
 * Source: erlang(3) suspend_process/2, resume_process/1.
 */
#ifndef VIV_PROCESS_SUSPEND_H
#define VIV_PROCESS_SUSPEND_H

#include "process/message.h"

typedef struct Suspending {
    struct Suspending *next;
    Term pid;
    size_t count;
} Suspending;

/* How often p has suspended it. */
size_t suspend_count_of(const Process *p, Term pid);
/* False: no such process. When it has suspended, request `id` of p is answered true (false if it ended), unless id is
 * 0; or `done` is sent to p (there may be none; freed when the process is gone). */
bool suspend_process(Process *p, Term pid, uint64_t id, KeptMessage done);
/* False: p has not suspended it. */
bool suspend_resume(Process *p, Term pid);
void suspend_release_all(Process *p);
/* p runs no code any more, or is ending: who waits for that is told. */
void suspend_answer_asked(Process *p);
static inline void suspend_answer(Process *p) {
    if (unlikely(p->suspend_asked != NULL))
        suspend_answer_asked(p);
}
/* p suspends itself: it must stop, and goes on when somebody calls suspend_let_go for it. */
void suspend_oneself(Process *p);
void suspend_let_go(Term pid);

#endif

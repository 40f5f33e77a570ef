/*
 * Visitors: threads of libraries, which look at shared structures now and then (base/thread_progress.h). One is
 * registered as a guest when it first does, until it ends.
 */
#ifndef VIV_BASE_VISITOR_H
#define VIV_BASE_VISITOR_H

/* Once, before there are libraries, which may use up all keys of the threads' own data. */
void visitors_init(void);
/* Around all looking at shared structures; nestable, any thread. */
void visitor_enter(void);
void visitor_leave(void);
/* Before what may take long and looks at them here and there, between thread_progress_enter and _leave of its own: the
 * external format does, for the exports that funs lead to. */
void visitor_know_thread(void);

#endif

/*
 * How programs end. Each that was started is watched by a pidfd: when it has ended a scheduler takes its status,
 * whatever has become of its port, so none stays a zombie. What is known of them is under LOCK_CHILD_ENDS.
 *
 * On the stock runtime they are another process's children, and the runtime gets no SIGCHLD of them: so nobody is told
 * of those here, by os:set_signal/2.
 *
 * There the system takes the statuses of all other children, as the runtime ignores SIGCHLD. Here a thread does, where
 * there may be children that nobody in the runtime has begun: orphans are given to the first process of a container.
 */
#ifndef VIV_PORT_CHILD_END_H
#define VIV_PORT_CHILD_END_H

#include "port/port.h"

/* Never given twice, as process numbers of the system are. */
typedef uint32_t ChildId;
#define CHILD_NONE 0

/* Around the start of one, child_begun included: it may end at once, and its end is told only when it is
 * known whose it is. One thread. */
void child_start_begin(void);
void child_start_end(void);
/* It has been started; before anybody is told so. Then one of the two below is called for it. */
ChildId child_begun(int64_t pid);
/* By the same thread: has one ended that nothing waits for, as there was neither a descriptor nor a thread? True: there
 * are some that have not. */
bool children_look(void);
/* The port is told by a signal, `ended`, when the child has ended: with the status as a shell shows it. By the port. */
typedef void ChildEnded(Port *port, int status);
void child_watch(ChildId child, Port *port, ChildEnded *ended);
/* Nobody wants to hear of it, or any more: before the port that watches it goes. */
void child_forget(ChildId child);

/* Is SIGCHLD of that process the end of such a program? Once for each signal, by who takes them. */
bool child_is_own(int64_t pid);

/* Once, at the start, before any program: may there be other children than those begun here? Their statuses are then
 * taken when they have ended, by a thread that looks whenever it is told to, which is for each SIGCHLD. False: there
 * are none, no thread, and the two below are not called. */
bool children_take_others_start(void);
/* From when it is back none is taken that native code may wait for, or they are again. */
void children_take_others(bool are_taken);
void children_look_for_others(void);

/* By who waits for descriptors (sched/poller.h). */
bool child_is_key(uint64_t key);
void child_ready(uint64_t key);

#endif

/*
 * Who waits for file descriptors: the schedulers themselves, one at a time.
 *
 * A scheduler that has nothing to run sleeps in the set of sys/fd_poll.h, if no other does; the others sleep on their
 * events. So what becomes ready wakes the thread that handles it, and no other in between. A scheduler that is awake
 * looks into the set now and then, between slices and while it looks for work, if nobody sleeps there: one that has
 * enough to do pays about a hundredth of its time for that, and wakes nobody.
 *
 * The role is VACANT, of one who is LOOKING (for less than a microsecond), or of one who is WAITING. Nothing that
 * becomes ready stays unseen:
 *   - Whoever goes to sleep while it is vacant takes it. Who does not get it saw another one with it, who is awake when
 *     he gives it back, and will look, or go to sleep in his turn.
 *   - A scheduler that is awake, and sees it vacant while another sleeps, calls that one between two slices: who is
 *     called looks for work, and goes to sleep with the role.
 *   - One that is awake may be in a function of others for long. The thread of sched/poll_thread.h sees to that: when
 *     a tick has passed in which nobody looked, it calls a scheduler that sleeps, or, if none does, looks itself. It
 *     ticks only while the role is not somebody's who is waiting: who gives it back then wakes it, if it sleeps.
 *
 * `held` is written by who has the role. Who gives it back writes that, then reads whether the watch sleeps; the watch
 * says that it sleeps, then reads `held`; all in the one order: one of the two sees the other. test/model/m_poller.c
 * tries all executions.
 *
 * What is found is handed out by who has found it, when he is no longer in the role, and online
 * (base/thread_progress.h): to those who armed the descriptors, by the key (sys/fd_poll.h). No lock is held, and those
 * who are called must not block. Source: the manual page epoll(7).
 */
#ifndef VIV_SCHED_POLLER_H
#define VIV_SCHED_POLLER_H

#include "sys/fd_poll.h"
#include "sys/thread.h"

#define POLLER_MOST 64 /* events at once */

typedef struct {
    FdEvent events[POLLER_MOST];
    int count;
} PollerFound;

/* Sleeps until `e` is woken, until `until` (clock_monotonic; negative: no end), or until descriptors are ready, if the
 * role is to be had. Those are the caller's to hand out. */
void poller_sleep(SysEvent *e, int64_t until, PollerFound *found);
/* Looks, and hands out, if nobody has the role. True: something was found. */
bool poller_look(void);
/* Hands out, and forgets. */
void poller_hand_out(PollerFound *found);
bool poller_is_vacant(void);
/* How often somebody has looked, or began to wait. */
uint32_t poller_looks(void);
/* By the thread that watches: sleeps while somebody waits for descriptors. */
void poller_watch_sleep(void);

#endif

/*
 * Sleeping on an event and for file descriptors at once: what wakes the event ends the wait for descriptors. At most
 * one thread does so at a time, as there is one set of them, and one way to interrupt who waits for it: sched/poller.h.
 */
#ifndef VIV_SYS_EVENT_POLLING_H
#define VIV_SYS_EVENT_POLLING_H

#include "sys/fd_poll.h"
#include "sys/thread.h"

/* As event_wait, or until descriptors are ready: up to `most` of them, how many there are. */
int event_wait_polling(SysEvent *e, int64_t deadline, FdEvent *events, int most);

#endif

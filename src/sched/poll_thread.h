/*
 * The thread that waits for file descriptors and hands what is ready to those who armed them. It sleeps in the kernel
 * until then: waiting costs nothing. It holds no lock while it calls, and those whom it calls must not block. A key
 * (sys/fd_poll.h) says whose it is: native libraries' (nif/select.h), or a built-in function's (process/fd_wait.h).
 */
#ifndef VIV_SCHED_POLL_THREAD_H
#define VIV_SCHED_POLL_THREAD_H

void poll_thread_start(void);

#endif

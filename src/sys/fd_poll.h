/*
 * Waiting for file descriptors: one set for the whole program; who waits is the business of sched/poller.h.
 *
 * A descriptor is armed for events once: when one of them has come, none is reported until it is armed again. Each
 * arming has a key, which comes back with the event. So whoever keeps what is to be done by the key under a lock of his
 * own, and forgets it when he arms anew or forgets the descriptor, needs not wait for anybody: an event that was on its
 * way by then finds nothing under its key. The kernel looks at the descriptor anew with every arming, so nothing is
 * lost. A descriptor may be closed as soon as fd_poll_forget has returned.
 *
 * All may be called from any thread. No lock is taken, nothing is allocated.
 */
#ifndef VIV_SYS_FD_POLL_H
#define VIV_SYS_FD_POLL_H

#include <stdbool.h>
#include <stdint.h>

/* FD_PROBLEM comes unasked with the others: an error, or the other end has gone. */
enum { FD_READ = 1, FD_WRITE = 2, FD_PROBLEM = 4 };

typedef struct {
    uint64_t key;
    unsigned events;
} FdEvent;

/* Before anything else here. */
void fd_poll_init(void);
/* 0, or an error number: EBADF, EPERM for what is always ready (a regular file), ENOMEM, ENOSPC. */
int fd_poll_arm(int fd, unsigned events, uint64_t key);
/* Was it there? One that was closed is not. */
bool fd_poll_forget(int fd);
/* Sleeps until there are events, up to `most` of them; how many there are. `deadline` of clock_monotonic, negative:
 * none, 0: does not sleep. None come when it has passed, when the wait was interrupted, or for no reason. */
int fd_poll_wait(FdEvent *events, int most, int64_t deadline);
/* Ends a wait that goes on, or the next one. */
void fd_poll_interrupt(void);

#endif

/*
 * Waiting until a file descriptor can be read, on no thread: a built-in function that may wait (process/request.h)
 * arms it, and who waits for descriptors (sched/poller.h) answers.
 *
 * What is armed is a duplicate, this wait's own: so others may wait for the same descriptor, in whatever way, and it
 * may be closed meanwhile. It goes when the answer is given, or when nobody waits for that any more.
 *
 * To be readable is a hint, as always: another process of the system that has the same terminal or pipe may take what
 * is there. Who reads then waits in the read.
 *
 * The waits are under the lock FD_WAITS; each is its process's memory, by the guard of the request.
 */
#ifndef VIV_PROCESS_FD_WAIT_H
#define VIV_PROCESS_FD_WAIT_H

#include "process/process.h"

/* By a BIF that may wait. True: read it; that tells what is wrong with it, too, and waits where waiting here is not
 * possible. False: the process waits (FAIL_WAIT). */
must_check bool fd_wait_readable(Process *p, int fd);

/* By who waits for descriptors, with no lock: was a descriptor armed here, and something has happened to it? */
bool fd_wait_is_key(uint64_t key);
void fd_wait_ready(uint64_t key);

#endif

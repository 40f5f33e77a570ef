/*
 * The door: a local socket that listens, FOLDER/PID (see/folder.h), in the one poll set (sys/fd_poll.h).
 *
 *   armed --- somebody connects: who waits for descriptors calls see_door_ready ---> a process asks him in
 *     ^                                                                                      |
 *     +------ the process has asked (see_door_admit), or is gone (see_knock_destroy) <-------+
 *
 * The descriptor is armed once for each time (sys/fd_poll.h), so there is one such process at a time, or none: no state
 * is shared but what see_door_open has written before any thread ran. Others who knock meanwhile wait in the kernel's
 * queue. While nobody has connected there is no process, and nothing to be seen from within the node.
 */
#ifndef VIV_SEE_DOOR_H
#define VIV_SEE_DOOR_H

#include <stdint.h>

#include "see/link.h"

/* At the start, before other threads run. Where it cannot be (no folder, a name too long, no descriptor), there is no
 * door, and nothing is said. */
void see_door_open(void);
/* When there is a poll set: from now on who knocks is heard. */
void see_door_watch(void);
/* NULL: there is none. */
const char *see_door_name(void);

/* By who waits for descriptors (sched/poller.h). */
bool see_door_is_key(uint64_t key);
void see_door_ready(void);

/* By the process that see_door_ready has made, viv_see:knocked(Knock): 0, or an error number as of see_link_accept. The
 * door is armed again, unless there is no descriptor to be had (EMFILE, ENFILE): then he may ask again later. */
must_check int see_door_admit(SeeLink *link);
/* What is behind `Knock`, a magic reference: who has asked sets is_answered; dropped without that, it arms the door. */
typedef struct {
    bool is_answered;
} SeeKnock;
struct RefcBinary;
bool see_knock_destroy(struct RefcBinary *binary);

#endif

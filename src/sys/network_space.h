/*
 * Network name spaces of the system, of which a file each says which it is: the thread goes into one, for a moment.
 * It may not wait for anything else meanwhile. Source: setns(2).
 */
#ifndef VIV_SYS_NETWORK_SPACE_H
#define VIV_SYS_NETWORK_SPACE_H

#include "base/defs.h"

typedef struct {
    int home; /* where the thread was */
} NetworkSpace;

/* False: errno says why, and the thread is where it was. */
must_check bool network_space_enter(NetworkSpace *space, const char *path);
void network_space_leave(NetworkSpace *space);

#endif

/*
 * A connection of the local door: a stream socket, at either end, whose peer is the same user, or root.
 *
 * It lies inside of a magic object, which owns the descriptor: it stays open until nobody refers to the object any
 * more, so that no number is ever read or written that has become another's. see_link_end makes both ends see the end
 * at once. No locks: the kernel's own serialise. Nothing here waits.
 */
#ifndef VIV_SEE_LINK_H
#define VIV_SEE_LINK_H

#include "base/defs.h"

#include <sys/types.h>

typedef struct {
    int fd;
    bool is_guest; /* came through the door */
} SeeLink;

/* At most so many come through the door at once; another is sent away. */
#define SEE_GUESTS_MOST 64

/* 0, or an error number. EACCES: the peer, or the folder of the path, is not the user's own; root may see all. */
must_check int see_link_connect(SeeLink *link, const char *path);
/* 0, or an error number; EACCES: of a stranger, EBUSY: there are too many; he has been sent away. */
must_check int see_link_accept(SeeLink *link, int door);
/* How many bytes, 0 at the end; -1 with errno, EAGAIN where there are none now. */
ssize_t see_link_read(const SeeLink *link, void *bytes, size_t room);
/* How many of them were taken; -1 with errno, EAGAIN where none can be now. */
ssize_t see_link_write(const SeeLink *link, const void *bytes, size_t count);
void see_link_end(const SeeLink *link);
/* Nobody refers to it any more. */
void see_link_release(SeeLink *link);

#endif

/*
 * The folder where nodes of one user have their sockets: $XDG_RUNTIME_DIR/viv or, where that cannot be, /tmp/viv-UID.
 *
 * It is the user's own and closed to all others (mode 0700), or it is not used: nobody else can put a socket there,
 * take one away, or connect. Any thread. Nothing here is said aloud: a node without a door is a node.
 */
#ifndef VIV_SEE_FOLDER_H
#define VIV_SEE_FOLDER_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/defs.h"

#define SEE_PATH_ROOM sizeof((struct sockaddr_un){0}.sun_path)

typedef enum { FOLDER_OF_SESSION, FOLDER_OF_TMP, FOLDERS } SeeFolder;

/* Its name. False: there is none of this kind, or it has no room for a socket's name. */
must_check bool see_folder_name(SeeFolder which, char name[SEE_PATH_ROOM]);
/* Is it a folder, `owner`'s, and closed to all others? */
must_check bool see_folder_is_good(const char *name, uid_t owner);
/* The same of one that is made if it is not there; the user's own. */
must_check bool see_folder_make(const char *name);

#endif

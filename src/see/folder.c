#include "see/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/environment.h"

#define SOCKET_NAME_ROOM 12 /* "/", a process number of the system, NUL */

static bool fits(int length) { return length > 0 && (size_t)length + SOCKET_NAME_ROOM <= SEE_PATH_ROOM; }

bool see_folder_name(SeeFolder which, char name[SEE_PATH_ROOM]) {
    if (which == FOLDER_OF_TMP)
        return fits(snprintf(name, SEE_PATH_ROOM, "/tmp/viv-%u", (unsigned)geteuid()));
    mutex_lock(&environment_lock);
    const char *session = getenv("XDG_RUNTIME_DIR");
    bool is = session != NULL && session[0] == '/' && fits(snprintf(name, SEE_PATH_ROOM, "%s/viv", session));
    mutex_unlock(&environment_lock);
    return is;
}

bool see_folder_is_good(const char *name, uid_t owner) {
    struct stat info;
    return lstat(name, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == owner && (info.st_mode & 077) == 0;
}

/* mkdir answers for what is there as well: what that is, is looked at after. */
bool see_folder_make(const char *name) {
    (void)mkdir(name, 0700);
    return see_folder_is_good(name, geteuid());
}

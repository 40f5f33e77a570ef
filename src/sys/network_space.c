#include "sys/network_space.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

static int open_space(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

/* Where the calling thread is: /proc/self would say where the first one is. */
bool network_space_enter(NetworkSpace *space, const char *path) {
    int there = open_space(path), error = errno;
    space->home = there >= 0 ? open_space("/proc/thread-self/ns/net") : -1;
    bool is_there = space->home >= 0 && setns(there, CLONE_NEWNET) == 0;
    if (there >= 0 && !is_there)
        error = errno;
    if (there >= 0)
        close(there);
    if (!is_there && space->home >= 0)
        close(space->home);
    errno = error;
    return is_there;
}

void network_space_leave(NetworkSpace *space) {
    require(setns(space->home, CLONE_NEWNET) == 0);
    close(space->home);
}

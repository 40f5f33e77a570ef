#include "sys/standard_input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

_Atomic bool standard_input_is_taken;

/* It was ready when somebody looked. But what was there then may have been read by who had taken it, and standard input
 * is shared with other programs, so that it may be one that waits: a scheduler must not. */
static bool has_input(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return !atomic_load(&standard_input_is_taken) && poll(&input, 1, 0) != 0;
}

ssize_t input_read(int fd, void *bytes, size_t room) {
    if (fd == STDIN_FILENO && !has_input()) {
        errno = EAGAIN;
        return -1;
    }
    return read(fd, bytes, room);
}

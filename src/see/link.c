#include "see/link.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "see/folder.h"

static _Atomic unsigned guests;

/* Whoever listens, or has connected, as the kernel says: the same user, or root. Source: unix(7). */
static bool is_of_user(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

/* The folder that it lies in is its owner's alone; he is the user, or root asks. */
static bool is_in_good_folder(const char *path) {
    char folder[SEE_PATH_ROOM];
    struct stat info;
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path || (size_t)(slash - path) >= sizeof folder)
        return false;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    if (lstat(folder, &info) != 0 || (info.st_uid != geteuid() && geteuid() != 0))
        return false;
    return see_folder_is_good(folder, info.st_uid);
}

int see_link_connect(SeeLink *link, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    if (access(path, F_OK) != 0)
        return errno;
    if (!is_in_good_folder(path))
        return EACCES;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    int error = connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ? errno : 0;
    if (error == 0 && geteuid() != 0 && !is_of_user(fd)) /* root looks at anybody's */
        error = EACCES;
    if (error != 0) {
        close(fd);
        return error;
    }
    *link = (SeeLink){.fd = fd};
    return 0;
}

int see_link_accept(SeeLink *link, int door) {
    int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return errno;
    int error = !is_of_user(fd) ? EACCES : 0;
    if (error == 0 && atomic_fetch_add(&guests, 1) >= SEE_GUESTS_MOST) {
        atomic_fetch_sub(&guests, 1);
        error = EBUSY;
    }
    if (error != 0) {
        close(fd);
        return error;
    }
    *link = (SeeLink){.fd = fd, .is_guest = true};
    return 0;
}

ssize_t see_link_read(const SeeLink *link, void *bytes, size_t room) {
    ssize_t got;
    do
        got = recv(link->fd, bytes, room, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    return got;
}

ssize_t see_link_write(const SeeLink *link, const void *bytes, size_t count) {
    ssize_t sent;
    do
        sent = send(link->fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

void see_link_end(const SeeLink *link) { (void)shutdown(link->fd, SHUT_RDWR); }

void see_link_release(SeeLink *link) {
    close(link->fd);
    if (link->is_guest)
        atomic_fetch_sub(&guests, 1);
}

#include "sys/fd_poll.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/fault.h"

#define MOST_AT_ONCE 64

static int set = -1;

void fd_poll_init(void) {
    set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0)
        panic("no epoll: %s", strerror(errno));
}

int fd_poll_arm(int fd, unsigned events, uint64_t key) {
    struct epoll_event e = {.data.u64 = key, .events = EPOLLONESHOT};
    e.events |= (events & FD_READ ? EPOLLIN | EPOLLRDHUP : 0) | (events & FD_WRITE ? (uint32_t)EPOLLOUT : 0);
    if (epoll_ctl(set, EPOLL_CTL_MOD, fd, &e) == 0)
        return 0;
    if (errno != ENOENT)
        return errno;
    if (fault_now(FAULT_POLL)) /* to watch one more takes memory, to watch it for something else does not */
        return ENOMEM;
    return epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0 ? 0 : errno;
}

bool fd_poll_forget(int fd) {
    struct epoll_event unused = {0};
    return epoll_ctl(set, EPOLL_CTL_DEL, fd, &unused) == 0;
}

static unsigned events_of(uint32_t e) {
    return (e & (EPOLLIN | EPOLLRDHUP) ? FD_READ : 0u) | (e & EPOLLOUT ? FD_WRITE : 0u) |
           (e & (EPOLLERR | EPOLLHUP) ? FD_PROBLEM : 0u);
}

int fd_poll_wait(FdEvent *events, int most) {
    struct epoll_event found[MOST_AT_ONCE];
    int count = epoll_wait(set, found, most < MOST_AT_ONCE ? most : MOST_AT_ONCE, -1);
    for (int i = 0; i < count; i++)
        events[i] = (FdEvent){found[i].data.u64, events_of(found[i].events)};
    return count > 0 ? count : 0;
}

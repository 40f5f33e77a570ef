#include "sys/fd_poll.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/leave.h"
#include "sys/clock.h"

#define MOST_AT_ONCE 64

#define INTERRUPT UINT64_MAX /* a key that nobody's descriptor has: the low half is no descriptor */

static int set = -1, interrupt = -1;

/* Told at each write, as it is edge-triggered: nobody needs to read it. */
void fd_poll_init(void) {
    struct epoll_event e = {.data.u64 = INTERRUPT, .events = EPOLLIN | EPOLLET};
    set = epoll_create1(EPOLL_CLOEXEC);
    interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (set < 0 || interrupt < 0 || epoll_ctl(set, EPOLL_CTL_ADD, interrupt, &e) != 0)
        runtime_lacks(errno, "cannot watch file descriptors");
}

void fd_poll_interrupt(void) {
    uint64_t one = 1;
    if (write(interrupt, &one, sizeof one) < 0)
        panic("who waits for descriptors cannot be woken: %s", strerror(errno));
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

/* Kernels before 5.11, and some sandboxes, know whole milliseconds only. */
static int wait_in_milliseconds(struct epoll_event *found, int most, int64_t left) {
    int64_t milliseconds = left < 0 ? -1 : (left + 999999) / 1000000;
    return epoll_wait(set, found, most, milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds);
}

/* `left`: nanoseconds, negative: no end. */
static int wait_for(struct epoll_event *found, int most, int64_t left) {
    static _Atomic bool is_coarse;
    if (left <= 0 || is_coarse)
        return wait_in_milliseconds(found, most, left);
    struct timespec time = {left / NANOSECONDS_PER_SECOND, left % NANOSECONDS_PER_SECOND};
    int count = epoll_pwait2(set, found, most, &time, NULL);
    if (count >= 0 || (errno != ENOSYS && errno != EPERM))
        return count;
    is_coarse = true;
    return wait_in_milliseconds(found, most, left);
}

static int64_t time_left(int64_t deadline) {
    int64_t left = deadline <= 0 ? deadline : deadline - clock_monotonic();
    return left < 0 && deadline >= 0 ? 0 : left;
}

int fd_poll_wait(FdEvent *events, int most, int64_t deadline) {
    struct epoll_event found[MOST_AT_ONCE];
    int told = 0, count = wait_for(found, most < MOST_AT_ONCE ? most : MOST_AT_ONCE, time_left(deadline));
    for (int i = 0; i < count; i++)
        if (found[i].data.u64 != INTERRUPT)
            events[told++] = (FdEvent){found[i].data.u64, events_of(found[i].events)};
    return told;
}

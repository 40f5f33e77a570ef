#include "process/fd_wait.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/request.h"
#include "sys/fd_poll.h"
#include "term/atom.h"

typedef struct Wait {
    RequestGuard guard; /* must be first */
    struct Wait *next;
    uint32_t number;
    int fd; /* its own; -1: the answer is on its way, and who found that out has closed it, or will */
    Term pid;
    uint64_t request;
} Wait;

static Mutex lock = MUTEX_INITIALIZER(LOCK_FD_WAITS);
static Wait *waits;
static uint32_t last_number;

/* Keys of descriptors have this bit clear: nif/select.c. */
#define OURS ((uint64_t)1 << 31)

bool fd_wait_is_key(uint64_t key) { return (key & OURS) != 0; }

static Wait **place_of(uint32_t number) {
    Wait **at = &waits;
    while (*at != NULL && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

/* The descriptor is the caller's now. -1: there is no such wait, or another has it. */
static int take_out(uint32_t number, Term *pid, uint64_t *request) {
    int fd = -1;
    mutex_lock(&lock);
    Wait **at = place_of(number), *w = *at;
    if (w != NULL) {
        *at = w->next;
        fd = w->fd;
        w->fd = -1;
        *pid = w->pid;
        *request = w->request;
    }
    mutex_unlock(&lock);
    return fd;
}

static void close_armed(int fd) {
    fd_poll_forget(fd);
    close(fd);
}

void fd_wait_ready(uint64_t key) {
    Term pid;
    uint64_t request;
    int fd = take_out((uint32_t)(key >> 32), &pid, &request);
    if (fd < 0)
        return;
    close_armed(fd);
    race_window("a descriptor can be read, who waits is not yet told");
    thread_progress_enter();
    request_reply(pid, request, am_true);
    thread_progress_leave();
}

static void lost(RequestGuard *guard) {
    Wait *w = (Wait *)guard;
    int fd = take_out(w->number, &(Term){0}, &(uint64_t){0});
    if (fd >= 0)
        close_armed(fd);
    mem_free(ALLOC_PROCESS_MISC, w);
}

static const RequestGuardType type = {.lost = lost};

/* Or something is wrong with it. */
static bool is_readable(int fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) != 0;
}

static Wait *wait_create(Process *p, int fd) {
    Wait *w = mem_alloc(ALLOC_PROCESS_MISC, sizeof *w);
    *w = (Wait){.guard.type = &type, .fd = fd, .pid = p->pid, .request = request_begin(p)};
    p->request->guard = &w->guard;
    mutex_lock(&lock);
    w->number = ++last_number;
    w->next = waits;
    waits = w;
    mutex_unlock(&lock);
    return w;
}

/* False: it cannot be waited for here. */
static bool begin(Process *p, int fd) {
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return false;
    const Wait *w = wait_create(p, own);
    race_window("a process waits for a descriptor that is not armed");
    if (fd_poll_arm(own, FD_READ, (uint64_t)w->number << 32 | OURS) == 0)
        return true;
    request_drop(p);
    return false;
}

/* Called again. */
static bool is_over(Process *p) {
    if (!p->request->is_answered)
        return false;
    request_drop(p);
    return true;
}

bool fd_wait_readable(Process *p, int fd) {
    bool goes_on = p->request != NULL;
    if (goes_on ? is_over(p) : is_readable(fd) || !begin(p, fd))
        return true;
    request_wait(p);
    return false;
}

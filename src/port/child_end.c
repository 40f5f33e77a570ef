#include "port/child_end.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "base/visitor.h"
#include "port/callback.h"
#include "process/key_table.h"
#include "sys/fd_poll.h"

/* Of one that has been started: until it has ended, and somebody has heard of it or does not want to. */
typedef struct {
    KeyNode node;   /* its ChildId */
    KeyNode living; /* the number that the system has given it */
    int fd;       /* a pidfd; -1: it has ended, or a thread waits for it */
    bool has_ended, is_forgotten;
    int status;
    Port *port; /* NULL: nobody yet */
    ChildEnded *ended;
} Watch;

static Mutex lock = MUTEX_INITIALIZER(LOCK_CHILD_ENDS);
static KeyTable watches;
static KeyTable living; /* those of them that were not seen to have ended: that number is nobody else's */

/* The latest that have ended, whose signals may be on their way still; 0: none. */
#define ENDED 1024
static int64_t ended[ENDED];
static size_t ended_next;

static Mutex starting = MUTEX_INITIALIZER(LOCK_CHILD_START);

/* Other keys have these two bits otherwise: port/select.c. */
#define OURS ((uint64_t)3 << 29)
bool child_is_key(uint64_t key) { return (key & OURS) == OURS; }

typedef struct {
    CallSignal call; /* must be first */
    ChildEnded *ended;
    int status;
} EndSignal;

static void tell_port(Process *receiver, CallSignal *call) {
    EndSignal *s = (EndSignal *)call;
    Port *port = port_of(receiver);
    port_callback_begin(port);
    s->ended(port, s->status);
    port_callback_end(port);
    mem_free(ALLOC_SIGNAL, s);
}

/* Under the lock: its port is there, and open to signals. */
static void tell_locked(const Watch *w) {
    EndSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = tell_port;
    s->ended = w->ended;
    s->status = w->status;
    if (!signal_push(&w->port->actor, &s->call.signal))
        mem_free(ALLOC_SIGNAL, s);
}

/* Under the lock: somebody has heard of it, or nobody is to. */
static void end_locked(Watch *w) {
    key_table_remove(&watches, w->node.key);
    mem_free(ALLOC_PORT, w);
}

/* As a shell shows it. */
static int status_of(const siginfo_t *info) {
    return info->si_code == CLD_EXITED ? info->si_status : 128 + (info->si_status & 127);
}

/* Of others than programs: under the lock. */
static bool takes_others; /* their statuses are taken */
static bool others_wait;  /* some may have ended */
static Condition others_come;

static void look_locked(void) {
    if (!takes_others)
        return;
    others_wait = true;
    condition_signal(&others_come);
}

/* It has ended. Its status is taken, which gives the number free: at once with its being known as living, so that it is
 * never taken for another's. Others may be behind it. */
static void take(int64_t pid, idtype_t type, id_t id) {
    siginfo_t info;
    mutex_lock(&lock);
    (void)key_table_remove(&living, (uint64_t)pid);
    ended[ended_next++ % ENDED] = pid;
    (void)waitid(type, id, &info, WEXITED | WNOHANG);
    look_locked();
    mutex_unlock(&lock);
}

/* Once the port has been told it may be gone before this thread is through with it: it is looked at until then. */
static void has_ended(ChildId child, int status) {
    visitor_enter();
    mutex_lock(&lock);
    Watch *w = (Watch *)key_table_find(&watches, child);
    w->has_ended = true;
    w->status = status;
    w->fd = -1;
    if (w->port != NULL)
        tell_locked(w);
    if (w->port != NULL || w->is_forgotten)
        end_locked(w);
    mutex_unlock(&lock);
    visitor_leave();
}

void child_ready(uint64_t key) {
    ChildId child = (ChildId)(key >> 32);
    siginfo_t info = {0};
    mutex_lock(&lock);
    const Watch *w = (const Watch *)key_table_find(&watches, child);
    int fd = w == NULL ? -1 : w->fd;
    int64_t pid = w == NULL ? 0 : (int64_t)w->living.key;
    mutex_unlock(&lock);
    if (fd < 0 || waitid((idtype_t)P_PIDFD, (id_t)fd, &info, WEXITED | WNOWAIT) != 0)
        return;
    race_window("a program has ended, and its status is not taken");
    take(pid, (idtype_t)P_PIDFD, (id_t)fd);
    fd_poll_forget(fd);
    close(fd);
    has_ended(child, status_of(&info));
}

typedef struct Waited {
    struct Waited *next;
    int64_t pid;
    ChildId child;
} Waited;

/* Where there are no pidfds, or no descriptors. True: it has ended, and w is freed; `how`: WNOHANG, or 0. */
static bool wait_for(Waited *w, int how) {
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOWAIT | how) != 0 && errno == EINTR) {
    }
    if (how == WNOHANG && info.si_pid == 0)
        return false;
    race_window("a program has ended, and its status is not taken");
    take(w->pid, P_PID, (id_t)w->pid);
    has_ended(w->child, status_of(&info));
    mem_free(ALLOC_PORT, w);
    return true;
}

static void wait_in_thread(void *waited) { (void)wait_for(waited, 0); }

/* There was no thread for it, either: the one that starts them looks at it now and then, and nobody else knows it. */
static Waited *looked_at;

static void wait_by_thread(int64_t pid, ChildId child) {
    static Thread thread; /* nobody joins it */
    Waited *w = mem_alloc(ALLOC_PORT, sizeof *w);
    *w = (Waited){looked_at, pid, child};
    if (thread_try_start(&thread, "child", 0, wait_in_thread, w) != 0)
        looked_at = w;
}

bool children_look(void) {
    for (Waited **at = &looked_at, *w; (w = *at) != NULL;) {
        Waited *next = w->next;
        if (wait_for(w, WNOHANG))
            *at = next;
        else
            at = &w->next;
    }
    return looked_at != NULL;
}

ChildId child_begun(int64_t pid) {
    static _Atomic ChildId last;
    Watch *w = mem_calloc(ALLOC_PORT, sizeof *w);
    ChildId child = atomic_fetch_add(&last, 1) + 1;
    int fd = w->fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    w->node.key = child;
    w->living.key = (uint64_t)pid;
    mutex_lock(&lock);
    key_table_add(&watches, &w->node);
    key_table_add(&living, &w->living);
    mutex_unlock(&lock);
    if (fd >= 0 && fd_poll_arm(fd, FD_READ, (uint64_t)child << 32 | OURS) == 0)
        return child;
    if (fd >= 0)
        close(fd);
    wait_by_thread(pid, child);
    return child;
}

void child_watch(ChildId child, Port *port, ChildEnded *ended) {
    mutex_lock(&lock);
    Watch *w = (Watch *)key_table_find(&watches, child);
    w->port = port;
    w->ended = ended;
    if (w->has_ended) {
        tell_locked(w);
        end_locked(w);
    }
    mutex_unlock(&lock);
}

void child_forget(ChildId child) {
    mutex_lock(&lock);
    Watch *w = (Watch *)key_table_find(&watches, child);
    if (w != NULL && w->has_ended) {
        end_locked(w);
    } else if (w != NULL) {
        w->port = NULL;
        w->is_forgotten = true;
    }
    mutex_unlock(&lock);
}

void child_start_begin(void) { mutex_lock(&starting); }
void child_start_end(void) { mutex_unlock(&starting); }

static bool was_own_locked(int64_t pid) {
    for (size_t i = 0; i < ENDED; i++)
        if (ended[i] == pid) {
            ended[i] = 0;
            return true;
        }
    return false;
}

/* One that is living comes to be one of the latest, too; its signal has then been, and the next one of that number is
 * not long in coming only where numbers are given again at once. */
bool child_is_own(int64_t pid) {
    mutex_lock(&starting);
    mutex_unlock(&starting);
    mutex_lock(&lock);
    bool is_own = was_own_locked(pid) || key_table_find(&living, (uint64_t)pid) != NULL;
    mutex_unlock(&lock);
    return is_own;
}

/* No program is being started: those that there are, are known. The system shows the first that has ended: while that
 * is a program, whoever takes its status asks for the next look. False: there is nothing to take now. */
static bool take_other(void) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return false;
    race_window("one that has ended was seen");
    mutex_lock(&lock);
    bool is_other = takes_others && key_table_find(&living, (uint64_t)info.si_pid) == NULL;
    if (is_other)
        (void)waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG);
    mutex_unlock(&lock);
    return is_other;
}

static void take_others(void *unused) {
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGCHLD);
    (void)pthread_sigmask(SIG_UNBLOCK, &told, NULL); /* whatever the runtime was started with */
    for (;;) {
        mutex_lock(&lock);
        while (!others_wait)
            condition_wait(&others_come, &lock);
        others_wait = false;
        mutex_unlock(&lock);
        mutex_lock(&starting);
        while (take_other()) {
        }
        mutex_unlock(&starting);
    }
}

/* The first process of a container, one that orphans are given to, or one that was somebody else when it began them. */
static bool may_have_others(void) {
    int is_reaper = 0;
    siginfo_t info;
    if (getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) == 0 && is_reaper != 0))
        return true;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool children_take_others_start(void) {
    static Thread thread; /* nobody joins it */
    if (!may_have_others())
        return false;
    condition_init(&others_come);
    thread_start(&thread, "orphans", 0, take_others, NULL);
    children_take_others(true);
    return true;
}

void children_take_others(bool are_taken) {
    mutex_lock(&lock);
    takes_others = are_taken;
    look_locked();
    mutex_unlock(&lock);
}

void children_look_for_others(void) {
    mutex_lock(&lock);
    look_locked();
    mutex_unlock(&lock);
}

#include "port/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/request.h"
#include "sys/clock.h"
#include "term/atom.h"

static void free_strings(char **strings) {
    for (char **s = strings; s != NULL && *s != NULL; s++)
        mem_free(ALLOC_PORT, *s);
    mem_free(ALLOC_PORT, strings);
}

void child_spec_release(ChildSpec *spec) {
    mem_free(ALLOC_PORT, spec->path);
    mem_free(ALLOC_PORT, spec->folder);
    free_strings(spec->arguments);
    free_strings(spec->environment);
    *spec = (ChildSpec){0};
}

typedef enum { JOB_WAITS, JOB_DONE, JOB_DROPPED } JobState;

/* Under LOCK_CHILD_STARTS: `state`. What was started belongs to who takes it while it is DONE; when it is DROPPED the
 * starting thread frees it. */
typedef struct Job {
    RequestGuard guard; /* must be first */
    struct Job *next;
    JobState state;
    ChildSpec spec;
    ChildStarted started;
    Term pid;
    uint64_t request;
} Job;

static Mutex lock = MUTEX_INITIALIZER(LOCK_CHILD_STARTS);
static Job *jobs, **jobs_last = &jobs;
static Condition jobs_come;
static bool is_served; /* the starting thread is there */

typedef struct {
    int port_end, child_end; /* -1: none */
} Pipe;

/* 0, or an error number. */
static int pipe_open(Pipe *p, bool is_wanted, bool port_reads) {
    int ends[2];
    *p = (Pipe){-1, -1};
    if (!is_wanted)
        return 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    *p = port_reads ? (Pipe){ends[0], ends[1]} : (Pipe){ends[1], ends[0]};
    fcntl(p->port_end, F_SETFL, O_NONBLOCK);
    return 0;
}

static void close_if_open(int fd) {
    if (fd >= 0)
        close(fd);
}

static void pipe_close(Pipe *p) {
    close_if_open(p->port_end);
    close_if_open(p->child_end);
}

static bool is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && access(path, X_OK) == 0;
}

/* The child's descriptors. Its ends are moved up first, so that none lies where another is to come. */
static int add_descriptors(posix_spawn_file_actions_t *a, const ChildSpec *spec, const Pipe *in, const Pipe *out) {
    int to_read = spec->on_stdio ? 0 : 3, to_write = spec->on_stdio ? 1 : 4;
    if (out->child_end >= 0)
        posix_spawn_file_actions_adddup2(a, out->child_end, to_read);
    if (in->child_end >= 0)
        posix_spawn_file_actions_adddup2(a, in->child_end, to_write);
    if (spec->merges_stderr && in->child_end >= 0)
        posix_spawn_file_actions_adddup2(a, in->child_end, 2);
    if (spec->folder != NULL)
        posix_spawn_file_actions_addchdir_np(a, spec->folder);
    return posix_spawn_file_actions_addclosefrom_np(a, spec->on_stdio ? 3 : 5);
}

static sigset_t to_default, blocked; /* in programs; written once, at the start */

/* The C library's own: of the first it does not tell, and posix_spawn ignores it unless it is in the set; the second it
 * handles where there are threads. Who is started by posix_spawn (make, for one) finds both ignored. */
#define CANCELS 32
#define SETS_IDS 33

/* Asks the system, in its own form (rt_sigaction(2)). */
static bool is_ignored(int number) {
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } a;
    return syscall(SYS_rt_sigaction, number, NULL, &a, sizeof a.mask) == 0 && a.handler == SIG_IGN;
}

void child_signals_start(void) {
    memset(&to_default, 0xff, sizeof to_default); /* those two, too, which sigfillset() leaves out */
    for (int number = 1; number < NSIG; number++) {
        bool is_reset = number == SIGINT || number == SIGQUIT || number == SIGTERM || number == SIGCHLD;
        if (!is_reset && number != SETS_IDS && number != CANCELS && is_ignored(number))
            sigdelset(&to_default, number);
    }
    if (is_ignored(CANCELS)) /* sigdelset() refuses it */
        to_default.__val[0] &= ~(1ul << (CANCELS - 1));
    sigdelset(&to_default, SIGPIPE); /* ignored, as children of the stock runtime find it */
    sigdelset(&to_default, SIGFPE);
    (void)pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigdelset(&blocked, SIGCHLD);
    (void)signal(SIGCHLD, SIG_DFL); /* if it were ignored, the system would take the statuses of programs */
}

/* Those that are not set to default stay ignored, unless the runtime handles them now: then they are default, too. */
static void set_signals(posix_spawnattr_t *attributes) {
    posix_spawnattr_setsigmask(attributes, &blocked);
    posix_spawnattr_setsigdefault(attributes, &to_default);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
}

static int move_up(int *fd) {
    if (*fd < 0 || *fd > 4)
        return 0;
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, 5);
    if (moved < 0)
        return errno;
    close(*fd);
    *fd = moved;
    return 0;
}

static int spawn_child(const ChildSpec *spec, const Pipe *in, const Pipe *out, int64_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    set_signals(&attributes);
    int error = add_descriptors(&actions, spec, in, out);
    if (error == 0)
        error = posix_spawn(&child, spec->path, &actions, &attributes, spec->arguments, spec->environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    *pid = error == 0 ? child : -1;
    return error;
}

static void tell_folder(const ChildSpec *spec) { dprintf(2, "spawn: Could not cd to %s\r\n", spec->folder); }

static void start(const ChildSpec *spec, ChildStarted *started) {
    Pipe in, out = {-1, -1};
    *started = (ChildStarted){-1, -1, CHILD_NONE, -1, 0, 0};
    int error = pipe_open(&in, spec->reads, true);
    if (error == 0)
        error = pipe_open(&out, spec->writes, false);
    if (error == 0 && (error = move_up(&in.child_end)) == 0)
        error = move_up(&out.child_end);
    if (error != 0) {
        pipe_close(&in);
        pipe_close(&out);
        started->refused = error;
        return;
    }
    if (spec->folder != NULL && !is_folder(spec->folder)) {
        tell_folder(spec);
        error = ENOENT;
    } else {
        error = spawn_child(spec, &in, &out, &started->pid);
    }
    close_if_open(in.child_end);
    close_if_open(out.child_end);
    if (error == EAGAIN || error == ENOMEM) { /* no process can be made */
        pipe_close(&(Pipe){in.port_end, out.port_end});
        started->refused = error;
        return;
    }
    started->read_fd = in.port_end;
    started->write_fd = out.port_end;
    started->error = error;
}

static void job_free(Job *job) {
    child_spec_release(&job->spec);
    close_if_open(job->started.read_fd);
    close_if_open(job->started.write_fd);
    if (job->started.child != CHILD_NONE)
        child_forget(job->started.child);
    mem_free(ALLOC_PORT, job);
}

static void do_job(Job *job) {
    ChildStarted started;
    child_start_begin();
    start(&job->spec, &started);
    if (started.pid >= 0)
        started.child = child_begun(started.pid);
    child_start_end();
    Term pid = job->pid;
    uint64_t request = job->request;
    race_window("a child was started, and nobody knows");
    mutex_lock(&lock);
    job->started = started;
    bool is_dropped = job->state == JOB_DROPPED;
    job->state = JOB_DONE;
    mutex_unlock(&lock);
    if (is_dropped) {
        job_free(job);
        return;
    }
    thread_progress_enter();
    request_reply(pid, request, am_true);
    thread_progress_leave();
}

#define LOOK 20000000 /* nanoseconds, from one look to the next */

/* NULL: it is time to look at those that nothing else watches. */
static Job *next_job(bool looks) {
    mutex_lock(&lock);
    while (jobs == NULL && !looks)
        condition_wait(&jobs_come, &lock);
    if (jobs == NULL)
        (void)condition_wait_until(&jobs_come, &lock, clock_monotonic() + LOOK);
    Job *job = jobs;
    if (job != NULL)
        jobs = job->next;
    if (jobs == NULL)
        jobs_last = &jobs;
    mutex_unlock(&lock);
    return job;
}

static void serve(void *unused) {
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    for (;;) {
        Job *job = next_job(children_look());
        if (job != NULL)
            do_job(job);
    }
}

static void lost(RequestGuard *guard) {
    Job *job = (Job *)guard;
    mutex_lock(&lock);
    bool is_done = job->state == JOB_DONE;
    job->state = JOB_DROPPED;
    mutex_unlock(&lock);
    if (is_done)
        job_free(job);
}

static const RequestGuardType type = {.lost = lost};

/* Under the lock. 0, or an error number. */
static int serve_locked(void) {
    static Thread thread; /* nobody joins it */
    if (is_served)
        return 0;
    condition_init(&jobs_come);
    int error = thread_try_start(&thread, "child_starter", 0, serve, NULL);
    is_served = error == 0;
    return error;
}

/* False: there is no thread for it. */
static bool enqueue(Job *job, int *error) {
    mutex_lock(&lock);
    *error = serve_locked();
    if (*error == 0) {
        *jobs_last = job;
        jobs_last = &job->next;
        condition_signal(&jobs_come);
    }
    mutex_unlock(&lock);
    return *error == 0;
}

static bool begin(Process *p, ChildSpec *spec, ChildStarted *started) {
    Job *job = mem_calloc(ALLOC_PORT, sizeof *job);
    job->guard.type = &type;
    job->spec = *spec;
    job->started = (ChildStarted){-1, -1, CHILD_NONE, -1, 0, 0};
    *spec = (ChildSpec){0};
    job->pid = p->pid;
    job->request = request_begin(p);
    p->request->guard = &job->guard;
    int error;
    if (enqueue(job, &error))
        return false;
    job->state = JOB_DONE;
    request_drop(p);
    *started = (ChildStarted){-1, -1, CHILD_NONE, -1, 0, error};
    return true;
}

bool child_start(Process *p, ChildSpec *spec, ChildStarted *started) {
    if (p->request == NULL) {
        if (begin(p, spec, started))
            return true;
    } else if (p->request->is_answered) {
        Job *job = (Job *)p->request->guard;
        *started = job->started;
        job->started = (ChildStarted){-1, -1, CHILD_NONE, -1, 0, 0};
        request_drop(p);
        return true;
    }
    request_wait(p);
    return false;
}

#include "sys/thread.h"

#include "base/fault.h"
#include "base/leave.h"
#include "sys/affinity.h"
#include "sys/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    void (*run)(void *);
    void *data;
    char name[16];
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool taken;
} Start;

/* The record lives on the starter's stack: the new thread copies what it needs and says so before it runs. */
static void *thread_main(void *record) {
    Start *start = record;
    void (*run)(void *) = start->run;
    void *data = start->data;
    thread_set_name(start->name);
    pthread_mutex_lock(&start->lock);
    start->taken = true;
    pthread_cond_signal(&start->cond);
    pthread_mutex_unlock(&start->lock);
    run(data);
    return NULL;
}

static int create(Thread *thread, size_t stack_bytes, Start *start) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    affinity_for_child(&attributes);
    int error = fault_now(FAULT_THREAD) ? EAGAIN : pthread_create(&thread->handle, &attributes, thread_main, start);
    pthread_attr_destroy(&attributes);
    return error;
}

int thread_try_start(Thread *thread, const char *name, size_t stack_bytes, void (*run)(void *), void *data) {
    Start start = {.run = run, .data = data};
    strncpy(start.name, name, sizeof start.name - 1);
    pthread_mutex_init(&start.lock, NULL);
    pthread_cond_init(&start.cond, NULL);
    int error = create(thread, stack_bytes, &start);
    pthread_mutex_lock(&start.lock);
    while (!error && !start.taken)
        pthread_cond_wait(&start.cond, &start.lock);
    pthread_mutex_unlock(&start.lock);
    pthread_cond_destroy(&start.cond);
    pthread_mutex_destroy(&start.lock);
    return error;
}

void thread_start(Thread *thread, const char *name, size_t stack_bytes, void (*run)(void *), void *data) {
    int error = thread_try_start(thread, name, stack_bytes, run, data);
    if (error)
        runtime_lacks(error, "cannot start thread %s", name);
}

void thread_join(Thread *thread) { pthread_join(thread->handle, NULL); }

__thread ThreadKind thread_kind;

void thread_set_name(const char *name) {
    char shortened[16] = {0};
    strncpy(shortened, name, sizeof shortened - 1);
    pthread_setname_np(pthread_self(), shortened);
}

unsigned thread_cpu_count(void) {
    ProcessorSet set;
    unsigned count = affinity_of_program(&set) ? processor_set_count(&set) : 0;
    return count > 0 ? count : 1;
}

void mutex_init(Mutex *m, LockName name) {
    pthread_mutex_init(&m->mutex, NULL);
    m->name = name;
}

void mutex_release(Mutex *m) { pthread_mutex_destroy(&m->mutex); }

void rwlock_init(RwLock *l, LockName name) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&l->lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    l->name = name;
}

void rwlock_release(RwLock *l) { pthread_rwlock_destroy(&l->lock); }

void condition_init(Condition *c) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&c->cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

void condition_release(Condition *c) { pthread_cond_destroy(&c->cond); }

void condition_wait(Condition *c, Mutex *m) { pthread_cond_wait(&c->cond, &m->mutex); }

bool condition_wait_until(Condition *c, Mutex *m, int64_t deadline) {
    struct timespec until = {deadline / NANOSECONDS_PER_SECOND, deadline % NANOSECONDS_PER_SECOND};
    return pthread_cond_timedwait(&c->cond, &m->mutex, &until) != ETIMEDOUT;
}

size_t thread_stack_left(void) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size, guard;
    require(pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    return (size_t)((char *)__builtin_frame_address(0) - (char *)lowest) - guard;
}

int thread_number(void) { return (int)gettid(); }

/* Source: proc(5), /proc/pid/stat: the state stands behind the name, which is in parentheses and may have some. */
bool thread_is_running(int number) {
    char path[48], text[128];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    ssize_t size = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[size > 0 ? size : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end == NULL || name_end[1] != ' ' || name_end[2] == 'R';
}

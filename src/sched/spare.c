#include "sched/spare.h"

#include "sys/thread.h"

typedef struct Spare {
    struct Spare *next;
    SysEvent event;
    RunQueue *queue;
} Spare;

static Mutex lock = MUTEX_INITIALIZER(LOCK_SPARE_THREADS);
static Spare *sleeping;   /* under the lock; each lies on its thread's stack */
static unsigned started; /* under the lock */

/* The first who went to sleep last: its memory is warm. NULL with *is_new set: start one. */
static Spare *take(bool *is_new) {
    mutex_lock(&lock);
    Spare *s = sleeping;
    if (s)
        sleeping = s->next;
    *is_new = !s && started < SPARE_THREADS_MAX;
    started += *is_new;
    mutex_unlock(&lock);
    return s;
}

bool spare_thread_take_over(RunQueue *rq, void (*serve)(void *rq)) {
    Thread thread; /* nobody joins it */
    bool is_new;
    Spare *s = take(&is_new);
    if (s) {
        s->queue = rq;
        event_wake(&s->event);
    } else if (is_new) {
        thread_start(&thread, "scheduler", 0, serve, rq);
    }
    return s || is_new;
}

RunQueue *spare_thread_wait(void) {
    Spare self = {.queue = NULL};
    event_init(&self.event);
    event_reset(&self.event);
    mutex_lock(&lock);
    self.next = sleeping;
    sleeping = &self;
    mutex_unlock(&lock);
    event_wait(&self.event, -1);
    return self.queue;
}

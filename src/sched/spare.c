#include "sched/spare.h"

#include "base/race_window.h"
#include "process/thread_round.h"
#include "sys/thread.h"

typedef struct Spare {
    struct Spare *next;
    SysEvent event;
    RunQueue *queue;
} Spare;

static Mutex lock = MUTEX_INITIALIZER(LOCK_SPARE_THREADS);
static Spare *sleeping;   /* under the lock, with what the sleepers have */
static unsigned started; /* under the lock */
static __thread Spare self;

/* The first who went to sleep last: its memory is warm. NULL with *is_new set: start one. */
static Spare *take(RunQueue *rq, bool *is_new) {
    mutex_lock(&lock);
    Spare *s = sleeping;
    if (s) {
        sleeping = s->next;
        s->queue = rq;
    }
    *is_new = !s && started < SPARE_THREADS_MAX;
    started += *is_new;
    mutex_unlock(&lock);
    return s;
}

static bool start(RunQueue *rq, void (*serve)(void *rq)) {
    Thread thread; /* nobody joins it */
    if (thread_try_start(&thread, "scheduler", 0, serve, rq) == 0)
        return true;
    mutex_lock(&lock);
    started--;
    mutex_unlock(&lock);
    return false;
}

bool spare_thread_take_over(RunQueue *rq, void (*serve)(void *rq)) {
    bool is_new;
    Spare *s = take(rq, &is_new);
    race_window("a spare thread is chosen, and not yet woken");
    if (s)
        event_wake(&s->event);
    return s || (is_new && start(rq, serve));
}

static void lie_down(void) {
    mutex_lock(&lock);
    self.queue = NULL;
    self.next = sleeping;
    sleeping = &self;
    mutex_unlock(&lock);
}

/* Out of the list, unless somebody took it out: with the queue that he gave. */
static RunQueue *get_up(void) {
    mutex_lock(&lock);
    if (!self.queue) {
        Spare **at = &sleeping;
        while (*at != &self)
            at = &(*at)->next;
        *at = self.next;
    }
    mutex_unlock(&lock);
    return self.queue;
}

RunQueue *spare_thread_wait(void) {
    event_reset(&self.event);
    lie_down();
    if (!thread_round_is_waiting())
        event_wait(&self.event, -1);
    return get_up();
}

void spare_threads_call(void) {
    mutex_lock(&lock);
    for (Spare *s = sleeping; s; s = s->next)
        event_wake(&s->event);
    mutex_unlock(&lock);
}

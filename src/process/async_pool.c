#include "process/async_pool.h"

#include <stdio.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/race_window.h"
#include "sys/thread.h"

typedef struct {
    AsyncJob *first, **last;
    Condition has_come;
    bool has_thread;
    Thread thread;
} AsyncQueue;

static Mutex lock = MUTEX_INITIALIZER(LOCK_ASYNC_POOL);
static unsigned count = 1;
/* Under the lock; made when first needed. */
static AsyncQueue *queues;

void async_pool_choose(unsigned threads) { count = threads < ASYNC_THREADS_MAX ? threads : ASYNC_THREADS_MAX; }
unsigned async_pool_count(void) { return count; }

static AsyncJob *next_job(AsyncQueue *q) {
    mutex_lock(&lock);
    while (q->first == NULL)
        condition_wait(&q->has_come, &lock);
    AsyncJob *job = q->first;
    q->first = job->next;
    if (q->first == NULL)
        q->last = &q->first;
    mutex_unlock(&lock);
    return job;
}

static void serve(void *queue) {
    for (;;) {
        AsyncJob *job = next_job(queue);
        race_window("a job is taken, and not yet done");
        job->run(job);
    }
}

static void make_queues(void) {
    ALLOC_FOR_ALL;
    queues = mem_calloc(ALLOC_PORT, count * sizeof *queues);
    for (unsigned i = 0; i < count; i++) {
        queues[i].last = &queues[i].first;
        condition_init(&queues[i].has_come);
    }
}

static bool has_thread(AsyncQueue *q, unsigned index) {
    char name[16];
    snprintf(name, sizeof name, "async_%u", index + 1);
    if (!q->has_thread)
        q->has_thread = thread_try_start(&q->thread, name, 0, serve, q) == 0;
    return q->has_thread;
}

bool async_pool_add(unsigned key, AsyncJob *job) {
    if (count == 0)
        return false;
    mutex_lock(&lock);
    if (queues == NULL)
        make_queues();
    AsyncQueue *q = &queues[key % count];
    bool is_added = has_thread(q, key % count);
    if (is_added) {
        job->next = NULL;
        *q->last = job;
        q->last = &job->next;
        condition_signal(&q->has_come);
    }
    mutex_unlock(&lock);
    return is_added;
}

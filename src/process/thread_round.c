#include "process/thread_round.h"

#include "base/race_window.h"
#include "sys/thread.h"

_Atomic uint64_t thread_round_newest;
__thread uint64_t thread_round_seen;
void (*thread_round_call)(void);

static Mutex lock = MUTEX_INITIALIZER(LOCK_THREAD_ROUNDS);
static ThreadRound *rounds; /* those under way, the oldest first; this and the next under the lock */
static uint32_t members;

void thread_round_join(void) {
    mutex_lock(&lock);
    members++;
    thread_round_seen = atomic_load(&thread_round_newest);
    mutex_unlock(&lock);
}

void thread_round_begin(ThreadRound *r) {
    mutex_lock(&lock);
    uint32_t left = members;
    atomic_init(&r->left, left);
    if (left > 0) {
        ThreadRound **at = &rounds;
        while (*at != NULL)
            at = &(*at)->next;
        r->next = NULL;
        r->number = atomic_load(&thread_round_newest) + 1;
        *at = r;
        atomic_store(&thread_round_newest, r->number);
    }
    mutex_unlock(&lock);
    if (left == 0)
        r->done(r);
    else if (thread_round_call != NULL)
        thread_round_call();
}

static ThreadRound *next_to_run(void) {
    mutex_lock(&lock);
    ThreadRound *r = rounds;
    while (r != NULL && r->number <= thread_round_seen)
        r = r->next;
    mutex_unlock(&lock);
    return r;
}

static void leave_list(ThreadRound *r) {
    mutex_lock(&lock);
    ThreadRound **at = &rounds;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    mutex_unlock(&lock);
}

/* One that the thread finds, it has not run: so the round stays until it has. */
void thread_round_run(void) {
    for (ThreadRound *r; (r = next_to_run()) != NULL;) {
        race_window("a thread has found a round");
        r->run(r);
        thread_round_seen = r->number;
        if (atomic_fetch_sub(&r->left, 1) == 1) {
            race_window("the last thread has run a round");
            leave_list(r);
            r->done(r);
        }
    }
}

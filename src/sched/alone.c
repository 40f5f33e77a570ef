#include "sched/alone.h"

#include "base/race_window.h"
#include "sys/clock.h"
#include "sys/thread.h"

#define LOOK_NANOSECONDS 1000000

_Atomic bool alone_on;

static Mutex lock = MUTEX_INITIALIZER(LOCK_ALONE);
static Condition changed;
static struct {
    bool is_taken;
    bool dirty_is_next;        /* the last turn was a scheduler's */
    unsigned schedulers, dirty; /* that wait */
} turn;

void alone_init(void) { condition_init(&changed); }

void alone_set(bool on) {
    mutex_lock(&lock);
    atomic_store_explicit(&alone_on, on, memory_order_relaxed);
    condition_broadcast(&changed);
    mutex_unlock(&lock);
}

static bool is_free_for_scheduler(void) { return !turn.is_taken && !(turn.dirty_is_next && turn.dirty > 0); }
static bool is_free_for_dirty(void) { return !turn.is_taken && (turn.dirty_is_next || turn.schedulers == 0); }

bool alone_begin_scheduler(void) {
    mutex_lock(&lock);
    turn.schedulers++;
    if (alone_is_on() && !is_free_for_scheduler())
        (void)condition_wait_until(&changed, &lock, clock_monotonic() + LOOK_NANOSECONDS);
    turn.schedulers--;
    bool begins = alone_is_on() && is_free_for_scheduler();
    turn.is_taken |= begins;
    mutex_unlock(&lock);
    return begins;
}

bool alone_begin_dirty(void) {
    if (!alone_is_on())
        return false;
    mutex_lock(&lock);
    turn.dirty++;
    while (alone_is_on() && !is_free_for_dirty())
        condition_wait(&changed, &lock);
    turn.dirty--;
    bool begins = alone_is_on();
    turn.is_taken |= begins;
    mutex_unlock(&lock);
    return begins;
}

static void end(bool dirty_is_next) {
    race_window("a turn is over, and not given back");
    mutex_lock(&lock);
    turn.is_taken = false;
    turn.dirty_is_next = dirty_is_next;
    condition_broadcast(&changed);
    mutex_unlock(&lock);
}

void alone_end_scheduler(void) { end(true); }
void alone_end_dirty(void) { end(false); }

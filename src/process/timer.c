#include "process/timer.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "process/receive.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/run_queue.h"
#include "process/wheel.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

#define WORK_AT_ONCE 2000 /* of a wheel: 1,000 that fire */

typedef enum { TIMER_IN, TIMER_FIRED } TimerState;

struct Timer {
    union {
        CallSignal call; /* of one that calls */
        struct {
            KeyNode receiver; /* by the pid that it is for, of which the wheel's table holds one; */
            Timer *same_next, *same_previous; /* the others of that pid follow it */
        };
    };
    KeyNode node; /* by reference, in the wheel's table */
    WheelItem item;
    Timer *next; /* in a list of those that have left the wheel */
    uint16_t wheel;
    uint8_t state; /* under the wheel's lock */
    bool calls;
    Term destination;
    KeptMessage message;
};

typedef struct {
    Mutex lock;
    Wheel wheel; /* in ticks */
    KeyTable by_reference, by_receiver;
    _Atomic int64_t due; /* wheel_due; written under the lock */
} __attribute__((aligned(CACHE_LINE))) TimerWheel;

#define TAKEN_AT_ONCE 100
#define REDUCTIONS_PER_TIMER 2

static TimerWheel *wheels;
static unsigned wheel_count;

static uint64_t wheel_bit(unsigned index) { return UINT64_C(1) << index % 64; }
static int64_t tick_now(void) { return milliseconds_down(monotonic_time()); }
static int64_t clock_of_tick(int64_t tick) { return clock_of_monotonic_time(tick * 1000000); }

void timers_init(unsigned count) {
    wheels = mem_calloc(ALLOC_TIMER, (count + 1) * sizeof *wheels);
    wheels = (TimerWheel *)(((uintptr_t)wheels + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
    wheel_count = count;
    for (unsigned i = 0; i < count; i++) {
        mutex_init(&wheels[i].lock, LOCK_TIMER_WHEEL);
        wheel_set(&wheels[i].wheel, tick_now());
        wheels[i].due = WHEEL_NEVER;
    }
}

/* Those for one pid: the first stands in the table. */
static void receiver_add(TimerWheel *w, Timer *t) {
    KeyNode *node = key_table_find(&w->by_receiver, t->destination);
    Timer *first = node ? container_of(node, Timer, receiver) : NULL;
    t->same_previous = first;
    t->same_next = first ? first->same_next : NULL;
    if (t->same_next)
        t->same_next->same_previous = t;
    if (first) {
        first->same_next = t;
    } else {
        t->receiver.key = t->destination;
        key_table_add(&w->by_receiver, &t->receiver);
    }
}

static void receiver_remove(TimerWheel *w, Timer *t) {
    Timer *next = t->same_next;
    if (next)
        next->same_previous = t->same_previous;
    if (t->same_previous) {
        t->same_previous->same_next = next;
        return;
    }
    key_table_remove(&w->by_receiver, t->destination);
    if (next) {
        next->receiver.key = t->destination;
        key_table_add(&w->by_receiver, &next->receiver);
    }
}

static void enter_tables(TimerWheel *w, Timer *t) {
    if (t->calls)
        return;
    key_table_add(&w->by_reference, &t->node);
    if (is_local_pid(t->destination))
        receiver_add(w, t);
}

static void leave_tables(TimerWheel *w, Timer *t) {
    if (t->calls)
        return;
    key_table_remove(&w->by_reference, t->node.key);
    if (is_local_pid(t->destination))
        receiver_remove(w, t);
}

static void unlink_from(TimerWheel *w, Timer *t) {
    wheel_remove(&w->wheel, &t->item);
    if (w->wheel.count == 0)
        atomic_store_explicit(&w->due, WHEEL_NEVER, memory_order_relaxed);
    leave_tables(w, t);
}

/* Not all at once when very many are due: the scheduler's processes wait for it, and who wants the lock. */
static Timer *take_due(TimerWheel *w, int64_t to) {
    Timer *fired = NULL, **last = &fired;
    WheelItem *item;
    for (unsigned work = WORK_AT_ONCE; (item = wheel_take(&w->wheel, to, &work)) != NULL;) {
        Timer *t = container_of(item, Timer, item);
        leave_tables(w, t);
        t->state = TIMER_FIRED;
        t->next = NULL;
        *last = t;
        last = &t->next;
    }
    return fired;
}

static void fire_message(Timer *t) {
    Term pid = is_atom(t->destination) ? registry_whereis(t->destination) : t->destination;
    race_window("a timer's receiver is looked up, and not yet told");
    kept_message_send(&t->message, pid);
    mem_free(ALLOC_TIMER, t);
}

int64_t timers_run(unsigned index) {
    TimerWheel *w = &wheels[index];
    int64_t due = atomic_load_explicit(&w->due, memory_order_relaxed);
    if (due == WHEEL_NEVER)
        return -1;
    int64_t now = tick_now();
    if (now < due)
        return clock_of_tick(due);
    mutex_lock(&w->lock);
    Timer *fired = take_due(w, now);
    due = wheel_due(&w->wheel);
    atomic_store_explicit(&w->due, due, memory_order_relaxed);
    mutex_unlock(&w->lock);
    race_window("timers are out of the wheel, and not yet sent");
    for (Timer *t = fired, *next; t; t = next) {
        next = t->next;
        if (!t->calls)
            fire_message(t);
        else if (!signal_send(t->destination, &t->call.signal))
            mem_free(ALLOC_TIMER, t);
    }
    return due == WHEEL_NEVER ? -1 : clock_of_tick(due);
}

int64_t timers_next(unsigned index) {
    int64_t due = atomic_load_explicit(&wheels[index].due, memory_order_relaxed);
    return due == WHEEL_NEVER ? -1 : clock_of_tick(due);
}

size_t timers_count(void) {
    size_t count = 0;
    for (unsigned i = 0; i < wheel_count; i++) {
        mutex_lock(&wheels[i].lock);
        count += wheels[i].by_reference.count;
        mutex_unlock(&wheels[i].lock);
    }
    return count;
}

unsigned timer_wheel_here(void) { return run_queue_self() ? run_queue_self()->index : 0; }

/* Locked. True: the wheel's scheduler does not know that it is due so soon. */
static bool enter_in_time(TimerWheel *w, Timer *t) {
    if (w->wheel.count == 0) {
        int64_t now = tick_now();
        wheel_set(&w->wheel, now > w->wheel.now ? now : w->wheel.now);
    }
    if (t->item.at <= w->wheel.now)
        t->item.at = w->wheel.now + 1;
    int64_t due = wheel_put(&w->wheel, &t->item);
    enter_tables(w, t);
    if (due >= atomic_load_explicit(&w->due, memory_order_relaxed))
        return false;
    atomic_store_explicit(&w->due, due, memory_order_relaxed);
    return true;
}

/* A scheduler that serves the wheel looks at it before it sleeps. */
static void call_scheduler(unsigned index) {
    const RunQueue *here = run_queue_self();
    if (here == NULL || here->index != index)
        run_queue_call(run_queue_at(index));
}

/* `receiver`: NULL, or the process that it is for. False: that ends, the timer is the caller's still. Who ends is
 * exiting first, and then looks at its timer_wheels: one of the two sees the other, or he finds the timer. */
static bool timer_start(unsigned index, Timer *t, Process *receiver) {
    race_window("a wheel is chosen, a timer not yet in it");
    LONG_WORK_FORBID;
    TimerWheel *w = &wheels[index];
    t->wheel = (uint16_t)index;
    t->state = TIMER_IN;
    if (receiver != NULL)
        atomic_fetch_or(&receiver->timer_wheels, wheel_bit(index));
    mutex_lock(&w->lock);
    bool starts = receiver == NULL || !(atomic_load(&receiver->state) & STATE_EXITING);
    bool is_first = starts && enter_in_time(w, t);
    mutex_unlock(&w->lock);
    if (is_first)
        call_scheduler(index);
    return starts;
}

static void message_timer_free(Timer *t) {
    kept_message_free(&t->message);
    mem_free(ALLOC_TIMER, t);
}

void timer_send_at(unsigned index, uint64_t key, int64_t milliseconds, Term destination, KeptMessage message) {
    Timer *t = mem_calloc(ALLOC_TIMER, sizeof *t);
    t->node.key = key;
    t->item.at = milliseconds;
    t->destination = destination;
    t->message = message;
    Process *receiver = is_local_pid(destination) ? process_find(destination) : NULL;
    if ((is_local_pid(destination) && receiver == NULL) || !timer_start(index, t, receiver))
        message_timer_free(t);
}

/* Up to `most` of those for `pid`, out of the wheel. */
static Timer *take_for(TimerWheel *w, Term pid, unsigned most) {
    Timer *taken = NULL;
    mutex_lock(&w->lock);
    KeyNode *node = key_table_find(&w->by_receiver, pid);
    Timer *first = node ? container_of(node, Timer, receiver) : NULL, *t = NULL;
    for (; first != NULL && t != first && most > 0; most--) {
        t = first->same_next ? first->same_next : first;
        unlink_from(w, t);
        t->next = taken;
        taken = t;
    }
    mutex_unlock(&w->lock);
    return taken;
}

static void free_all(Timer *t, int64_t *reductions) {
    for (Timer *next; t; t = next) {
        next = t->next;
        message_timer_free(t);
        *reductions -= REDUCTIONS_PER_TIMER;
    }
}

bool timers_end_for(Process *p, int64_t *reductions) {
    uint64_t used = atomic_load(&p->timer_wheels);
    for (unsigned i = 0; used != 0 && i < wheel_count; i++) {
        if (!(used & wheel_bit(i)))
            continue;
        for (Timer *t; (t = take_for(&wheels[i], p->pid, TAKEN_AT_ONCE)) != NULL;) {
            free_all(t, reductions);
            if (*reductions <= 0)
                return false;
        }
    }
    return true;
}

int64_t timer_look(Term reference, bool cancel) {
    int index = reference_wheel(reference);
    if (index < 0 || (unsigned)index >= wheel_count)
        return -1;
    TimerWheel *w = &wheels[index];
    int64_t left = -1;
    Term destination = NON_VALUE;
    mutex_lock(&w->lock);
    KeyNode *node = key_table_find(&w->by_reference, reference_key(reference));
    Timer *t = node ? container_of(node, Timer, node) : NULL;
    if (t) {
        left = t->item.at - monotonic_milliseconds_up(monotonic_time());
        left = left < 0 ? 0 : left;
        destination = t->destination; /* unless cancelled it may fire, and be freed, once the lock is given back */
    }
    if (t && cancel)
        unlink_from(w, t);
    mutex_unlock(&w->lock);
    if (is_local_pid(destination) && !process_find(destination))
        left = -1; /* timers end with the process that they would tell */
    if (t && cancel)
        message_timer_free(t);
    return left;
}

Timer *timer_of_call(CallSignal *call) { return container_of(call, Timer, call); }
void timer_call_free(Timer *t) { mem_free(ALLOC_TIMER, t); }

Timer *timer_call_at(Term actor, int64_t milliseconds, void handle(Process *, CallSignal *)) {
    Timer *t = mem_calloc(ALLOC_TIMER, sizeof *t);
    signal_init(&t->call.signal, SIGNAL_CALL);
    t->call.handle = handle;
    t->calls = true;
    t->destination = actor;
    t->item.at = milliseconds;
    (void)timer_start(timer_wheel_here(), t, NULL);
    return t;
}

int64_t timer_call_left(const Timer *t) {
    int64_t left = t->item.at - monotonic_milliseconds_up(monotonic_time());
    return left < 0 ? 0 : left;
}

/* Out of the wheel. False: its signal is on its way, with it. */
static bool take_from_wheel(Timer *t) {
    TimerWheel *w = &wheels[t->wheel];
    mutex_lock(&w->lock);
    bool is_in = t->state == TIMER_IN;
    if (is_in)
        unlink_from(w, t);
    mutex_unlock(&w->lock);
    return is_in;
}

bool timer_call_cancel(Timer *t) {
    bool is_in = take_from_wheel(t);
    if (is_in)
        timer_call_free(t);
    return is_in;
}

static void take_timeout(Process *p, CallSignal *call) {
    Timer *t = timer_of_call(call);
    if (p->receive_timer == t) {
        p->receive_timer = NULL;
        p->flags |= FLAG_TIMED_OUT;
        atomic_fetch_or(&p->state, STATE_ACTIVE);
    }
    mem_free(ALLOC_TIMER, t);
}

bool receive_timeout_set(Process *p, Term ms) {
    if (p->receive_timer || (p->flags & (FLAG_TIMED_OUT | FLAG_WAITS_FOREVER)))
        return true;
    if (ms == am_infinity) {
        p->flags |= FLAG_WAITS_FOREVER;
        return true;
    }
    if (!is_small(ms) || small_value(ms) < 0 || small_value(ms) > UINT32_MAX)
        return false;
    if (small_value(ms) == 0) {
        p->flags |= FLAG_TIMED_OUT;
        return true;
    }
    int64_t at = monotonic_milliseconds_up(monotonic_time() + small_value(ms) * 1000000);
    p->receive_timer = timer_call_at(p->pid, at, take_timeout);
    return true;
}

int64_t receive_timeout_hold(Process *p) {
    Timer *t = p->receive_timer;
    if (t == NULL || !take_from_wheel(t))
        return -1;
    p->receive_timer = NULL;
    int64_t left = timer_call_left(t);
    timer_call_free(t);
    return left;
}

void receive_timeout_go_on(Process *p, int64_t milliseconds) {
    (void)receive_timeout_set(p, small_make(milliseconds));
    if (receive_timeout_is_over(p))
        atomic_fetch_or(&p->state, STATE_ACTIVE);
}

bool receive_timeout_is_over(const Process *p) { return (p->flags & FLAG_TIMED_OUT) != 0; }

void receive_timeout_clear(Process *p) {
    p->flags &= ~(uint32_t)(FLAG_TIMED_OUT | FLAG_WAITS_FOREVER);
    Timer *t = p->receive_timer;
    if (!t)
        return;
    p->receive_timer = NULL;
    (void)timer_call_cancel(t);
}

typedef struct {
    void (*each)(Term to, Term message, int64_t milliseconds_left, void *data);
    void *data;
} Visit;

static void visit(KeyNode *node, void *data) {
    const Visit *v = data;
    const Timer *t = container_of(node, Timer, node);
    int64_t left = t->item.at - tick_now();
    v->each(t->destination, t->message.message->term, left > 0 ? left : 0, v->data);
}

void timers_each_alone(void (*each)(Term, Term, int64_t, void *), void *data) {
    Visit v = {each, data};
    for (unsigned i = 0; i < wheel_count; i++)
        key_table_each(&wheels[i].by_reference, visit, &v);
}

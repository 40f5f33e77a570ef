#include "process/sampler.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "process/sample.h"
#include "process/sampling.h"
#include "sys/clock.h"

typedef struct {
    int64_t period, next; /* nanoseconds; under the lock */
} Sampler;

static Sampler samplers[SAMPLERS_MOST];
static Mutex lock = MUTEX_INITIALIZER(LOCK_SAMPLING);
static Condition changed;
static bool has_ticker; /* under the lock */

/* --- the ticker --------------------------------------------------------------------------------------------------- */

/* Is it held up by who has a lock? */
static bool waits(const SampledThread *t) { return atomic_load_explicit(t->waiting_for, memory_order_relaxed) != 0; }

/* Has it worked since the last tick? And a dirty thread: does it now? It may sleep in a system call of a library's,
 * which would fail by the interruption, as it never does on the stock runtime. One that goes to sleep between this look
 * and the signal is interrupted still. */
static bool is_on_processor(SampledThread *t) {
    struct timespec now;
    if (clock_gettime(t->clock, &now) != 0)
        return true;
    int64_t used = now.tv_sec * NANOSECONDS_PER_SECOND + now.tv_nsec, before = t->used;
    t->used = used;
    return used != before && (t->kind == THREAD_SCHEDULER || thread_is_running(t->number));
}

/* Threads that run nothing are let alone, and those that wait for something other than a lock. */
static void interrupt_all(uint32_t places) {
    for (SampledThread *t = atomic_load(&sampled_threads); t != NULL; t = t->next)
        if (atomic_load_explicit(&t->is_busy, memory_order_relaxed) && (is_on_processor(t) || waits(t))) {
            for (uint32_t left = places; left != 0; left &= left - 1)
                atomic_fetch_add_explicit(&t->wanted[__builtin_ctz(left)], 1, memory_order_relaxed);
            (void)pthread_kill(t->handle, SAMPLING_SIGNAL);
        }
}

/* Who is due now; *next: when somebody is. Ticks that were missed are not made up for. */
static uint32_t take_due(int64_t now, int64_t *next) {
    uint32_t active = atomic_load_explicit(&samplers_active, memory_order_relaxed), due = 0;
    *next = INT64_MAX;
    for (unsigned i = 0; i < SAMPLERS_MOST; i++) {
        Sampler *s = &samplers[i];
        if ((active >> i & 1) == 0)
            continue;
        if (s->next <= now) {
            due |= 1u << i;
            s->next += (1 + (now - s->next) / s->period) * s->period;
        }
        *next = s->next < *next ? s->next : *next;
    }
    return due;
}

/* It is told so long before: longer than most slices. */
#define NEAR (500 * (NANOSECONDS_PER_MILLISECOND / 1000))

static void ticker_main(void *unused) {
    mutex_lock(&lock);
    for (;;) {
        int64_t now = clock_monotonic(), next;
        uint32_t due = take_due(now, &next);
        if (due != 0)
            interrupt_all(due);
        bool is_near = next - now <= NEAR;
        atomic_store_explicit(&sampling_is_near, is_near, memory_order_relaxed);
        if (next == INT64_MAX)
            condition_wait(&changed, &lock);
        else
            (void)condition_wait_until(&changed, &lock, is_near ? next : next - NEAR);
    }
}

static int start_ticker(void) {
    Thread thread; /* nobody joins it */
    if (has_ticker)
        return 0;
    condition_init(&changed);
    sampling_listen();
    int error = thread_try_start(&thread, "sampler", 0, ticker_main, NULL);
    if (error != 0)
        condition_release(&changed);
    has_ticker = error == 0;
    return error;
}

/* --- samplers ----------------------------------------------------------------------------------------------------- */

static int free_place(void) {
    uint32_t active = atomic_load_explicit(&samplers_active, memory_order_relaxed);
    for (int i = 0; i < SAMPLERS_MOST; i++)
        if ((active >> i & 1) == 0)
            return i;
    return -1;
}

/* What an earlier one wanted, and threads have yet to note, is not this one's. */
static void forget_wanted(int place) {
    for (SampledThread *t = atomic_load(&sampled_threads); t != NULL; t = t->next)
        atomic_store_explicit(&t->wanted[place], 0, memory_order_relaxed);
}

static void begin(int place, unsigned rate) {
    Sampler *s = &samplers[place];
    forget_wanted(place);
    atomic_store(&sampler_since[place], atomic_load(&samplers_epoch) + 1); /* before anybody sees that epoch */
    atomic_fetch_add(&samplers_epoch, 1);
    samples_free(samples_reset((unsigned)place)); /* what came too late for an earlier one: little */
    s->period = NANOSECONDS_PER_SECOND / rate;
    s->next = clock_monotonic() + s->period;
    atomic_fetch_or(&samplers_active, 1u << place);
    condition_signal(&changed);
}

int sampler_start(unsigned rate, int *error) {
    mutex_lock(&lock);
    int place = free_place();
    *error = place < 0 ? EBUSY : start_ticker();
    if (*error == 0)
        begin(place, rate);
    mutex_unlock(&lock);
    return *error == 0 ? place : -1;
}

Sample *sampler_stop(int place) {
    mutex_lock(&lock);
    atomic_fetch_and(&samplers_active, ~(1u << place));
    Sample *left = samples_reset((unsigned)place);
    mutex_unlock(&lock);
    return left;
}

#include "trace/limit.h"

#include <string.h>

#include "alloc/alloc.h"
#include "process/run_queue.h"
#include "sys/thread.h"

typedef struct {
    /* Written by its scheduler's thread, read by anyone: */
    _Atomic int64_t events, bytes; /* that it may tell */
    int64_t events_tick;           /* of the coarse clock: when it took the events; when there were none */
    int64_t no_events_tick, no_bytes_tick;
    uint64_t no_events_slice;      /* of its scheduler: the last one in which it saw that there were none */
    int64_t time_left, time_since; /* nanoseconds; of the coarse clock */
    _Atomic uint64_t refused[REFUSALS];
    _Atomic uint64_t topic[TOPIC_COUNT];
    /* Written by anyone: */
    _Atomic uint64_t said[REFUSALS];
} __attribute__((aligned(CACHE_LINE))) LimitBucket;

/* A bucket that is new has been in none. */
#define NO_SLICE UINT64_MAX

struct TraceLimit {
    LimitOptions options; /* never change, as the next */
    int64_t burst_time;
    int64_t events_part, bytes_part; /* that a bucket takes at once, if there are so many */
    unsigned count;
    _Atomic int64_t paid_until __attribute__((aligned(CACHE_LINE)));
    _Atomic int64_t bytes;
    LimitBucket bucket[]; /* by run queue; the last is for other threads */
};

static Mutex other_threads = MUTEX_INITIALIZER(LOCK_TRACE_LIMITS);

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The whole may be as large as a burst of a billion events at a billion nanoseconds each. */
static int64_t time_of(const TraceLimit *l, int64_t events) {
    return (events * NANOSECONDS_PER_SECOND + l->options.events - 1) / l->options.events;
}

#define LEAST_BURST_PER_SECOND 100 /* a burst is at least what comes in a hundredth of a second */
static int64_t burst_of(const LimitOptions *o) {
    int64_t burst = o->burst != 0 ? o->burst : o->events / 10;
    return larger(larger(burst, o->events / LEAST_BURST_PER_SECOND), 1);
}

#define SHARE_WHOLE 1000
#define SHARE_SAVED (100 * NANOSECONDS_PER_MILLISECOND) /* of how much time a share may be spent at once */
static bool has_share(const TraceLimit *l) { return l->options.share != 0 && l->options.share != SHARE_WHOLE; }
static int64_t most_time(const TraceLimit *l) { return SHARE_SAVED / SHARE_WHOLE * l->options.share; }

TraceLimit *limit_create(const LimitOptions *options) {
    unsigned count = run_queue_count() + 1;
    size_t bytes = sizeof(TraceLimit) + count * sizeof(LimitBucket);
    TraceLimit *l = mem_alloc_aligned(ALLOC_TRACE, bytes, CACHE_LINE);
    memset(l, 0, bytes);
    l->options = *options;
    l->count = count;
    if (options->events != 0) {
        l->options.burst = burst_of(options);
        l->events_part = smaller(l->options.burst / (4 * count), options->events / 1000);
        l->burst_time = time_of(l, l->options.burst);
        atomic_init(&l->paid_until, clock_monotonic() - l->burst_time);
    }
    l->bytes_part = options->bytes / (8 * count);
    atomic_init(&l->bytes, options->bytes);
    for (unsigned i = 0; i < count; i++) {
        l->bucket[i].no_events_slice = NO_SLICE;
        l->bucket[i].time_since = clock_coarse();
        l->bucket[i].time_left = most_time(l);
    }
    return l;
}

void limit_free(TraceLimit *l) { mem_free(ALLOC_TRACE, l); }
const LimitOptions *limit_options(const TraceLimit *l) { return &l->options; }

/* The slice that a scheduler runs, by its thread. */
static uint64_t slice_of(const RunQueue *rq) {
    return atomic_load_explicit(&rq->context_switches, memory_order_relaxed);
}

/* The bucket of the calling thread, until close_bucket: nothing may be counted as long work meanwhile. */
static LimitBucket *open_bucket(TraceLimit *l) {
    const RunQueue *rq = run_queue_self();
    if (likely(rq != NULL))
        return &l->bucket[rq->index];
    mutex_lock(&other_threads);
    return &l->bucket[l->count - 1];
}

static void close_bucket(const TraceLimit *l, const LimitBucket *b) {
    if (unlikely(b == &l->bucket[l->count - 1]))
        mutex_unlock(&other_threads);
}

static void count_up(_Atomic uint64_t *count) {
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

static bool refuse(LimitBucket *b, TracerTopic topic, Refusal why) {
    count_up(&b->topic[topic]);
    count_up(&b->refused[why]);
    return false;
}

/* How many of at least `need` events, and at most `want`, may be had. 0: there are not so many. */
static int64_t take_events(TraceLimit *l, int64_t need, int64_t want) {
    int64_t now = clock_monotonic(), paid = atomic_load_explicit(&l->paid_until, memory_order_relaxed);
    for (;;) {
        int64_t from = larger(paid, now - l->burst_time);
        __int128 there = from < now ? (__int128)(now - from) * l->options.events / NANOSECONDS_PER_SECOND : 0;
        if (there < need)
            return 0;
        int64_t taken = there < want ? (int64_t)there : want;
        if (atomic_compare_exchange_weak(&l->paid_until, &paid, from + time_of(l, taken)))
            return taken;
    }
}

static int64_t get(const _Atomic int64_t *word) { return atomic_load_explicit(word, memory_order_relaxed); }
static void set(_Atomic int64_t *word, int64_t value) { atomic_store_explicit(word, value, memory_order_relaxed); }

/* Until the coarse clock moves on. A slice is short: what the clock says is good until its end, and it is not read
 * again. From one slice to the next any time may pass. */
static bool has_none(LimitBucket *b, uint64_t slice) {
    if (get(&b->events) != 0)
        return false;
    if (b->no_events_slice == slice)
        return true;
    if (b->no_events_tick != clock_coarse())
        return false;
    b->no_events_slice = slice;
    return true;
}

/* Events in hand are good until the coarse clock moves on. */
static bool take_from_bucket(LimitBucket *b, TraceLimit *l, int64_t need) {
    int64_t tick = clock_coarse(), in_hand = get(&b->events);
    if (in_hand > 0 && b->events_tick != tick) {
        atomic_fetch_sub(&l->paid_until, in_hand * NANOSECONDS_PER_SECOND / l->options.events);
        in_hand = 0;
    }
    if (in_hand < need && b->no_events_tick != tick) {
        int64_t more = take_events(l, need - in_hand, larger(need - in_hand, l->events_part));
        b->events_tick = tick;
        if (more == 0)
            b->no_events_tick = tick;
        in_hand += more;
    }
    bool admits = in_hand >= need;
    set(&b->events, admits ? in_hand - need : in_hand);
    return admits;
}

/* Less than the least message: so nothing is looked at of what would be told. */
#define LEAST_MESSAGE 128
static bool has_bytes(const LimitBucket *b, const TraceLimit *l) {
    return l->options.bytes == 0 || get(&b->bytes) >= LEAST_MESSAGE || get(&l->bytes) >= LEAST_MESSAGE;
}

static bool has_events(LimitBucket *b, TraceLimit *l, unsigned events) {
    if (l->options.events == 0)
        return true;
    const RunQueue *rq = run_queue_self();
    if (rq != NULL && has_none(b, slice_of(rq)))
        return false;
    return take_from_bucket(b, l, smaller(events, l->options.burst));
}

bool limit_admits(TraceLimit *l, TracerTopic topic, unsigned events) {
    LimitBucket *b = open_bucket(l);
    bool admits = has_bytes(b, l) ? has_events(b, l, events) || refuse(b, topic, REFUSED_BY_EVENTS)
                                  : refuse(b, topic, REFUSED_BY_BYTES);
    close_bucket(l, b);
    return admits;
}

bool limit_refuses_at_once(TraceLimit *l, TracerTopic topic) {
    const RunQueue *rq = run_queue_self();
    if (rq == NULL || has_share(l))
        return false;
    LimitBucket *b = &l->bucket[rq->index];
    if (!has_bytes(b, l))
        return !refuse(b, topic, REFUSED_BY_BYTES);
    return l->options.events != 0 && has_none(b, slice_of(rq)) && !refuse(b, topic, REFUSED_BY_EVENTS);
}

static int64_t take_bytes(TraceLimit *l, int64_t need, int64_t want) {
    int64_t there = get(&l->bytes);
    for (;;) {
        if (there < need)
            return 0;
        int64_t taken = smaller(there, want);
        if (atomic_compare_exchange_weak(&l->bytes, &there, there - taken))
            return taken;
    }
}

/* Unlike events they may come back at any time: but not many times in a tick. */
static bool pay_bytes(LimitBucket *b, TraceLimit *l, int64_t need) {
    int64_t in_hand = get(&b->bytes);
    if (unlikely(in_hand < need)) {
        int64_t tick = clock_coarse();
        if (b->no_bytes_tick == tick && get(&l->bytes) < need - in_hand)
            return false;
        int64_t more = take_bytes(l, need - in_hand, larger(need - in_hand, l->bytes_part));
        if (more == 0) {
            b->no_bytes_tick = tick;
            return false;
        }
        in_hand += more;
    }
    set(&b->bytes, in_hand - need);
    return true;
}

bool limit_admits_bytes(TraceLimit *l, size_t bytes) {
    if (l->options.bytes == 0)
        return true;
    LimitBucket *b = open_bucket(l);
    bool admits = bytes <= LIMIT_EVENT_MAX && pay_bytes(b, l, (int64_t)bytes);
    close_bucket(l, b);
    return admits;
}

void limit_refuse_bytes(TraceLimit *l, TracerTopic topic) {
    LimitBucket *b = open_bucket(l);
    (void)refuse(b, topic, REFUSED_BY_BYTES);
    close_bucket(l, b);
}

void limit_give_back(TraceLimit *l, size_t bytes) { atomic_fetch_add(&l->bytes, (int64_t)bytes); }

#define LONG_AGO (INT64_MAX / (2 * SHARE_WHOLE)) /* a month and more */
/* An event may have taken longer than what may be saved: all the time since pays for that. */
static bool has_time(LimitBucket *b, const TraceLimit *l) {
    int64_t now = clock_coarse();
    if (now != b->time_since) {
        int64_t passed = smaller(now - b->time_since, LONG_AGO);
        b->time_left = smaller(b->time_left + passed * l->options.share / SHARE_WHOLE, most_time(l));
        b->time_since = now;
    }
    return b->time_left > 0;
}

bool limit_enter(TraceLimit *l, TracerTopic topic, int64_t *began) {
    *began = 0;
    if (!has_share(l))
        return true;
    LimitBucket *b = open_bucket(l);
    bool enters = has_time(b, l) || refuse(b, topic, REFUSED_BY_SHARE);
    close_bucket(l, b);
    if (enters)
        *began = clock_monotonic();
    return enters;
}

void limit_leave(TraceLimit *l, int64_t began) {
    if (began == 0)
        return;
    LimitBucket *b = open_bucket(l);
    b->time_left -= clock_monotonic() - began;
    close_bucket(l, b);
}

unsigned limit_buckets(const TraceLimit *l) { return l->count; }

unsigned limit_bucket_here(const TraceLimit *l) {
    const RunQueue *rq = run_queue_self();
    return rq != NULL ? rq->index : l->count - 1;
}

bool limit_has_unsaid(const TraceLimit *l, unsigned bucket) {
    const LimitBucket *b = &l->bucket[bucket];
    for (unsigned i = 0; i < REFUSALS; i++)
        if (atomic_load_explicit(&b->refused[i], memory_order_relaxed) !=
            atomic_load_explicit(&b->said[i], memory_order_relaxed))
            return true;
    return false;
}

/* Each refusal is said by one: who moves `said` past it. */
bool limit_take_unsaid(TraceLimit *l, unsigned bucket, uint64_t counts[REFUSALS]) {
    LimitBucket *b = &l->bucket[bucket];
    bool any = false;
    for (unsigned i = 0; i < REFUSALS; i++) {
        uint64_t said = atomic_load(&b->said[i]), refused;
        do
            refused = atomic_load(&b->refused[i]);
        while (refused > said && !atomic_compare_exchange_weak(&b->said[i], &said, refused));
        counts[i] = refused > said ? refused - said : 0;
        any = any || counts[i] > 0;
    }
    return any;
}

void limit_put_unsaid(TraceLimit *l, unsigned bucket, const uint64_t counts[REFUSALS]) {
    for (unsigned i = 0; i < REFUSALS; i++)
        atomic_fetch_sub(&l->bucket[bucket].said[i], counts[i]);
}

uint64_t limit_refused(const TraceLimit *l, TracerTopic topic) {
    uint64_t all = 0;
    for (unsigned i = 0; i < l->count; i++)
        all += atomic_load_explicit(&l->bucket[i].topic[topic], memory_order_relaxed);
    return all;
}

int64_t limit_waiting(const TraceLimit *l) {
    int64_t left = get(&l->bytes);
    for (unsigned i = 0; i < l->count; i++)
        left += get(&l->bucket[i].bytes);
    return larger(l->options.bytes - left, 0);
}

#include "process/clock.h"

#include <stdatomic.h>

#include "base/race_window.h"
#include "sys/clock.h"
#include "sys/thread.h"

#define MILLION 1000000
#define CORRECTION 10000 /* millionths: 1% */
#define WAIT_BETWEEN_LOOKS (15 * NANOSECONDS_PER_SECOND)
#define WAIT_UNCORRECTED NANOSECONDS_PER_SECOND
#define DIFFERENCE_MIN NANOSECONDS_PER_MILLISECOND /* less may be how long it took to look */
#define LOOKS_MAX 5

static TimeWarp warp = NO_TIME_WARP;
static bool corrects = true;
static _Atomic OffsetState offset_state;
static _Atomic int64_t offset;
static Mutex lock = MUTEX_INITIALIZER(LOCK_CLOCK); /* of who changes anything */

/* At `clock` of clock_monotonic it was `monotonic`, and runs by `rate` millionths faster than that since. */
typedef struct {
    int64_t clock, monotonic, rate;
} Base;

/* `version` is odd while they change, which is for no longer than it takes to read the clock. */
static struct {
    _Atomic uint64_t version;
    _Atomic int64_t clock, monotonic, rate;
} base;

/* Without correction. */
static struct {
    int64_t real, ahead; /* the system's time as last seen, and by how much monotonic time is more */
    bool has_warped;     /* it went back, and the offset with it, since somebody looked */
} plain;

static int64_t relaxed(_Atomic int64_t *from) { return atomic_load_explicit(from, memory_order_relaxed); }
static void set_relaxed(_Atomic int64_t *to, int64_t n) { atomic_store_explicit(to, n, memory_order_relaxed); }
static Base base_now(void) { return (Base){relaxed(&base.clock), relaxed(&base.monotonic), relaxed(&base.rate)}; }

/* The base, and, if it is asked for, the time of the clock while it was that. */
static inline int64_t read_base(Base *b, bool with_clock) {
    for (;;) {
        uint64_t version = atomic_load_explicit(&base.version, memory_order_acquire);
        *b = base_now();
        int64_t now = with_clock ? clock_monotonic() : 0;
        atomic_thread_fence(memory_order_acquire);
        if ((version & 1) == 0 && version == atomic_load_explicit(&base.version, memory_order_relaxed))
            return now;
    }
}

/* To the nanosecond: in larger steps a time that runs slower would go back with each. */
static int64_t time_in(const Base *b, int64_t clock) {
    int64_t since = clock - b->clock;
    return b->monotonic + since + (b->rate == 0 ? 0 : (int64_t)((__int128)since * b->rate / MILLION));
}

/* Under the lock: the same time, at another rate from now on. */
static void set_rate(int64_t rate) {
    Base before = base_now();
    if (before.rate == rate)
        return;
    uint64_t version = atomic_load_explicit(&base.version, memory_order_relaxed);
    atomic_store_explicit(&base.version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* nobody reads the clock later than this, and takes the old base */
    race_window("the clock's base changes");
    int64_t now = clock_monotonic();
    set_relaxed(&base.monotonic, time_in(&before, now));
    set_relaxed(&base.clock, now);
    set_relaxed(&base.rate, rate);
    atomic_store_explicit(&base.version, version + 2, memory_order_release);
}

void clock_choose(TimeWarp chosen, bool is_corrected) {
    warp = chosen;
    corrects = is_corrected;
}

void clock_init(void) {
    static const OffsetState states[] = {
        [NO_TIME_WARP] = OFFSET_FINAL, [SINGLE_TIME_WARP] = OFFSET_PRELIMINARY, [MULTI_TIME_WARP] = OFFSET_VOLATILE};
    set_relaxed(&base.clock, clock_monotonic());
    set_relaxed(&base.monotonic, MONOTONIC_START);
    plain.real = clock_real();
    plain.ahead = MONOTONIC_START - plain.real;
    offset = clock_real() - monotonic_time();
    offset_state = states[warp];
}

TimeWarp clock_warp(void) { return warp; }
bool clock_corrects(void) { return corrects; }
OffsetState clock_offset_state(void) { return atomic_load(&offset_state); }

/* Under the lock. A time that goes back is a leap: monotonic time goes on, and the offset changes where it may. */
static int64_t plain_time_locked(void) {
    int64_t real = clock_real(), back = plain.real - real;
    plain.real = real;
    if (back > 0) {
        plain.ahead += back;
        plain.has_warped = atomic_load(&offset_state) == OFFSET_VOLATILE;
        set_relaxed(&offset, relaxed(&offset) - (plain.has_warped ? back : 0));
    }
    return real + plain.ahead;
}

static noinline int64_t plain_time(void) {
    mutex_lock(&lock);
    int64_t time = plain_time_locked();
    mutex_unlock(&lock);
    return time;
}

int64_t monotonic_time(void) {
    if (unlikely(!corrects))
        return plain_time();
    Base b;
    int64_t now = read_base(&b, true);
    return time_in(&b, now);
}

int64_t time_offset(void) { return relaxed(&offset); }

int64_t system_time(void) {
    int64_t monotonic = monotonic_time(); /* may change the offset */
    return monotonic + time_offset();
}

int64_t now_microseconds(void) {
    static _Atomic int64_t latest;
    int64_t before = atomic_load_explicit(&latest, memory_order_relaxed), now;
    do {
        now = system_time() / 1000;
        if (now <= before)
            now = before + 1;
    } while (!atomic_compare_exchange_weak(&latest, &before, now));
    return now;
}

int64_t clock_of_monotonic_time(int64_t nanoseconds) {
    if (!corrects)
        return clock_monotonic() + nanoseconds - plain_time();
    Base b;
    read_base(&b, false);
    int64_t since = nanoseconds - b.monotonic;
    return b.clock + since - (b.rate == 0 ? 0 : (int64_t)((__int128)since * b.rate / (MILLION + b.rate)));
}

/* By how much the system's time is later than ours; the look that took the shortest time tells it. */
static int64_t difference(void) {
    int64_t shortest = INT64_MAX, result = 0;
    for (int i = 0; i < LOOKS_MAX && shortest > DIFFERENCE_MIN / 10; i++) {
        int64_t before = monotonic_time(), real = clock_real(), took = monotonic_time() - before;
        if (took < shortest) {
            shortest = took;
            result = real - (before + took / 2 + time_offset());
        }
    }
    return shortest < DIFFERENCE_MIN && (result > DIFFERENCE_MIN || result < -DIFFERENCE_MIN) ? result : 0;
}

int64_t clock_correct(int64_t by) {
    int64_t size = by < 0 ? -by : by;
    mutex_lock(&lock);
    set_rate(by == 0 ? 0 : by > 0 ? CORRECTION : -CORRECTION);
    mutex_unlock(&lock);
    return by == 0 || size > WAIT_BETWEEN_LOOKS / 100 ? WAIT_BETWEEN_LOOKS : size * 100;
}

static bool look_uncorrected(int64_t *wait) {
    mutex_lock(&lock);
    (void)plain_time_locked();
    bool has_warped = plain.has_warped;
    plain.has_warped = false;
    mutex_unlock(&lock);
    *wait = warp == MULTI_TIME_WARP ? WAIT_UNCORRECTED : WAIT_BETWEEN_LOOKS;
    return has_warped;
}

bool clock_look(int64_t *wait) {
    if (!corrects)
        return look_uncorrected(wait);
    *wait = WAIT_BETWEEN_LOOKS;
    OffsetState state = clock_offset_state();
    int64_t by = state == OFFSET_PRELIMINARY ? 0 : difference();
    if (state == OFFSET_FINAL)
        *wait = clock_correct(by);
    if (state != OFFSET_VOLATILE || by == 0)
        return false;
    atomic_fetch_add(&offset, by);
    return true;
}

OffsetState clock_finalize(void) {
    OffsetState before = OFFSET_PRELIMINARY;
    if (!atomic_compare_exchange_strong(&offset_state, &before, OFFSET_FINAL))
        return before;
    int64_t monotonic = monotonic_time();
    atomic_store(&offset, clock_real() - monotonic);
    return OFFSET_PRELIMINARY;
}

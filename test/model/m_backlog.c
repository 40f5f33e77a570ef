/*
 * Bytes that wait for another node: who finds them too many and waits is told when they are not, and when all are gone
 * nobody is kept any more. Two add, one of them waits where it is busy; what is added is handed over by a mark, as
 * orders are, and a third one, the channel, takes it away, and looks at who waits.
 */
#include "distribution/backlog.h"

#include "model.h"

#define LIMIT 4

static Backlog backlog;
static _Atomic unsigned given, wants; /* bytes that were handed over; somebody wants to be woken */
static _Atomic bool is_woken;
static bool is_waiting; /* the channel's: it knows of him */

static void setup(void) {}

static void add(unsigned bytes) {
    backlog_add(&backlog, bytes, LIMIT);
    atomic_fetch_add_explicit(&given, bytes, memory_order_release);
}

static void add_three(void) { add(3); }
static void add_twice(void) {
    add(1);
    add(1);
}

/* Who is busy asks to be woken. */
static void add_and_wait(void) {
    add(2);
    if (backlog_is_busy(&backlog))
        atomic_store_explicit(&wants, 1, memory_order_release);
}

/* Who alone adds finds each time that it is busy from the limit on. */
static void add_much(void) {
    for (unsigned i = 0; i < 3; i++) {
        add(i == 0 ? LIMIT : 2);
        uint64_t now = atomic_load_explicit(&backlog.word, memory_order_relaxed);
        model_check(now / BACKLOG_BYTE < LIMIT || (now & BACKLOG_BUSY) != 0);
    }
}

static void wake(void) {
    is_waiting = false;
    atomic_store_explicit(&is_woken, true, memory_order_relaxed);
}

static void look_at_who_waits(void) {
    if (atomic_load_explicit(&wants, memory_order_acquire) != 1)
        return;
    atomic_store_explicit(&wants, 2, memory_order_relaxed);
    is_waiting = true;
    if (!backlog_is_busy(&backlog))
        wake();
}

static void take_some(void) {
    unsigned bytes = atomic_exchange_explicit(&given, 0, memory_order_acquire);
    for (; bytes > 0; bytes--)
        if (backlog_take(&backlog, 1, LIMIT) && is_waiting)
            wake();
}

static void channel(void) {
    for (unsigned i = 0; i < 2; i++) {
        take_some();
        look_at_who_waits();
    }
}

/* It goes on until nothing is left. */
static void nobody_is_kept(void) {
    channel();
    model_check(backlog_bytes(&backlog) == 0);
    model_check(!backlog_is_busy(&backlog));
    model_check(!is_waiting);
    if (atomic_load_explicit(&wants, memory_order_relaxed) != 0)
        model_check(atomic_load_explicit(&is_woken, memory_order_relaxed));
}

/* Between half and all it is as it was. */
static void is_as_it_was(void) {
    backlog_add(&backlog, LIMIT - 1, LIMIT);
    model_check(!backlog_is_busy(&backlog));
    backlog_add(&backlog, 1, LIMIT);
    model_check(backlog_is_busy(&backlog));
    model_check(!backlog_take(&backlog, 1, LIMIT) && backlog_is_busy(&backlog));
    model_check(backlog_take(&backlog, 1, LIMIT) && !backlog_is_busy(&backlog));
    backlog_add(&backlog, 1, LIMIT);
    model_check(!backlog_is_busy(&backlog));
    model_check(!backlog_take(&backlog, LIMIT - 1, LIMIT));
}

#define CASE(the_name, the_end, quick, quick_stale, deep, deep_stale, ...)                                             \
    {                                                                                                                  \
        .name = the_name, .setup = setup, .threads = {__VA_ARGS__}, .end = the_end, .bounds = {quick, quick_stale},    \
        .deep_bounds = {                                                                                               \
            deep,                                                                                                      \
            deep_stale                                                                                                 \
        }                                                                                                              \
    }

static void nothing(void) {}

MODEL(CASE("one adds, one adds and waits", nobody_is_kept, 4, 3, 7, 5, add_three, add_and_wait, channel),
      CASE("one adds twice, one adds and waits", nobody_is_kept, 4, 3, 6, 4, add_twice, add_and_wait, channel),
      CASE("one adds much", nobody_is_kept, 4, 3, 7, 5, add_much, channel),
      CASE("one alone", nothing, 4, 3, 4, 3, is_as_it_was))

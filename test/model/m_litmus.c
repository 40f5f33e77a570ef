/*
 * The checker itself: small programs whose outcomes under C's memory model are known. Those that are forbidden must
 * not occur, and those that are allowed must: a checker that tried too little would miss them.
 */
#include <sched.h>
#include <stdatomic.h>

#include "model.h"

#define relaxed memory_order_relaxed
#define acquire memory_order_acquire
#define release memory_order_release
#define seq_cst memory_order_seq_cst
#define load atomic_load_explicit
#define store atomic_store_explicit

static _Atomic int x, y, z;
static int plain, a, b, c, d;
static void end_ab(void) { model_outcome(2 * a + b); }
static void end_abcd(void) { model_outcome(8 * a + 4 * b + 2 * c + d); }

/* Store buffering: each stores, then reads the other's. */
#define STORE_BUFFERING(name, stores, loads, fence)                                                                    \
    static void name##_1(void) {                                                                                       \
        store(&x, 1, stores);                                                                                          \
        fence;                                                                                                         \
        a = load(&y, loads);                                                                                           \
    }                                                                                                                  \
    static void name##_2(void) {                                                                                       \
        store(&y, 1, stores);                                                                                          \
        fence;                                                                                                         \
        b = load(&x, loads);                                                                                           \
    }
STORE_BUFFERING(sb_relaxed, relaxed, relaxed, )
STORE_BUFFERING(sb_release, release, acquire, )
STORE_BUFFERING(sb_seq_cst, seq_cst, seq_cst, )
STORE_BUFFERING(sb_stores, seq_cst, acquire, )
STORE_BUFFERING(sb_fence, relaxed, relaxed, atomic_thread_fence(seq_cst))
STORE_BUFFERING(sb_light_fence, relaxed, relaxed, atomic_thread_fence(memory_order_acq_rel))

/* One of the sides with a fence, the other with seq_cst operations. */
static void sb_mixed_1(void) { sb_fence_1(); }
static void sb_mixed_2(void) { sb_seq_cst_2(); }

/* As a seq_cst exchange that is followed by a weaker load. */
static void sb_exchange_1(void) {
    atomic_exchange(&x, 1);
    a = load(&y, acquire);
}
static void sb_exchange_2(void) {
    atomic_exchange(&y, 1);
    b = load(&x, acquire);
}

/* Message passing: 1: saw the flag; 2: and not what was stored before it. */
#define MESSAGE_PASSING(name, first, stores, loads, second, before, after)                                             \
    static void name##_1(void) {                                                                                       \
        store(&x, 1, first);                                                                                           \
        before;                                                                                                        \
        store(&y, 1, stores);                                                                                          \
    }                                                                                                                  \
    static void name##_2(void) {                                                                                       \
        a = load(&y, loads);                                                                                           \
        after;                                                                                                         \
        b = load(&x, second);                                                                                          \
    }
MESSAGE_PASSING(mp_relaxed, relaxed, relaxed, relaxed, relaxed, , )
MESSAGE_PASSING(mp_release, relaxed, release, acquire, relaxed, , )
MESSAGE_PASSING(mp_no_acquire, relaxed, release, relaxed, relaxed, , )
MESSAGE_PASSING(mp_no_release, relaxed, relaxed, acquire, relaxed, , )
MESSAGE_PASSING(mp_fences, relaxed, relaxed, relaxed, relaxed, atomic_thread_fence(release),
                atomic_thread_fence(acquire))
MESSAGE_PASSING(mp_one_fence, relaxed, relaxed, relaxed, relaxed, atomic_thread_fence(release), )
MESSAGE_PASSING(mp_late, seq_cst, relaxed, relaxed, seq_cst, , )

/* Through a read-modify-write, which goes on with the release sequence; and through a store, which does not. */
static void mp_chain_1(void) {
    store(&x, 1, relaxed);
    store(&y, 1, release);
}
static void mp_chain_update(void) { atomic_fetch_add_explicit(&y, 2, relaxed); }
static void mp_chain_3(void) {
    int seen = load(&y, acquire);
    a = seen == 3;
    b = load(&x, relaxed);
}
static void mp_broken_update(void) {
    if (load(&y, relaxed) == 1)
        store(&y, 3, relaxed);
}

/* Load buffering: what the checker leaves out. */
static void lb_1(void) {
    a = load(&y, relaxed);
    store(&x, 1, relaxed);
}
static void lb_2(void) {
    b = load(&x, relaxed);
    store(&y, 1, relaxed);
}

/* Two readers of independent writers: do they agree on the order? Outcome 10: a b = 1 0, c d = 1 0. */
static void iriw_x_relaxed(void) { store(&x, 1, relaxed); }
static void iriw_y_relaxed(void) { store(&y, 1, relaxed); }
static void iriw_x(void) { store(&x, 1, seq_cst); }
static void iriw_y(void) { store(&y, 1, seq_cst); }
#define IRIW(name, order, fence)                                                                                       \
    static void name##_3(void) {                                                                                       \
        a = load(&x, order);                                                                                           \
        fence;                                                                                                         \
        b = load(&y, order);                                                                                           \
    }                                                                                                                  \
    static void name##_4(void) {                                                                                       \
        c = load(&y, order);                                                                                           \
        fence;                                                                                                         \
        d = load(&x, order);                                                                                           \
    }
IRIW(iriw_acquire, acquire, )
IRIW(iriw_seq_cst, seq_cst, )
IRIW(iriw_fence, relaxed, atomic_thread_fence(seq_cst))

/* Coherence: two reads of one object do not go back. */
static void coherence_1(void) {
    store(&x, 1, relaxed);
    store(&x, 2, relaxed);
}
static void coherence_2(void) {
    int first = load(&x, relaxed), second = load(&x, relaxed);
    a = first > second;
    b = first != second;
}

/* 2+2W: stores of two threads to two objects: both of the first ones may come last. */
static void writes_1(void) {
    store(&x, 2, relaxed);
    store(&y, 1, relaxed);
}
static void writes_2(void) {
    store(&y, 2, relaxed);
    store(&x, 1, relaxed);
}
static void writes_seq_cst_1(void) {
    store(&x, 2, seq_cst);
    store(&y, 1, seq_cst);
}
static void writes_seq_cst_2(void) {
    store(&y, 2, seq_cst);
    store(&x, 1, seq_cst);
}
static void end_writes(void) { model_outcome(x == 2 && y == 2); }

/* R: a store that comes first in the order of stores, and a load that is late. */
static void r_1(void) {
    store(&x, 1, relaxed);
    atomic_thread_fence(seq_cst);
    store(&y, 1, relaxed);
}
static void r_2(void) {
    store(&y, 2, relaxed);
    atomic_thread_fence(seq_cst);
    b = load(&x, relaxed) == 0;
}
static void r_weak_1(void) {
    store(&x, 1, relaxed);
    store(&y, 1, release);
}
static void end_r(void) { model_outcome(y == 2 && b); }

/* Each change is of the newest: none is lost. */
static void count_twice(void) {
    atomic_fetch_add_explicit(&x, 1, relaxed);
    atomic_fetch_add_explicit(&x, 1, relaxed);
}
static void count_by_exchange(void) {
    int old = load(&x, relaxed);
    while (!atomic_compare_exchange_weak_explicit(&x, &old, old + 1, relaxed, relaxed)) {
    }
}
static void end_count(void) { model_outcome(x); }

/* A lock of one word. */
static void spin_lock_1(void) {
    for (int none = 0; !atomic_compare_exchange_strong_explicit(&z, &none, 1, acquire, relaxed); none = 0)
        sched_yield();
    plain++;
    store(&z, 0, release);
}
static void end_plain(void) { model_outcome(plain); }
static void await_1(void) {
    plain = 7;
    store(&x, 1, release);
}
static void await_2(void) {
    while (!load(&x, acquire))
        sched_yield();
    a = plain;
}
static void end_a(void) { model_outcome(a); }

#define CASE(the_name, the_end, the_outcomes, ...)                                                                     \
    {.name = the_name,                                                                                                 \
     .threads = {__VA_ARGS__},                                                                                         \
     .end = the_end,                                                                                                   \
     .bounds = MODEL_ALL,                                                                                              \
     .deep_bounds = MODEL_ALL,                                                                                         \
     .outcomes = the_outcomes}
#define O MODEL_OUTCOME
#define ALL_OF_2 (O(0) | O(1) | O(2) | O(3))
#define ALL_OF_4 0xffffu

MODEL(CASE("store buffering, relaxed", end_ab, ALL_OF_2, sb_relaxed_1, sb_relaxed_2),
      CASE("store buffering, release and acquire", end_ab, ALL_OF_2, sb_release_1, sb_release_2),
      CASE("store buffering, seq_cst", end_ab, ALL_OF_2 & ~O(0), sb_seq_cst_1, sb_seq_cst_2),
      CASE("store buffering, seq_cst stores alone", end_ab, ALL_OF_2, sb_stores_1, sb_stores_2),
      CASE("store buffering, seq_cst fences", end_ab, ALL_OF_2 & ~O(0), sb_fence_1, sb_fence_2),
      CASE("store buffering, acq_rel fences", end_ab, ALL_OF_2, sb_light_fence_1, sb_light_fence_2),
      CASE("store buffering, a fence and seq_cst", end_ab, ALL_OF_2 & ~O(0), sb_mixed_1, sb_mixed_2),
      CASE("store buffering, seq_cst exchanges and weaker loads", end_ab, ALL_OF_2, sb_exchange_1, sb_exchange_2),
      CASE("message passing, relaxed", end_ab, ALL_OF_2, mp_relaxed_1, mp_relaxed_2),
      CASE("message passing, release and acquire", end_ab, ALL_OF_2 & ~O(2), mp_release_1, mp_release_2),
      CASE("message passing, without acquire", end_ab, ALL_OF_2, mp_no_acquire_1, mp_no_acquire_2),
      CASE("message passing, without release", end_ab, ALL_OF_2, mp_no_release_1, mp_no_release_2),
      CASE("message passing, fences", end_ab, ALL_OF_2 & ~O(2), mp_fences_1, mp_fences_2),
      CASE("message passing, one fence", end_ab, ALL_OF_2, mp_one_fence_1, mp_one_fence_2),
      CASE("message passing, a relaxed store overtakes seq_cst", end_ab, ALL_OF_2, mp_late_1, mp_late_2),
      CASE("message passing, through a change", end_ab, ALL_OF_2 & ~O(2), mp_chain_1, mp_chain_update, mp_chain_3),
      CASE("message passing, through a relaxed store", end_ab, ALL_OF_2, mp_chain_1, mp_broken_update, mp_chain_3),
      CASE("load buffering is left out", end_ab, ALL_OF_2 & ~O(3), lb_1, lb_2),
      CASE("independent writers, acquire", end_abcd, ALL_OF_4, iriw_x_relaxed, iriw_y_relaxed, iriw_acquire_3,
           iriw_acquire_4),
      CASE("independent writers, seq_cst", end_abcd, ALL_OF_4 & ~O(10), iriw_x, iriw_y, iriw_seq_cst_3, iriw_seq_cst_4),
      CASE("independent writers, fences", end_abcd, ALL_OF_4 & ~O(10), iriw_x_relaxed, iriw_y_relaxed, iriw_fence_3,
           iriw_fence_4),
      CASE("coherence", end_ab, O(0) | O(1), coherence_1, coherence_2),
      CASE("order of stores, relaxed", end_writes, O(0) | O(1), writes_1, writes_2),
      CASE("order of stores, seq_cst", end_writes, O(0), writes_seq_cst_1, writes_seq_cst_2),
      CASE("a store and a load, fences", end_r, O(0), r_1, r_2),
      CASE("a store and a load, one fence", end_r, O(0) | O(1), r_weak_1, r_2),
      CASE("no change is lost", end_count, O(4), count_twice, count_by_exchange, count_by_exchange),
      CASE("a lock of one word", end_plain, O(3), spin_lock_1, spin_lock_1, spin_lock_1),
      CASE("waiting for a word", end_a, O(7), await_1, await_2))

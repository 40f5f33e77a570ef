/*
 * Counting objects: whoever asks, while others write, is told a number of objects that there were at some moment
 * between his question and the answer. The table has two stripes. Nobody takes an object out before another one is in,
 * so there are one or two.
 */
#include "base/waiting.c"
#include "sys/thread.c"

#include "ets/count.c"
#include "ets/fair_lock.c"
#include "ets/lock.c"
#include "sys/event.c"

#include "model.h"

void long_work_round_is_over(void) {}

static Table table;
static Stripe stripes[2];
static Earlier earlier[2];
static LockSlot slots[LOCK_SLOTS];
static _Atomic int step;
/* The stripes where objects are at the start, and come to. They are read in the order of their numbers. */
static uint32_t from, to;

static void begin(uint32_t at) {
    from = at;
    to = 1 - at;
    table.type = TABLE_SET;
    table.stripes = stripes;
    table.earlier = earlier;
    table.stripe_count = 2;
    table.shares_writes = true;
    table.lock = (TableLock){.slots = LOCK_SLOTS, .slot = slots};
    mutex_init(&table.counting, LOCK_ETS_COUNT);
    stripes[from].objects = 1;
}
static void from_first(void) { begin(0); }
static void from_last(void) { begin(1); }

/* The one object of the stripe of this hash comes or goes. */
static void write_stripe(uint32_t hash, int by) {
    Stripe *s = table_stripe(&table, hash);
    fair_lock_write(&s->lock, NULL);
    table_count(&table, hash, (Counts){.objects = by});
    fair_lock_end_write(&s->lock);
}

static void change(uint32_t hash, int by) {
    table_lock_read(&table.lock, NULL);
    write_stripe(hash, by);
    table_unlock_read(&table.lock);
}

static int64_t ask(void) {
    table_lock_read(&table.lock, NULL);
    int64_t objects = table_objects(&table);
    table_unlock_read(&table.lock);
    return objects;
}

static void asks(void) {
    int64_t objects = ask();
    model_check(objects == 1 || objects == 2);
}

static void asks_twice(void) {
    int64_t first = ask(), second = ask();
    model_check(first == 1 || first == 2);
    model_check(second == 1 || second == 2);
}

static void moves(void) {
    change(to, 1);
    change(from, -1);
}

static void moves_there_and_back(void) {
    moves();
    change(from, 1);
    change(to, -1);
}

/* One puts in, and tells another one, who takes out. */
static void puts_in(void) {
    change(to, 1);
    atomic_store_explicit(&step, 1, memory_order_release);
}
static void takes_out_then(void) {
    if (atomic_load_explicit(&step, memory_order_acquire) == 1)
        change(from, -1);
}

/* The same, but that the one who takes out has come to the table before, and finds the new object there. */
static void looks_and_takes_out(void) {
    table_lock_read(&table.lock, NULL);
    fair_lock_read(&stripes[to].lock, NULL);
    bool is_there = atomic_load_explicit(&stripes[to].objects, memory_order_relaxed) == 1;
    fair_lock_end_read(&stripes[to].lock);
    table_lock_pass_own(&table.lock);
    if (is_there)
        write_stripe(from, -1);
    table_unlock_read(&table.lock);
}

/* What he has put in he is told of. */
static void puts_in_and_asks(void) {
    change(to, 1);
    model_check(ask() == 2);
}

static void is_right(void) {
    model_check(ask() == table_objects_at_rest(&table));
    model_check(stripes[0].lock.state == 0 && stripes[1].lock.state == 0);
}

#define CASE(the_name, the_setup, quick, quick_stale, deep, deep_stale, ...)                                           \
    {                                                                                                                  \
        .name = the_name, .setup = the_setup, .threads = {__VA_ARGS__}, .end = is_right,                               \
        .bounds = {quick, quick_stale}, .deep_bounds = {                                                               \
            deep,                                                                                                      \
            deep_stale                                                                                                 \
        }                                                                                                              \
    }
#define BOTH_WAYS(name, ...) CASE(name, from_first, __VA_ARGS__), CASE(name ", back", from_last, __VA_ARGS__)

MODEL(BOTH_WAYS("one moves, one asks", 4, 3, 6, 4, moves_there_and_back, asks),
      BOTH_WAYS("one moves, one asks twice", 2, 2, 4, 3, moves_there_and_back, asks_twice),
      BOTH_WAYS("one puts in, one takes out, one asks", 4, 2, 5, 3, puts_in, takes_out_then, asks),
      BOTH_WAYS("one puts in, one finds it and takes out, one asks", 3, 1, 4, 3, puts_in, looks_and_takes_out, asks),
      CASE("one puts in and asks, another asks", from_first, 3, 2, 4, 3, puts_in_and_asks, asks),
      CASE("one moves, two ask", from_first, 3, 1, 4, 2, moves, asks, asks))

/*
 * The wheel: each item comes out at its tick and not before, those of one tick in the order in which they were put in,
 * whatever the distance, and however time passes. And nothing is done to many at once, nor too late because of that.
 */
#include "process/wheel.h"

#include <stdlib.h>

#include "unit.h"

typedef struct {
    WheelItem item;
    unsigned number; /* in the order in which they were put in */
    bool is_in;
} Own;

static Own *own_of(WheelItem *item) { return container_of(item, Own, item); }

static void put(Wheel *w, Own *own, int64_t at) {
    static unsigned count;
    own->item.at = at;
    own->number = ++count;
    own->is_in = true;
    int64_t due = wheel_put(w, &own->item);
    assert_true(due <= at && due >= w->now && wheel_due(w) <= due);
}

#define ITEMS 500
#define STEPS 100000

/* Up to `to`, whatever work that is. */
static void take_all(Wheel *w, int64_t to, const Own *owns) {
    int64_t at = INT64_MIN;
    unsigned number = 0, work = UINT32_MAX;
    for (WheelItem *item; (item = wheel_take(w, to, &work)) != NULL;) {
        Own *own = own_of(item);
        assert_true(own->is_in && item->at <= to);
        assert_true(item->at > at || (item->at == at && own->number > number));
        own->is_in = false;
        at = item->at;
        number = own->number;
    }
    size_t left = 0;
    for (int i = 0; i < ITEMS; i++) {
        assert_true(!owns[i].is_in || owns[i].item.at > to);
        left += owns[i].is_in;
    }
    assert_int_equal(w->count, left);
    assert_true(w->now >= to && wheel_due(w) > to);
}

static int64_t random_distance(unsigned *seed) {
    unsigned bits = (unsigned)rand_r(seed) % 43;
    return 1 + (int64_t)(((uint64_t)rand_r(seed) << 31 | (uint64_t)rand_r(seed)) & ((UINT64_C(1) << bits) - 1));
}

/* A little; to where something is to be done; or anywhere. */
static int64_t pass(const Wheel *w, unsigned *seed) {
    int64_t due = wheel_due(w);
    switch (rand_r(seed) % 40) {
    case 0: return w->now + random_distance(seed) % (1 << 24);
    case 1:
    case 2: return due == WHEEL_NEVER ? w->now : due;
    default: return w->now + rand_r(seed) % 3;
    }
}

/* Many have a tick in common with others that were put in from another distance. */
static int64_t some_tick(const Wheel *w, const Own *owns, unsigned *seed) {
    const Own *other = &owns[rand_r(seed) % ITEMS];
    if (rand_r(seed) % 2 && other->is_in && other->item.at > w->now)
        return other->item.at;
    return w->now + random_distance(seed);
}

static void each_comes_at_its_tick_and_in_order(void **state) {
    static Own owns[ITEMS];
    Wheel *w = calloc(1, sizeof *w);
    unsigned seed = 1;
    wheel_set(w, -1000000);
    for (int i = 0; i < STEPS; i++) {
        Own *own = &owns[rand_r(&seed) % ITEMS];
        if (!own->is_in) {
            put(w, own, some_tick(w, owns, &seed));
        } else if (rand_r(&seed) % 4 == 0) {
            wheel_remove(w, &own->item);
            own->is_in = false;
        }
        if (i % 10 == 0)
            take_all(w, pass(w, &seed), owns);
    }
    take_all(w, w->now + ((int64_t)1 << 43), owns);
    assert_int_equal(w->count, 0);
    assert_int_equal(wheel_due(w), WHEEL_NEVER);
    free(w);
}

#define MANY 40000
#define WORK 500
#define FIRST 20000
#define TICKS 256 /* in which they are due */

/* The wheel is served at each tick, or only when it wants to be. */
static void serve(bool always) {
    static Own owns[MANY];
    Wheel *w = calloc(1, sizeof *w);
    wheel_set(w, 0);
    for (int i = 0; i < MANY; i++)
        put(w, &owns[i], FIRST + i % TICKS);
    unsigned taken = 0;
    for (int64_t to = 0; to < FIRST + TICKS; to++) {
        if (!always && wheel_due(w) > to)
            continue;
        size_t near = w->level_count[0];
        unsigned work = WORK;
        for (WheelItem *item; (item = wheel_take(w, to, &work)) != NULL; taken++)
            assert_int_equal(item->at, to);
        assert_true(w->level_count[0] <= near + WORK);
    }
    assert_int_equal(taken, MANY);
    free(w);
}

static void many_come_down_in_small_parts_and_in_time(void **state) {
    serve(true);
    serve(false);
}

UNIT_TESTS(unit(each_comes_at_its_tick_and_in_order), unit(many_come_down_in_small_parts_and_in_time))

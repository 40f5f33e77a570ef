/* Other nodes for units: pids of theirs, and a connection that writes down what it is told. */
#ifndef VIV_TEST_UNIT_FAR_H
#define VIV_TEST_UNIT_FAR_H

#include "heap/copy.h"
#include "process/far.h"
#include "process/message.h"
#include "term/atom.h"
#include "unit.h"

#define UNIT_ORDERS_MAX 64
static FarOrder unit_orders[UNIT_ORDERS_MAX]; /* their terms lie in unit_order_area */
static unsigned unit_order_count, unit_orders_seen;
static uint32_t unit_far_connection = 1; /* its number */
static bool unit_far_reaches = true; /* do orders find a connection? */
static FragmentArea unit_far_area;

static inline Term unit_far_name(void) { return atom_from_cstring("far@away"); }

/* As long as the test runs. */
static inline Term unit_far_pid(uint32_t number) {
    return ident_pid(&unit_far_area.area, unit_far_name(), 3, number, 0);
}

static inline bool unit_far_tell(const FarOrder *order) {
    if (!unit_far_reaches)
        return false;
    assert_true(unit_order_count < UNIT_ORDERS_MAX);
    FarOrder *o = &unit_orders[unit_order_count++];
    *o = *order;
    if (order->connection != NULL)
        *order->connection = unit_far_connection;
    Term *terms[] = {&o->to,       &o->payload, &o->token,        &o->module,
                     &o->function, &o->arity,   &o->group_leader, &o->options};
    for (size_t i = 0; i < array_length(terms); i++)
        if (is_pointer(*terms[i]))
            *terms[i] = term_copy(*terms[i], &unit_far_area.area);
    return true;
}

static inline void unit_far_begin(void) {
    fragment_area_init(&unit_far_area, 1000);
    unit_order_count = unit_orders_seen = 0;
    unit_far_reaches = true;
    unit_far_connection = 1;
    far_tell = unit_far_tell;
}

/* Nothing is tied to other nodes any more, and all that was told has been looked at. */
static inline void unit_far_end(void) {
    assert_int_equal(unit_orders_seen, unit_order_count);
    assert_int_equal(far_count(), 0);
    fragment_area_drop(&unit_far_area);
    far_tell = NULL;
}

/* The next that was told is of that kind, by `from`. */
static inline const FarOrder *unit_order(FarKind kind, Term from) {
    assert_true(unit_orders_seen < unit_order_count);
    const FarOrder *o = &unit_orders[unit_orders_seen++];
    assert_int_equal(o->kind, kind);
    assert_int_equal(o->from, from);
    return o;
}

#endif

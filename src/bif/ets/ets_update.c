/*
 * ets: update_counter and update_element. Both change the elements of one object at once, or nothing of it.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/ets/ets.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "sys/release.h"
#include "term/arith.h"
#include "term/atom.h"
#include "term/integer.h"

#include <string.h>

#define OWN_WORDS 16 /* of most objects */
/* Of long work: for each element of a large object, and each change that is asked for. */
#define UNITS_PER_ELEMENT 2
#define UNITS_PER_CHANGE 30

/* The elements of an object while it is being changed. */
typedef struct {
    Hold hold;
    Object *object; /* NULL: it is to be made from a default */
    Term *elements; /* elements[1..arity]; elements[0] is the header */
    size_t arity;
    bool replaced;  /* an element that is not immediate came or went: the object must be made anew */
    Term own[OWN_WORDS];
} Change;

static void change_start(Change *c, Object *o, size_t arity) {
    c->object = o;
    c->arity = arity;
    c->replaced = o == NULL;
    long_work_count_large(arity, UNITS_PER_ELEMENT);
    c->elements = arity < OWN_WORDS ? c->own : mem_alloc(ALLOC_TEMP, (arity + 1) * WORD_BYTES);
}

static void change_end(Change *c) {
    if (c->elements != c->own)
        mem_free(ALLOC_TEMP, c->elements);
}

static void change_begin(Change *c, Object *o, Area *area) {
    change_start(c, o, object_arity(o));
    object_expand(o, c->elements, area);
}

/* From a default tuple, with the key put in its place. */
static void change_begin_default(Change *c, Term tuple, Term key) {
    change_start(c, NULL, tuple_arity(tuple));
    memcpy(c->elements, boxed_ptr(tuple), (c->arity + 1) * WORD_BYTES);
    c->elements[c->hold.table->keypos] = key;
}

static void change_element(Change *c, size_t position, Term value) {
    c->replaced |= is_pointer(value) || is_pointer(c->elements[position]);
    c->elements[position] = value;
}

static void change_commit(Change *c) {
    if (c->object && !c->replaced) {
        for (size_t i = 1; i <= c->arity; i++)
            if (is_immediate(c->elements[i]))
                object_put_immediate(c->object, i, c->elements[i]);
    } else {
        Object *new = table_object(c->hold.table, boxed_make(c->elements));
        if (c->object)
            table_replace(&c->hold, c->object, new);
        else
            table_put(&c->hold, new);
    }
    change_end(c);
    table_let_go(&c->hold);
}

static Term change_fail(Process *p, Change *c, Term cause) {
    change_end(c);
    return is_value(cause) ? ets_let_go_fail(p, &c->hold, cause) : ets_let_go_badarg(p, &c->hold);
}

/* Holds the key. False: failed. `wrong_type`: the cause of failing for a bag. */
static bool change_hold(Process *p, Change *c, const Term *a, Term wrong_type) {
    if (!ets_hold(p, a[0], ETS_WRITES, HOLD_WRITE, a[1], &c->hold))
        return false;
    Table *t = c->hold.table;
    if (t->type != TABLE_SET && t->type != TABLE_ORDERED_SET) {
        if (is_value(wrong_type))
            ets_let_go_fail(p, &c->hold, wrong_type);
        else
            ets_let_go_badarg(p, &c->hold);
        return false;
    }
    return true;
}

/* Begins: with the object, or (NULL) the default (NON_VALUE: none). False: failed, or *missing. */
static bool change_open(Process *p, Change *c, const Term *a, Object *o, Term tuple, bool *missing) {
    Table *t = c->hold.table;
    *missing = false;
    if (o) {
        change_begin(c, o, process_area(p));
    } else if (!is_value(tuple)) {
        *missing = true;
        return false;
    } else if (!is_tuple(tuple) || tuple_arity(tuple) < t->keypos) {
        ets_let_go_badarg(p, &c->hold);
        return false;
    } else {
        change_begin_default(c, tuple, a[1]);
    }
    return true;
}

static Term bad_default(Process *p, Term table) {
    Hold hold;
    if (!ets_hold(p, table, ETS_WRITES, HOLD_READ, NON_VALUE, &hold))
        return NON_VALUE;
    return ets_let_go_badarg(p, &hold);
}

/* Counters */

typedef struct {
    Term position, increment, threshold, set; /* the last two NON_VALUE when there are none */
} CounterOp;

static bool take_op(const Table *t, Term term, CounterOp *op) {
    *op = (CounterOp){NON_VALUE, term, NON_VALUE, NON_VALUE};
    if (is_integer(term)) {
        op->position = small_make((SWord)t->keypos + 1);
        return true;
    }
    if (!is_tuple_arity(term, 2) && !is_tuple_arity(term, 4))
        return false;
    const Term *e = tuple_elements(term);
    op->position = e[0];
    op->increment = e[1];
    if (tuple_arity(term) == 4) {
        op->threshold = e[2];
        op->set = e[3];
        if (!is_integer(e[2]) || !is_integer(e[3]))
            return false;
    }
    return is_small(e[0]) && is_integer(e[1]);
}

/* The new value, NON_VALUE when it is too large. */
static Term count(Area *area, Term value, const CounterOp *op) {
    ArithFail fail;
    Term sum = arith_add(area, value, op->increment, &fail);
    if (!is_value(sum) || !is_value(op->threshold))
        return sum;
    int order = integer_compare(sum, op->threshold);
    bool passed = integer_is_negative(op->increment) ? order < 0 : order > 0;
    return passed ? op->set : sum;
}

/* NON_VALUE when applied: then *value is the result. Else the cause; am_error stands for none. */
static Term apply_op(Process *p, Change *c, Term term, Term *value) {
    CounterOp op;
    if (!take_op(c->hold.table, term, &op))
        return am_error;
    SWord position = small_value(op.position);
    if (position == (SWord)c->hold.table->keypos)
        return am_keypos;
    if (position < 1 || (size_t)position > c->arity)
        return am_position;
    if (!is_integer(c->elements[position]))
        return am_error;
    *value = count(process_area(p), c->elements[position], &op);
    if (!is_value(*value))
        return am_error;
    *value = term_copy(*value, process_area(p)); /* adding 0 gives the object's own big integer */
    change_element(c, (size_t)position, *value);
    return NON_VALUE;
}

/* The usual case: small integers, and the sum is one. NON_VALUE: it is another, and nothing was done. */
static Term count_in_place(const Table *t, Object *o, Term term) {
    CounterOp op;
    if (!take_op(t, term, &op) || !is_small(op.increment) || is_value(op.threshold))
        return NON_VALUE;
    SWord position = small_value(op.position);
    if (position < 1 || (size_t)position > object_arity(o) || position == (SWord)t->keypos)
        return NON_VALUE;
    Term value = o->tuple_words[position]; /* what is packed is no small integer */
    if (!is_small(value) || !small_fits(small_value(value) + small_value(op.increment)))
        return NON_VALUE;
    Term sum = small_make(small_value(value) + small_value(op.increment));
    object_put_immediate(o, (size_t)position, sum);
    return sum;
}

/* The only change that is asked for, NON_VALUE when there are more. */
static Term only_change(Term changes, bool many) {
    if (!many)
        return changes;
    bool is_one = is_list(changes) && is_nil(list_tail(changes)) && is_tuple(list_head(changes));
    return is_one ? list_head(changes) : NON_VALUE;
}

/* Results may still point into the object: they are copies when they are new, and small otherwise. */
static Term update_counter(Process *p, const Term *a, Term initial) {
    Change c;
    bool missing, many = is_list(a[2]) || is_nil(a[2]);
    if (!change_hold(p, &c, a, am_table_type))
        return NON_VALUE;
    Object *o = table_first_object(&c.hold, a[1]);
    Term only = only_change(a[2], many);
    Term sum = o && is_value(only) ? count_in_place(c.hold.table, o, only) : NON_VALUE;
    if (likely(is_value(sum))) {
        table_let_go(&c.hold);
        return many ? area_cons(process_area(p), sum, NIL) : sum;
    }
    if (!change_open(p, &c, a, o, initial, &missing))
        return missing ? ets_let_go_fail(p, &c.hold, am_badkey) : NON_VALUE;
    Area *area = process_area(p);
    Term result = NIL, cause = NON_VALUE, value = NON_VALUE;
    if (many) {
        Term reversed = NIL, l = a[2];
        for (; is_list(l) && !is_value(cause); l = list_tail(l)) {
            cause = is_tuple(list_head(l)) ? apply_op(p, &c, list_head(l), &value) : am_error;
            long_work_count(UNITS_PER_CHANGE);
            reversed = area_cons(area, value, reversed);
        }
        if (!is_value(cause) && !is_nil(l))
            cause = am_error;
        for (; is_list(reversed); reversed = list_tail(reversed))
            result = area_cons(area, list_head(reversed), result);
    } else {
        cause = apply_op(p, &c, a[2], &result);
    }
    if (is_value(cause))
        return change_fail(p, &c, cause == am_error ? NON_VALUE : cause);
    change_commit(&c);
    return result;
}

Term ets_update_counter_3(Process *p, const Term *a) { return update_counter(p, a, NON_VALUE); }
Term ets_update_counter_4(Process *p, const Term *a) {
    if (!is_tuple(a[3]))
        return bad_default(p, a[0]);
    return update_counter(p, a, a[3]);
}

/* Elements */

/* The cause, am_error for none; NON_VALUE when done. */
static Term put_element(Change *c, Term spec) {
    if (!is_tuple_arity(spec, 2) || !is_small(tuple_elements(spec)[0]))
        return am_error;
    SWord position = small_value(tuple_elements(spec)[0]);
    if (position == (SWord)c->hold.table->keypos)
        return am_keypos;
    if (position < 1 || (size_t)position > c->arity)
        return release_has(RELEASE_ETS_TOLD_BETTER) ? am_position : am_error;
    change_element(c, (size_t)position, tuple_elements(spec)[1]);
    return NON_VALUE;
}

/* The usual case: one element, an immediate term in the place of another. False: it is not, and nothing was done. */
static bool put_in_place(const Table *t, Object *o, Term spec) {
    if (!is_tuple_arity(spec, 2) || !is_small(tuple_elements(spec)[0]) || is_pointer(tuple_elements(spec)[1]))
        return false;
    SWord position = small_value(tuple_elements(spec)[0]);
    if (position < 1 || (size_t)position > object_arity(o) || position == (SWord)t->keypos || o->packed ||
        is_pointer(o->tuple_words[position]))
        return false;
    object_put_immediate(o, (size_t)position, tuple_elements(spec)[1]);
    return true;
}

static Term update_element(Process *p, const Term *a, Term initial) {
    Change c;
    bool missing;
    if (!change_hold(p, &c, a, NON_VALUE))
        return NON_VALUE;
    Object *o = table_first_object(&c.hold, a[1]);
    if (likely(o && put_in_place(c.hold.table, o, a[2]))) {
        table_let_go(&c.hold);
        return am_true;
    }
    if (!change_open(p, &c, a, o, initial, &missing)) {
        if (missing)
            table_let_go(&c.hold);
        return missing ? am_false : NON_VALUE;
    }
    Term cause = NON_VALUE, l = a[2];
    unsigned left = LONG_WORK_ROUND;
    for (; is_list(l) && !is_value(cause); l = list_tail(l)) {
        cause = put_element(&c, list_head(l));
        left = long_work_step(left, UNITS_PER_CHANGE);
    }
    if (is_tuple(a[2]))
        cause = put_element(&c, a[2]);
    else if (!is_value(cause) && !is_nil(l))
        cause = am_error;
    if (is_value(cause))
        return change_fail(p, &c, cause == am_error ? NON_VALUE : cause);
    change_commit(&c);
    return am_true;
}

Term ets_update_element_3(Process *p, const Term *a) { return update_element(p, a, NON_VALUE); }
Term ets_update_element_4(Process *p, const Term *a) {
    if (!is_tuple(a[3]))
        return bad_default(p, a[0]);
    return update_element(p, a, a[3]);
}

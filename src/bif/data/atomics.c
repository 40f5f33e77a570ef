/*
 * Arrays of 64-bit numbers that all processes may change at once: the modules atomics and counters.
 *
 * atomics: one array of atomic words, sequentially consistent. counters with write_concurrency: COLUMNS arrays side
 * by side, each thread adding in its own, so that adders do not meet; a read sums them. Numbers wrap around.
 * Source: atomics(3), counters(3).
 */
#include "bif/magic_object.h"
#include "bif_table.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/map.h"

#include <stdatomic.h>

#define ARRAY_MAX (((uint64_t)1 << 59) - 1) /* what can be counted; memory ends long before */
#define OPTION_SIGNED 1

typedef struct {
    uint64_t count;
    bool is_signed;
    _Atomic uint64_t numbers[];
} Atomics;

static bool atomics_destroy(RefcBinary *binary) { return true; }

/* A count of elements that can be allocated: fails with badarg or system_limit. */
static bool take_size(Process *p, Term t, uint64_t *count) {
    if (!is_integer(t) || integer_is_negative(t) || t == small_make(0)) {
        fail_badarg(p);
        return false;
    }
    if (!is_small(t) || (uint64_t)small_value(t) > ARRAY_MAX / 64) {
        fail_system_limit(p);
        return false;
    }
    *count = (uint64_t)small_value(t);
    return true;
}

Term atomics_new(Process *p, const Term *a) {
    uint64_t count;
    if (!is_small(a[1]))
        return fail_badarg(p);
    if (!take_size(p, a[0], &count))
        return NON_VALUE;
    void *object;
    Term reference = native_try_new(p, sizeof(Atomics) + count * sizeof(uint64_t), atomics_destroy, &object);
    if (reference == NON_VALUE)
        return NON_VALUE;
    ((Atomics *)object)->count = count;
    ((Atomics *)object)->is_signed = small_value(a[1]) & OPTION_SIGNED;
    return reference;
}

/* The element's place, NULL when reference or index are bad. */
static _Atomic uint64_t *element(Term reference, Term index, Atomics **array) {
    Atomics *atomics = *array = native_object(reference, atomics_destroy);
    if (!atomics || !is_small(index) || small_value(index) < 1 || (uint64_t)small_value(index) > atomics->count)
        return NULL;
    return &atomics->numbers[small_value(index) - 1];
}

static bool take_number(const Atomics *array, Term t, uint64_t *bits) {
    return array->is_signed ? integer_to_int64(t, (int64_t *)bits) : integer_to_uint64(t, bits);
}

static Term number(Process *p, const Atomics *array, uint64_t bits) {
    Area *area = process_area(p);
    return array->is_signed ? integer_from_int64(area, (int64_t)bits) : integer_from_uint64(area, bits);
}

typedef bool Take(const Atomics *array, Term t, uint64_t *bits);
/* The place that a[0] and a[1] name, and the number a[2]. NULL: one of them is bad. */
static _Atomic uint64_t *operands(const Term *a, Take *take, Atomics **array, uint64_t *bits) {
    _Atomic uint64_t *place = element(a[0], a[1], array);
    return place && take(*array, a[2], bits) ? place : NULL;
}

Term atomics_put(Process *p, const Term *a) {
    Atomics *array;
    uint64_t bits;
    _Atomic uint64_t *place = operands(a, take_number, &array, &bits);
    if (!place)
        return fail_badarg(p);
    atomic_store(place, bits);
    return am_ok;
}

Term atomics_get(Process *p, const Term *a) {
    Atomics *array;
    _Atomic uint64_t *place = element(a[0], a[1], &array);
    return place ? number(p, array, atomic_load(place)) : fail_badarg(p);
}

/* What is added may be of either sign, whatever the array holds. */
static bool take_increment(const Atomics *array, Term t, uint64_t *bits) {
    return integer_to_int64(t, (int64_t *)bits) || integer_to_uint64(t, bits);
}

Term atomics_add(Process *p, const Term *a) {
    Atomics *array;
    uint64_t bits;
    _Atomic uint64_t *place = operands(a, take_increment, &array, &bits);
    if (!place)
        return fail_badarg(p);
    atomic_fetch_add(place, bits);
    return am_ok;
}

Term atomics_add_get(Process *p, const Term *a) {
    Atomics *array;
    uint64_t bits;
    _Atomic uint64_t *place = operands(a, take_increment, &array, &bits);
    if (!place)
        return fail_badarg(p);
    return number(p, array, atomic_fetch_add(place, bits) + bits);
}

Term atomics_exchange(Process *p, const Term *a) {
    Atomics *array;
    uint64_t bits;
    _Atomic uint64_t *place = operands(a, take_number, &array, &bits);
    if (!place)
        return fail_badarg(p);
    return number(p, array, atomic_exchange(place, bits));
}

Term atomics_compare_exchange(Process *p, const Term *a) {
    Atomics *array;
    _Atomic uint64_t *place = element(a[0], a[1], &array);
    uint64_t expected, desired;
    if (!place || !take_number(array, a[2], &expected) || !take_number(array, a[3], &desired))
        return fail_badarg(p);
    return atomic_compare_exchange_strong(place, &expected, desired) ? am_ok : number(p, array, expected);
}

Term atomics_info(Process *p, const Term *a) {
    Atomics *array = native_object(a[0], atomics_destroy);
    if (!array)
        return fail_badarg(p);
    Area *area = process_area(p);
    Term pairs[] = {
        am_size,   integer_from_uint64(area, array->count),
        am_max,    number(p, array, array->is_signed ? (uint64_t)INT64_MAX : UINT64_MAX),
        am_min,    number(p, array, array->is_signed ? (uint64_t)INT64_MIN : 0),
        am_memory, integer_from_uint64(area, sizeof(RefcBinary) + sizeof *array + array->count * sizeof(uint64_t)),
    };
    return map_from_pairs(area, pairs, array_length(pairs) / 2);
}

/* Rows of a cache line's worth of numbers for each column: a column's line holds NUMBERS_PER_LINE neighbours. */
#define NUMBERS_PER_LINE (CACHE_LINE / sizeof(uint64_t))
typedef struct {
    uint64_t count;
    unsigned columns;
    uint64_t padding[6];
    _Atomic uint64_t numbers[];
} Counters;

static bool counters_destroy(RefcBinary *binary) { return true; }

static unsigned my_column(const Counters *c) {
    static _Atomic unsigned threads;
    static __thread unsigned me;
    if (unlikely(me == 0))
        me = atomic_fetch_add(&threads, 1) + 1;
    return me % c->columns;
}

static uint64_t counters_words(uint64_t count, unsigned columns) {
    return (count + NUMBERS_PER_LINE - 1) / NUMBERS_PER_LINE * NUMBERS_PER_LINE * columns;
}

Term counters_new(Process *p, const Term *a) {
    uint64_t count;
    if (!take_size(p, a[0], &count))
        return NON_VALUE;
    unsigned columns = thread_cpu_count() + 1; /* the first is where put writes */
    void *object;
    Term reference = native_try_new(p, sizeof(Counters) + counters_words(count, columns) * sizeof(uint64_t),
                                    counters_destroy, &object);
    if (reference == NON_VALUE)
        return NON_VALUE;
    ((Counters *)object)->count = count;
    ((Counters *)object)->columns = columns;
    return reference;
}

static Counters *take_counter(Term reference, Term index, uint64_t *at) {
    Counters *c = native_object(reference, counters_destroy);
    if (!c || !is_small(index) || small_value(index) < 1 || (uint64_t)small_value(index) > c->count)
        return NULL;
    *at = (uint64_t)small_value(index) - 1;
    return c;
}

static _Atomic uint64_t *cell(Counters *c, uint64_t at, unsigned column) {
    uint64_t line = at / NUMBERS_PER_LINE * c->columns + column;
    return &c->numbers[line * NUMBERS_PER_LINE + at % NUMBERS_PER_LINE];
}

Term counters_get(Process *p, const Term *a) {
    uint64_t at, sum = 0;
    Counters *c = take_counter(a[0], a[1], &at);
    if (!c)
        return fail_badarg(p);
    for (unsigned i = 0; i < c->columns; i++)
        sum += atomic_load_explicit(cell(c, at, i), memory_order_relaxed);
    return integer_from_int64(process_area(p), (int64_t)sum);
}

Term counters_add(Process *p, const Term *a) {
    uint64_t at, by;
    Counters *c = take_counter(a[0], a[1], &at);
    if (!c || !take_increment(NULL, a[2], &by))
        return fail_badarg(p);
    atomic_fetch_add_explicit(cell(c, at, my_column(c)), by, memory_order_relaxed);
    return am_ok;
}

/* Not atomic with regard to adders: counters(3) says that a put may lose what is added meanwhile. */
Term counters_put(Process *p, const Term *a) {
    uint64_t at;
    int64_t value;
    Counters *c = take_counter(a[0], a[1], &at);
    if (!c || !integer_to_int64(a[2], &value))
        return fail_badarg(p);
    uint64_t others = 0;
    for (unsigned i = 1; i < c->columns; i++)
        others += atomic_load_explicit(cell(c, at, i), memory_order_relaxed);
    atomic_store_explicit(cell(c, at, 0), (uint64_t)value - others, memory_order_relaxed);
    return am_ok;
}

Term counters_info(Process *p, const Term *a) {
    Counters *c = native_object(a[0], counters_destroy);
    if (!c)
        return fail_badarg(p);
    Area *area = process_area(p);
    uint64_t bytes = sizeof(RefcBinary) + sizeof *c + counters_words(c->count, c->columns) * sizeof(uint64_t);
    Term pairs[] = {am_size, integer_from_uint64(area, c->count), am_memory, integer_from_uint64(area, bytes)};
    return map_from_pairs(area, pairs, 2);
}

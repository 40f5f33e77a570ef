/* Building, taking apart and comparing integers; conversion from and to doubles. */
#include "term/integer.h"

#include "term/float.h"

#include <gmp.h>

_Static_assert(sizeof(mp_limb_t) == sizeof(uint64_t), "limbs are 64 bits");

#define TWO_TO_60 0x1p60

void integer_view(Term t, IntegerView *view) {
    if (is_small(t)) {
        SWord v = small_value(t);
        view->negative = v < 0;
        view->small = v < 0 ? -(uint64_t)v : (uint64_t)v;
        view->limbs = &view->small;
        view->count = v != 0;
        return;
    }
    const Term *p = boxed_ptr(t);
    view->limbs = p + 1;
    view->count = header_arity(p[0]);
    view->negative = header_kind(p[0]) == KIND_NEG_BIG;
}

Term integer_end(Area *area, uint64_t *limbs, size_t count, bool negative) {
    Term *object = limbs - 1, *end = limbs + count;
    while (count > 0 && limbs[count - 1] == 0)
        count--;
    Term result;
    if (count == 0) {
        result = small_make(0);
    } else if (count == 1 && limbs[0] <= (uint64_t)SMALL_MAX + negative) {
        result = small_make(negative ? -(SWord)limbs[0] : (SWord)limbs[0]);
    } else if (count > integer_max_limbs()) {
        result = NON_VALUE;
    } else {
        object[0] = header_make(negative ? KIND_NEG_BIG : KIND_POS_BIG, count);
        area_give_back(area, limbs + count, end);
        return boxed_make(object);
    }
    area_give_back(area, object, end);
    return result;
}

static Term make_one_limb(Area *area, uint64_t magnitude, bool negative) {
    uint64_t *limbs = integer_begin(area, 1);
    limbs[0] = magnitude;
    return integer_end(area, limbs, 1, negative);
}

Term integer_make_int64(Area *area, int64_t v) {
    return make_one_limb(area, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
}
Term integer_make_uint64(Area *area, uint64_t v) { return make_one_limb(area, v, false); }

Term integer_from_limbs(Area *area, const uint64_t *limbs, size_t count, bool negative) {
    while (count > 0 && limbs[count - 1] == 0)
        count--;
    if (count > integer_max_limbs())
        return NON_VALUE;
    uint64_t *to = integer_begin(area, count);
    for (size_t i = 0; i < count; i++)
        to[i] = limbs[i];
    return integer_end(area, to, count, negative);
}

bool integer_to_int64(Term t, int64_t *value) {
    if (is_small(t)) {
        *value = small_value(t);
        return true;
    }
    if (!is_big(t) || header_arity(boxed_header(t)) != 1)
        return false;
    uint64_t magnitude = boxed_ptr(t)[1];
    bool negative = integer_is_negative(t);
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? -magnitude : magnitude);
    return true;
}

bool integer_to_uint64(Term t, uint64_t *value) {
    if (is_small(t)) {
        *value = (uint64_t)small_value(t);
        return (SWord)t >= 0;
    }
    if (!is_boxed_kind(t, KIND_POS_BIG) || header_arity(boxed_header(t)) != 1)
        return false;
    *value = boxed_ptr(t)[1];
    return true;
}

static size_t limbs_bit_length(const uint64_t *limbs, size_t count) {
    return count == 0 ? 0 : count * 64 - (size_t)__builtin_clzll(limbs[count - 1]);
}

size_t integer_bit_length(Term t) {
    IntegerView view;
    integer_view(t, &view);
    return limbs_bit_length(view.limbs, view.count);
}

#define DOUBLE_LIMBS 17 /* 1024 bits, and one limb for the shift */

/* The integral part of |d| >= 1 as limbs; returns how many. */
static size_t double_limbs(double d, uint64_t limbs[DOUBLE_LIMBS]) {
    uint64_t bits = float_bits(d);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    if (exponent <= 0) {
        limbs[0] = mantissa >> -exponent;
        return 1;
    }
    size_t whole = (size_t)exponent / 64;
    unsigned shift = (unsigned)exponent % 64;
    for (size_t i = 0; i < whole; i++)
        limbs[i] = 0;
    limbs[whole] = mantissa << shift;
    limbs[whole + 1] = shift == 0 ? 0 : mantissa >> (64 - shift);
    return limbs[whole + 1] == 0 ? whole + 1 : whole + 2;
}

Term integer_from_double(Area *area, double d) {
    if (likely(d > -TWO_TO_60 && d < TWO_TO_60))
        return small_make((SWord)d);
    uint64_t limbs[DOUBLE_LIMBS];
    size_t count = double_limbs(d, limbs);
    return integer_from_limbs(area, limbs, count, d < 0);
}

/* Limb by limb from the top, each step rounded: what the stock runtime's results show, though not always the nearest
 * double of the whole. */
bool integer_to_double(Term t, double *d) {
    if (is_small(t)) {
        *d = (double)small_value(t);
        return true;
    }
    IntegerView view;
    integer_view(t, &view);
    double sum = 0;
    for (size_t i = view.count; i-- > 0;) {
        sum = sum * 0x1p64 + (double)view.limbs[i];
        if (!float_is_finite(sum))
            return false;
    }
    *d = view.negative ? -sum : sum;
    return true;
}

static int compare_limbs(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    if (a_count != b_count)
        return a_count < b_count ? -1 : 1;
    return mpn_cmp(a, b, (mp_size_t)a_count);
}

int integer_compare(Term a, Term b) {
    if (are_small(a, b))
        return (SWord)a<(SWord)b ? -1 : (SWord)a>(SWord) b;
    IntegerView x, y;
    integer_view(a, &x);
    integer_view(b, &y);
    if (x.negative != y.negative)
        return x.negative ? -1 : 1;
    int order = compare_limbs(x.limbs, x.count, y.limbs, y.count);
    return x.negative ? -order : order;
}

static int small_compare_double(SWord i, double d) {
    if (d >= TWO_TO_60)
        return -1;
    if (d < -TWO_TO_60)
        return 1;
    SWord whole = (SWord)d; /* toward zero */
    if (i != whole)
        return i < whole ? -1 : 1;
    double fraction = d - (double)whole;
    return fraction > 0 ? -1 : fraction < 0;
}

int integer_compare_double(Term t, double d) {
    if (is_small(t))
        return small_compare_double(small_value(t), d);
    bool negative = integer_is_negative(t);
    /* a big is beyond every double between the bounds of the smalls */
    if (negative != (d < 0) || (d > -TWO_TO_60 && d < TWO_TO_60))
        return negative ? -1 : 1;
    uint64_t limbs[DOUBLE_LIMBS];
    size_t count = double_limbs(d, limbs);
    int order = compare_limbs(boxed_ptr(t) + 1, header_arity(boxed_header(t)), limbs, count);
    return negative ? -order : order;
}

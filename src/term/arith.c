/* Dispatch on the kinds of operands, small integers, floats, and the functions that round. Bigs: arith_big.c. */
#include "term/arith.h"

#include "sys/release.h"
#include "term/arith_big.h"
#include "term/float.h"
#include "term/integer.h"

#include <math.h>

static Term failed(ArithFail *fail, ArithFail why) {
    *fail = why;
    return NON_VALUE;
}

/* Integers alone can be too large. */
static inline Term integer_result(Term t, ArithFail *fail) {
    return likely(is_value(t)) ? t : failed(fail, ARITH_SYSTEM_LIMIT);
}

static inline Term float_result(Area *area, double d, ArithFail *fail) {
    return likely(float_is_finite(d)) ? float_make(area, d) : failed(fail, ARITH_BADARITH);
}

bool arith_to_double(Term t, double *d) {
    if (likely(is_float(t))) {
        *d = float_value(t);
        return true;
    }
    return is_integer(t) && integer_to_double(t, d);
}

static inline bool both_doubles(Term a, Term b, double *x, double *y) {
    return arith_to_double(a, x) && arith_to_double(b, y);
}
static inline bool are_integers(Term a, Term b) { return is_integer(a) && is_integer(b); }

Term arith_add(Area *area, Term a, Term b, ArithFail *fail) {
    if (are_small(a, b))
        return integer_from_int64(area, small_value(a) + small_value(b));
    if (are_integers(a, b))
        return integer_result(big_add(area, a, b, false), fail);
    double x, y;
    return both_doubles(a, b, &x, &y) ? float_result(area, x + y, fail) : failed(fail, ARITH_BADARITH);
}

Term arith_sub(Area *area, Term a, Term b, ArithFail *fail) {
    if (are_small(a, b))
        return integer_from_int64(area, small_value(a) - small_value(b));
    if (are_integers(a, b))
        return integer_result(big_add(area, a, b, true), fail);
    double x, y;
    return both_doubles(a, b, &x, &y) ? float_result(area, x - y, fail) : failed(fail, ARITH_BADARITH);
}

Term arith_mul(Area *area, Term a, Term b, ArithFail *fail) {
    SWord product;
    if (are_small(a, b) && !__builtin_mul_overflow(small_value(a), small_value(b), &product))
        return integer_from_int64(area, product);
    if (are_integers(a, b))
        return integer_result(big_mul(area, a, b), fail);
    double x, y;
    return both_doubles(a, b, &x, &y) ? float_result(area, x * y, fail) : failed(fail, ARITH_BADARITH);
}

Term arith_divide(Area *area, Term a, Term b, ArithFail *fail) {
    double x, y;
    if (!both_doubles(a, b, &x, &y) || y == 0)
        return failed(fail, ARITH_BADARITH);
    return float_result(area, x / y, fail);
}

Term arith_div(Area *area, Term a, Term b, ArithFail *fail) {
    if (!are_integers(a, b) || b == small_make(0))
        return failed(fail, ARITH_BADARITH);
    if (are_small(a, b))
        return integer_from_int64(area, small_value(a) / small_value(b));
    return integer_result(big_div(area, a, b), fail);
}

Term arith_rem(Area *area, Term a, Term b, ArithFail *fail) {
    if (!are_integers(a, b) || b == small_make(0))
        return failed(fail, ARITH_BADARITH);
    if (are_small(a, b))
        return small_make(small_value(a) % small_value(b));
    return integer_result(big_rem(area, a, b), fail);
}

/* Of negative ones even a result can be too large: -2^n has a limb more than what it is made of. */
static Term bitwise(Area *area, Term a, Term b, BigBitwise op, ArithFail *fail) {
    if (!are_integers(a, b))
        return failed(fail, ARITH_BADARITH);
    return integer_result(big_bitwise(area, a, b, op), fail);
}

Term arith_band(Area *area, Term a, Term b, ArithFail *fail) {
    if (are_small(a, b))
        return a & b;
    return bitwise(area, a, b, BIG_AND, fail);
}

Term arith_bor(Area *area, Term a, Term b, ArithFail *fail) {
    if (are_small(a, b))
        return a | b;
    return bitwise(area, a, b, BIG_OR, fail);
}

Term arith_bxor(Area *area, Term a, Term b, ArithFail *fail) {
    if (are_small(a, b))
        return a ^ b;
    return bitwise(area, a, b, BIG_XOR, fail);
}

/* `amount` counts to the left when positive. */
static Term shift(Area *area, Term a, SWord amount, ArithFail *fail) {
    if (is_small(a)) {
        SWord v = small_value(a);
        if (amount <= 0)
            return small_make(v >> (amount < -63 ? 63 : -amount));
        if (v == 0)
            return a;
        if (amount < SMALL_BITS && (v < 0 ? ~v : v) >> (SMALL_BITS - 1 - amount) == 0)
            return small_make((SWord)((Word)v << amount));
    }
    return integer_result(amount >= 0 ? big_shift_left(area, a, (Word)amount) : big_shift_right(area, a, -(Word)amount),
                          fail);
}

/* A shift by a big: everything goes, or nothing fits. */
static Term shift_far(Term a, bool left, ArithFail *fail) {
    if (a == small_make(0))
        return a;
    if (left)
        return failed(fail, ARITH_SYSTEM_LIMIT);
    return small_make(integer_is_negative(a) ? -1 : 0);
}

Term arith_bsl(Area *area, Term a, Term b, ArithFail *fail) {
    if (!are_integers(a, b))
        return failed(fail, ARITH_BADARITH);
    return is_small(b) ? shift(area, a, small_value(b), fail) : shift_far(a, !integer_is_negative(b), fail);
}

Term arith_bsr(Area *area, Term a, Term b, ArithFail *fail) {
    if (!are_integers(a, b))
        return failed(fail, ARITH_BADARITH);
    return is_small(b) ? shift(area, a, -small_value(b), fail) : shift_far(a, integer_is_negative(b), fail);
}

Term arith_bnot(Area *area, Term a, ArithFail *fail) {
    if (is_small(a))
        return small_make(~small_value(a));
    return is_big(a) ? integer_result(big_not(area, a), fail) : failed(fail, ARITH_BADARITH);
}

Term arith_neg(Area *area, Term a, ArithFail *fail) {
    if (is_small(a))
        return integer_from_int64(area, -small_value(a));
    if (is_float(a))
        return float_make(area, -float_value(a));
    return is_big(a) ? big_neg(area, a) : failed(fail, ARITH_BADARITH);
}

Term arith_plus(Area *area, Term a, ArithFail *fail) { return is_number(a) ? a : failed(fail, ARITH_BADARITH); }

Term arith_abs(Area *area, Term a, ArithFail *fail) {
    if (is_float(a) && release_has(RELEASE_SIGNED_ZEROS))
        return float_make(area, fabs(float_value(a)));
    if (is_float(a)) /* abs(-0.0) is -0.0 */
        return float_value(a) < 0 ? float_make(area, -float_value(a)) : a;
    if (!is_integer(a))
        return failed(fail, ARITH_BADARG);
    return integer_is_negative(a) ? arith_neg(area, a, fail) : a;
}

Term arith_float(Area *area, Term a, ArithFail *fail) {
    double d;
    if (is_float(a))
        return a;
    return arith_to_double(a, &d) ? float_make(area, d) : failed(fail, ARITH_BADARG);
}

static inline Term rounded(Area *area, Term a, double (*how)(double), ArithFail *fail) {
    if (is_float(a))
        return integer_from_double(area, how(float_value(a)));
    return is_integer(a) ? a : failed(fail, ARITH_BADARG);
}

Term arith_round(Area *area, Term a, ArithFail *fail) { return rounded(area, a, round, fail); }
Term arith_trunc(Area *area, Term a, ArithFail *fail) { return rounded(area, a, trunc, fail); }
Term arith_ceil(Area *area, Term a, ArithFail *fail) { return rounded(area, a, ceil, fail); }
Term arith_floor(Area *area, Term a, ArithFail *fail) { return rounded(area, a, floor, fail); }

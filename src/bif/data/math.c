/*
 * The module math. Source: math(3): arguments are any numbers, results floats. What is no number is badarg; a number
 * too large for a float, and a result that is none (domain error, overflow), badarith.
 */
#include <math.h>

#include "bif/argument.h"
#include "bif_table.h"
#include "term/float.h"

typedef double Function1(double);
typedef double Function2(double, double);

static Term float_or_badarith(Process *p, double d) {
    return float_is_finite(d) ? float_make(process_area(p), d) : fail_badarith(p);
}

/* Sets the failure. */
static bool to_double(Process *p, Term t, double *d) {
    if (likely(arith_to_double(t, d)))
        return true;
    if (is_number(t))
        fail_badarith(p);
    else
        fail_badarg(p);
    return false;
}

static Term math_1(Process *p, const Term *a, Function1 *f) {
    double x;
    return to_double(p, a[0], &x) ? float_or_badarith(p, f(x)) : NON_VALUE;
}

static Term math_2(Process *p, const Term *a, Function2 *f) {
    double x, y;
    if (!to_double(p, a[0], &x) || !to_double(p, a[1], &y))
        return NON_VALUE;
    return float_or_badarith(p, f(x, y));
}

#define MATH_1(name)                                                                                                   \
    Term math_##name##_1(Process *p, const Term *a) { return math_1(p, a, name); }
#define MATH_2(name)                                                                                                   \
    Term math_##name##_2(Process *p, const Term *a) { return math_2(p, a, name); }

MATH_1(acos)
MATH_1(acosh)
MATH_1(asin)
MATH_1(asinh)
MATH_1(atan)
MATH_1(atanh)
MATH_1(ceil)
MATH_1(cos)
MATH_1(cosh)
MATH_1(erf)
MATH_1(erfc)
MATH_1(exp)
MATH_1(floor)
MATH_1(log)
MATH_1(log10)
MATH_1(log2)
MATH_1(sin)
MATH_1(sinh)
MATH_1(sqrt)
MATH_1(tan)
MATH_1(tanh)
MATH_2(atan2)
MATH_2(fmod)
MATH_2(pow)

/*
 * Operators, and the arithmetic functions of `erlang`, as functions that can be called and applied.
 * Compiled code has instructions for most of them; the meaning is in term/arith.h and term/compare.h for both.
 */
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/type_tests.h"

#define ARITHMETIC_1(name)                                                                                             \
    Term erlang_##name##_1(Process *p, const Term *a) {                                                                \
        ArithFail fail = ARITH_OK;                                                                                     \
        Term result = arith_##name(process_area(p), a[0], &fail);                                                      \
        return arith_result(p, result, fail);                                                                          \
    }
#define ARITHMETIC_2(name)                                                                                             \
    Term erlang_##name##_2(Process *p, const Term *a) {                                                                \
        ArithFail fail = ARITH_OK;                                                                                     \
        Term result = arith_##name(process_area(p), a[0], a[1], &fail);                                                \
        return arith_result(p, result, fail);                                                                          \
    }

ARITHMETIC_2(add)
ARITHMETIC_2(sub)
ARITHMETIC_2(mul)
ARITHMETIC_2(divide)
ARITHMETIC_2(div)
ARITHMETIC_2(rem)
ARITHMETIC_2(band)
ARITHMETIC_2(bor)
ARITHMETIC_2(bxor)
ARITHMETIC_2(bsl)
ARITHMETIC_2(bsr)
ARITHMETIC_1(bnot)
ARITHMETIC_1(neg)
ARITHMETIC_1(plus)
ARITHMETIC_1(abs)
ARITHMETIC_1(float)
ARITHMETIC_1(round)
ARITHMETIC_1(trunc)
ARITHMETIC_1(ceil)
ARITHMETIC_1(floor)

#define COMPARISON(name, test)                                                                                         \
    Term erlang_##name##_2(Process *p, const Term *a) {                                                                \
        LONG_WORK_OPEN;                                                                                                \
        return bool_term(test);                                                                                        \
    }

COMPARISONS(COMPARISON)

static bool is_boolean(Term t) { return t == am_true || t == am_false; }

#define BOOLEAN(name, test)                                                                                            \
    Term erlang_##name##_2(Process *p, const Term *a) {                                                                \
        if (!is_boolean(a[0]) || !is_boolean(a[1]))                                                                    \
            return fail_badarg(p);                                                                                     \
        return bool_term(test);                                                                                        \
    }

BOOLEAN(and, a[0] == am_true && a[1] == am_true)
BOOLEAN(or, a[0] == am_true || a[1] == am_true)
BOOLEAN(xor, a[0] != a[1])

Term erlang_not_1(Process *p, const Term *a) { return is_boolean(a[0]) ? bool_term(a[0] == am_false) : fail_badarg(p); }

/* The order of map keys: integers before floats of the same value. */
Term erts_internal_cmp_term_2(Process *p, const Term *a) {
    int order = term_compare_exact(a[0], a[1]);
    return small_make((order > 0) - (order < 0));
}

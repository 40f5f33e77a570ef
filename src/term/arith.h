/*
 * Arithmetic on any numbers: what `+` and the guard functions mean. Integers exact, mixed operands as floats.
 *
 * Every function takes any terms, and returns the result, or NON_VALUE with *fail set when it fails: badarith (an
 * operand is of a wrong type, division by zero, a float overflow), badarg (the functions named like BIFs, on what is no
 * number) or system_limit (integer too large). Source: erlang reference manual, "Arithmetic Expressions"; erlang(3).
 */
#ifndef VIV_TERM_ARITH_H
#define VIV_TERM_ARITH_H

#include "term/area.h"

typedef enum { ARITH_OK, ARITH_BADARITH, ARITH_BADARG, ARITH_SYSTEM_LIMIT } ArithFail;

Term arith_add(Area *area, Term a, Term b, ArithFail *fail);
Term arith_sub(Area *area, Term a, Term b, ArithFail *fail);
Term arith_mul(Area *area, Term a, Term b, ArithFail *fail);
Term arith_divide(Area *area, Term a, Term b, ArithFail *fail); /* '/' */
Term arith_div(Area *area, Term a, Term b, ArithFail *fail);
Term arith_rem(Area *area, Term a, Term b, ArithFail *fail);
Term arith_band(Area *area, Term a, Term b, ArithFail *fail);
Term arith_bor(Area *area, Term a, Term b, ArithFail *fail);
Term arith_bxor(Area *area, Term a, Term b, ArithFail *fail);
Term arith_bsl(Area *area, Term a, Term b, ArithFail *fail);
Term arith_bsr(Area *area, Term a, Term b, ArithFail *fail);
Term arith_bnot(Area *area, Term a, ArithFail *fail);
Term arith_neg(Area *area, Term a, ArithFail *fail);
Term arith_plus(Area *area, Term a, ArithFail *fail); /* unary + */

/* BIFs: badarg */
Term arith_abs(Area *area, Term a, ArithFail *fail);
Term arith_float(Area *area, Term a, ArithFail *fail);
Term arith_round(Area *area, Term a, ArithFail *fail);
Term arith_trunc(Area *area, Term a, ArithFail *fail);
Term arith_ceil(Area *area, Term a, ArithFail *fail);
Term arith_floor(Area *area, Term a, ArithFail *fail);

/* Any number as a double; false when it is none, or too large. */
bool arith_to_double(Term t, double *d);

#endif

/*
 * Arithmetic on integers of which at least one is no small (they work on any, but are slow for smalls). Operands are
 * integers, divisors not zero. NON_VALUE: the result is beyond integer_max_limbs. For arith.c.
 */
#ifndef VIV_TERM_ARITH_BIG_H
#define VIV_TERM_ARITH_BIG_H

#include "term/area.h"

Term big_add(Area *area, Term a, Term b, bool subtract);
Term big_mul(Area *area, Term a, Term b);
Term big_div(Area *area, Term a, Term b);
Term big_rem(Area *area, Term a, Term b);
typedef enum { BIG_AND, BIG_OR, BIG_XOR } BigBitwise;
Term big_bitwise(Area *area, Term a, Term b, BigBitwise op);
Term big_shift_left(Area *area, Term a, Word bits);
Term big_shift_right(Area *area, Term a, Word bits); /* toward minus infinity */
Term big_not(Area *area, Term a);
Term big_neg(Area *area, Term a);

#endif

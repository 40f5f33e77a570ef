/*
 * The shortest decimal that reads back as a double, and of those the nearest one.
 *
 * Source: Raffaello Giulietti, "The Schubfach way to render doubles" (2020). Of the numbers that are rounded to the
 * double at most one is a multiple of 10^(k + 1), where k is the largest with 10^k below the width of their interval;
 * else one of the two multiples of 10^k beside the double is. Both are found with three products of 128 bits each, by
 * powers of ten that are rounded up (tools/gen_powers.py), and kept odd when what is cut off was not zero.
 */
#ifndef VIV_TERM_FLOAT_SHORTEST_H
#define VIV_TERM_FLOAT_SHORTEST_H

#include <stdint.h>

typedef struct {
    uint64_t digits; /* may end in zeros */
    int exponent;    /* of ten */
} ShortestDecimal;

/* `d` is finite and above zero. */
ShortestDecimal float_shortest(double d);

#endif

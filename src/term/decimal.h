/*
 * The decimal digits of a word, for texts of integers and of floats. They are made from the last to the first, and stay
 * where they are made: a wide copy of bytes that were just written has to wait for them.
 */
#ifndef VIV_TERM_DECIMAL_H
#define VIV_TERM_DECIMAL_H

#include <stdint.h>
#include <string.h>

#define DECIMAL_DIGITS_MAX 20

/* Writes them so that they end before `end`, two at a time; zero has one. Returns where they begin. */
static inline char *decimal_before(char *end, uint64_t v) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    for (; v >= 100; v /= 100)
        memcpy(end -= 2, pairs + 2 * (v % 100), 2);
    if (v >= 10)
        return memcpy(end - 2, pairs + 2 * v, 2);
    *--end = (char)('0' + v);
    return end;
}

#endif

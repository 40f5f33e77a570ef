/* Integers from and to text in base 2 to 36. */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/decimal.h"
#include "term/integer.h"

#include <gmp.h>
#include <string.h>

#define MAX_DIGITS (integer_max_limbs() * 64) /* of base 2: no number has more */

static const char digit_text[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Long work: quadratic for short numbers, about as much for each limb of long ones. */
#define UNITS_PER_LIMB_MAX 1000
static void count_conversion(size_t limbs) {
    long_work_count((int64_t)(limbs * (limbs < UNITS_PER_LIMB_MAX ? limbs : UNITS_PER_LIMB_MAX)));
}

#define UNITS_PER_DIGIT 3 /* to read it */

static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A') + 10;
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 10;
    return 99;
}

size_t integer_text_max(Term t, unsigned base) {
    IntegerView view;
    integer_view(t, &view);
    if (view.count <= 1)
        return 65;
    return mpn_sizeinbase(view.limbs, (mp_size_t)view.count, (int)base) + 3;
}

static size_t decimal_text(uint64_t v, char *out) {
    char digits[DECIMAL_DIGITS_MAX], *end = digits + sizeof digits, *start = decimal_before(end, v);
    memcpy(out, start, (size_t)(end - start));
    return (size_t)(end - start);
}

/* Digits of that many bits each. */
static size_t digits_of_bits(uint64_t v, unsigned bits, char *out) {
    size_t n = v == 0 ? 1 : (64 - (size_t)__builtin_clzll(v) + bits - 1) / bits;
    for (char *at = out + n; at > out; v >>= bits)
        *--at = digit_text[v & ((1u << bits) - 1)];
    return n;
}

static size_t word_to_text(uint64_t v, unsigned base, char *out) {
    char digits[64];
    size_t n = 0;
    if (base == 10)
        return decimal_text(v, out);
    if ((base & (base - 1)) == 0)
        return digits_of_bits(v, (unsigned)__builtin_ctz(base), out);
    do {
        digits[n++] = digit_text[v % base];
        v /= base;
    } while (v != 0);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    return n;
}

size_t integer_to_text(Term t, unsigned base, char *out) {
    IntegerView view;
    integer_view(t, &view);
    size_t sign = view.negative;
    if (view.negative)
        *out++ = '-';
    if (view.count <= 1)
        return sign + word_to_text(view.count == 0 ? 0 : view.limbs[0], base, out);
    count_conversion(view.count);
    mp_limb_t *limbs = mem_alloc(ALLOC_TEMP, (view.count + 1) * sizeof *limbs); /* mpn_get_str destroys its input */
    memcpy(limbs, view.limbs, view.count * sizeof *limbs);
    size_t n = mpn_get_str((unsigned char *)out, (int)base, limbs, (mp_size_t)view.count);
    mem_free(ALLOC_TEMP, limbs);
    size_t zeros = 0;
    while (zeros + 1 < n && out[zeros] == 0)
        zeros++;
    for (size_t i = zeros; i < n; i++)
        out[i - zeros] = digit_text[(unsigned char)out[i]];
    return sign + n - zeros;
}

/* `digits` are values below `base`, the first not zero. */
static Term parse_big(Area *area, const unsigned char *digits, size_t count, unsigned base, bool negative) {
    unsigned bits_per_digit = 32 - (unsigned)__builtin_clz(base - 1);
    size_t limbs = count * bits_per_digit / 64 + 2;
    count_conversion(limbs);
    mp_limb_t *to = mem_alloc(ALLOC_TEMP, limbs * sizeof *to);
    mp_size_t used = mpn_set_str(to, digits, count, (int)base);
    Term t = integer_from_limbs(area, to, (size_t)used, negative);
    mem_free(ALLOC_TEMP, to);
    return t;
}

Term integer_parse(Area *area, const char *text, size_t length, unsigned base, bool *too_big) {
    bool beyond = false;
    if (too_big == NULL)
        too_big = &beyond;
    *too_big = false;
    bool negative = length > 0 && text[0] == '-';
    if (length > 0 && (text[0] == '-' || text[0] == '+')) {
        text++;
        length--;
    }
    if (length == 0)
        return NON_VALUE;
    uint64_t value = 0;
    size_t i = 0;
    for (; i < length && value <= (uint64_t)SMALL_MAX / 64; i++) {
        unsigned digit = digit_value(text[i]);
        if (digit >= base)
            return NON_VALUE;
        value = value * base + digit;
    }
    if (i == length) /* at most SMALL_MAX / 64 * 36 + 35 */
        return small_make(negative ? -(SWord)value : (SWord)value);
    size_t start = 0;
    while (text[start] == '0')
        start++;
    length -= start;
    text += start;
    long_work_count_large(length, UNITS_PER_DIGIT);
    unsigned char *digits = mem_alloc(ALLOC_TEMP, length);
    bool good = true;
    for (i = 0; i < length && good; i++) {
        unsigned digit = digit_value(text[i]);
        digits[i] = (unsigned char)digit;
        good = digit < base;
    }
    Term t = NON_VALUE;
    if (good) {
        t = length > MAX_DIGITS ? NON_VALUE : parse_big(area, digits, length, base, negative);
        *too_big = t == NON_VALUE;
    }
    mem_free(ALLOC_TEMP, digits);
    return t;
}

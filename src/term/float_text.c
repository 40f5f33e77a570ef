#include "term/float_text.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/decimal.h"
#include "term/float.h"
#include "term/float_shortest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t print(char *out, const char *format, unsigned digits, double d) {
    char text[1024];
    int length = snprintf(text, sizeof text, format, (int)digits, d);
    if (length > FLOAT_TEXT_MAX)
        return 0;
    memcpy(out, text, (size_t)length);
    return (size_t)length;
}

size_t float_text_scientific(double d, unsigned digits, char *out) { return print(out, "%.*e", digits, d); }

/* At least `width` of them. */
static size_t word_digits(uint64_t v, unsigned width, char *out) {
    char digits[DECIMAL_DIGITS_MAX], *end = digits + sizeof digits, *at = decimal_before(end, v);
    while (end - at < width)
        *--at = '0';
    memcpy(out, at, (size_t)(end - at));
    return (size_t)(end - at);
}

/* Up to 18 decimals of what is below 2^53 come from arithmetic on doubles, so they are rounded after a product,
 * and not always the nearest decimal: that is what the stock runtime prints. */
#define FAST_DECIMALS 18
#define FAST_LIMIT 0x1p53

static size_t fast_decimals(double d, unsigned decimals, char *out) {
    static const double powers[FAST_DECIMALS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    size_t n = 0;
    if (signbit(d))
        out[n++] = '-';
    d = fabs(d);
    uint64_t whole = (uint64_t)d, part = (uint64_t)round((d - (double)whole) * powers[decimals]);
    if (part >= (uint64_t)powers[decimals]) {
        whole++;
        part = 0;
    }
    n += word_digits(whole, 1, out + n);
    if (decimals == 0)
        return n;
    out[n++] = '.';
    return n + word_digits(part, decimals, out + n);
}

size_t float_text_decimals(double d, unsigned decimals, bool compact, char *out) {
    bool fast = decimals <= FAST_DECIMALS && fabs(d) < FAST_LIMIT;
    size_t n = fast ? fast_decimals(d, decimals, out) : print(out, "%.*f", decimals, d);
    if (compact && (decimals > 0 || !fast)) /* stock drops the zeros of large whole numbers too: 1.0e16 is "1" */
        while (n > 1 && out[n - 1] == '0' && out[n - 2] != '.')
            n--;
    return n;
}

typedef struct {
    char text[DECIMAL_DIGITS_MAX];
    const char *digits; /* in `text`, without trailing zeros */
    int count, place;   /* the point stands after `place` digits */
} Decimal;

/* Above zero. */
static void shortest(double d, Decimal *t) {
    ShortestDecimal s = float_shortest(d);
    char *end = t->text + sizeof t->text;
    t->digits = decimal_before(end, s.digits);
    t->count = (int)(end - t->digits);
    t->place = t->count + s.exponent;
    while (t->count > 1 && t->digits[t->count - 1] == '0')
        t->count--;
}

static size_t put(char *out, const char *text, int count) {
    memcpy(out, text, (size_t)count);
    return (size_t)count;
}

static size_t put_zeros(char *out, int count) {
    memset(out, '0', (size_t)count);
    return (size_t)count;
}

/* e-n */
static size_t exponent_text(const Decimal *t, char *out) {
    int exponent = t->place - 1;
    size_t n = put(out, exponent < 0 ? "e-" : "e", exponent < 0 ? 2 : 1);
    return n + word_digits((uint64_t)(exponent < 0 ? -exponent : exponent), 1, out + n);
}

/* d.ddde-n */
static size_t with_exponent(const Decimal *t, char *out) {
    size_t n = 0;
    out[n++] = t->digits[0];
    out[n++] = '.';
    n += t->count == 1 ? put_zeros(out + n, 1) : put(out + n, t->digits + 1, t->count - 1);
    return n + exponent_text(t, out + n);
}

/* What the form with an exponent takes beyond the digits; the plain form is taken when it needs no more zeros than
 * that. */
static int exponent_cost(const Decimal *t) {
    int exponent = t->place - 1, size = abs(exponent);
    int text = 1 + (exponent < 0) + (size < 10 ? 1 : size < 100 ? 2 : 3);
    return text + (t->count == 1 ? 2 : 1);
}

size_t float_text_short(double d, char *out) {
    size_t n = 0;
    if (signbit(d))
        out[n++] = '-';
    d = fabs(d);
    if (d == 0)
        return n + put(out + n, "0.0", 3);
    Decimal t;
    shortest(d, &t);
    if (t.place > 0 && t.place < t.count) {
        n += put(out + n, t.digits, t.place);
        out[n++] = '.';
        return n + put(out + n, t.digits + t.place, t.count - t.place);
    }
    if (t.place <= 0) {
        if (t.place < 0 && 2 - t.place > exponent_cost(&t))
            return n + with_exponent(&t, out + n);
        n += put(out + n, "0.", 2);
        n += put_zeros(out + n, -t.place);
        return n + put(out + n, t.digits, t.count);
    }
    if (t.place - t.count + 2 > exponent_cost(&t) || d >= 0x1p53)
        return n + with_exponent(&t, out + n);
    n += put(out + n, t.digits, t.count);
    n += put_zeros(out + n, t.place - t.count);
    return n + put(out + n, ".0", 2);
}

static size_t skip_digits(const char *text, size_t i, size_t length) {
    while (i < length && isdigit((unsigned char)text[i]))
        i++;
    return i;
}

static size_t skip_sign(const char *text, size_t i, size_t length) {
    return i + (i < length && (text[i] == '+' || text[i] == '-'));
}

/* The stock runtime takes a comma for the point too. *point: where it stands. */
static bool is_float_syntax(const char *text, size_t length, size_t *point) {
    size_t start = skip_sign(text, 0, length), i = skip_digits(text, start, length);
    *point = i;
    if (i == start || i == length || (text[i] != '.' && text[i] != ','))
        return false;
    start = i + 1;
    i = skip_digits(text, start, length);
    if (i == start || i == length)
        return i > start;
    if (text[i] != 'e' && text[i] != 'E')
        return false;
    start = skip_sign(text, i + 1, length);
    i = skip_digits(text, start, length);
    return i > start && i == length;
}

#define UNITS_PER_DIGIT 5 /* of long work */

bool float_parse(const char *text, size_t length, double *d) {
    size_t point;
    if (!is_float_syntax(text, length, &point))
        return false;
    long_work_count_large(length, UNITS_PER_DIGIT);
    char fixed[64], *copy = length < sizeof fixed ? fixed : mem_alloc(ALLOC_TEMP, length + 1);
    memcpy(copy, text, length);
    copy[point] = '.';
    copy[length] = 0;
    *d = strtod(copy, NULL);
    if (copy != fixed)
        mem_free(ALLOC_TEMP, copy);
    return float_is_finite(*d);
}

/*
 * enif_fprintf and the like: printf with %T for a term. Source: erl_nif(3), and what the stock runtime prints.
 *
 * It is a printf of its own there, and libraries see where it differs from C's: floats are never padded with zeros; %g
 * chooses between %f and %e with the precision as it is; %p has sixteen digits and is right-aligned; a conversion that
 * is not known prints its letter and takes no argument. Ours are these differences: when a buffer is too short, the
 * result is the length that the whole text has, as in C; the width of %T counts all that is printed (there, only the
 * numbers in it); and %T has no precision, a term is printed whole.
 */
#include "nif/env.h"

#include <errno.h>

#include "nif/zero.h"
#include "term/print.h"

typedef struct {
    bool left, plus, space, alternative, zero;
    size_t width;
    int precision; /* -1: none */
    enum { SIZE_INT, SIZE_CHAR, SIZE_SHORT, SIZE_LONG, SIZE_LONG_LONG, SIZE_LONG_DOUBLE } size;
} Spec;

/* `va_list` may be an array: a structure is passed on the same way everywhere. */
typedef struct {
    va_list list;
} Arguments;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *read_number(const char *f, int *value, Arguments *from) {
    if (*f == '*') {
        *value = va_arg(from->list, int);
        return f + 1;
    }
    for (*value = 0; is_digit(*f); f++)
        *value = *value < INT_MAX / 10 ? *value * 10 + (*f - '0') : *value;
    return f;
}

static const char *read_flags(const char *f, Spec *spec) {
    for (;; f++) {
        switch (*f) {
        case '-': spec->left = true; break;
        case '+': spec->plus = true; break;
        case ' ': spec->space = true; break;
        case '#': spec->alternative = true; break;
        case '0': spec->zero = true; break;
        default: return f;
        }
    }
}

static const char *read_size(const char *f, Spec *spec) {
    switch (*f) {
    case 'h': spec->size = f[1] == 'h' ? SIZE_CHAR : SIZE_SHORT; return f + 1 + (f[1] == 'h');
    case 'l': spec->size = f[1] == 'l' ? SIZE_LONG_LONG : SIZE_LONG; return f + 1 + (f[1] == 'l');
    case 'j':
    case 't': spec->size = SIZE_LONG; return f + 1;
    case 'L': spec->size = SIZE_LONG_DOUBLE; return f + 1;
    default: return f;
    }
}

/* What stands between % and the letter, which is at the result. */
static const char *read_spec(const char *f, Spec *spec, Arguments *from) {
    int number;
    *spec = (Spec){.precision = -1};
    f = read_flags(f, spec);
    f = read_number(f, &number, from);
    spec->width = number > 0 ? (size_t)number : 0;
    if (*f == '.') {
        f = read_number(f + 1, &number, from);
        spec->precision = number < 0 ? -1 : number;
    }
    return read_size(f, spec);
}

static void fill(Text *to, char c, size_t count) { memset(text_extend(to, count), c, count); }

static void put(Text *to, const Spec *spec, const char *text, size_t length) {
    size_t padding = spec->width > length ? spec->width - length : 0;
    fill(to, ' ', spec->left ? 0 : padding);
    text_bytes(to, text, length);
    fill(to, ' ', spec->left ? padding : 0);
}

/* `sign` may be empty; digits are in the given base. */
static void put_integer(Text *to, const Spec *spec, const char *sign, unsigned long long value, unsigned base,
                        bool capitals) {
    char digits[24];
    size_t at = sizeof digits;
    for (; value > 0; value /= base)
        digits[--at] = (capitals ? "0123456789ABCDEF" : "0123456789abcdef")[value % base];
    size_t count = sizeof digits - at, least = spec->precision < 0 ? 1 : (size_t)spec->precision;
    size_t zeros = least > count ? least - count : 0, length = strlen(sign) + zeros + count;
    if (spec->zero && !spec->left && spec->precision < 0 && spec->width > length)
        zeros += spec->width - length;
    TEXT(whole);
    text_string(&whole, sign);
    fill(&whole, '0', zeros);
    text_bytes(&whole, digits + at, count);
    put(to, spec, whole.bytes, whole.size);
}

static void put_signed(Text *to, const Spec *spec, Arguments *from) {
    long long value = spec->size == SIZE_LONG        ? va_arg(from->list, long)
                      : spec->size == SIZE_LONG_LONG ? va_arg(from->list, long long)
                                                     : va_arg(from->list, int);
    value = spec->size == SIZE_CHAR ? (signed char)value : spec->size == SIZE_SHORT ? (short)value : value;
    const char *sign = value < 0 ? "-" : spec->plus ? "+" : spec->space ? " " : "";
    put_integer(to, spec, sign, value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value, 10, false);
}

static void put_unsigned(Text *to, const Spec *spec, char letter, Arguments *from) {
    unsigned long long value = spec->size == SIZE_LONG        ? va_arg(from->list, unsigned long)
                               : spec->size == SIZE_LONG_LONG ? va_arg(from->list, unsigned long long)
                                                              : va_arg(from->list, unsigned);
    value = spec->size == SIZE_CHAR ? (unsigned char)value : spec->size == SIZE_SHORT ? (unsigned short)value : value;
    const char *prefix = letter == 'u' || !spec->alternative ? "" : letter == 'o' ? "0" : letter == 'x' ? "0x" : "0X";
    put_integer(to, spec, prefix, value, letter == 'u' ? 10 : letter == 'o' ? 8 : 16, letter == 'X');
}

static double power_of_ten(int exponent) {
    double power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static void put_float(Text *to, const Spec *spec, char letter, double value) {
    int precision = spec->precision < 0 ? 6 : spec->precision;
    if (letter == 'g' || letter == 'G') {
        double size = value < 0 ? -value : value;
        bool plain = size == 0 || (size >= 1e-4 && size < power_of_ten(precision));
        precision = plain || precision == 0 ? precision : precision - 1;
        letter = plain ? 'f' : letter == 'g' ? 'e' : 'E';
    }
    const char format[] = {
        '%', spec->alternative ? '#' : '-', spec->plus ? '+' : spec->space ? ' ' : '-', '.', '*', letter, 0};
    TEXT(digits);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    text_format(&digits, format, precision, value);
#pragma clang diagnostic pop
    put(to, spec, digits.bytes, digits.size);
}

static void put_string(Text *to, const Spec *spec, const char *s) {
    s = s ? s : "(null)";
    put(to, spec, s, spec->precision < 0 ? strlen(s) : strnlen(s, (size_t)spec->precision));
}

static void put_pointer(Text *to, Spec *spec, const void *pointer) {
    TEXT(digits);
    text_format(&digits, "0x%016lx", (unsigned long)pointer);
    spec->left = false;
    put(to, spec, digits.bytes, digits.size);
}

static void put_term(Text *to, const Spec *spec, Term t) {
    TEXT(printed);
    print_term(&printed, t);
    put(to, spec, printed.bytes, printed.size);
}

/* False when an argument is asked for that is not supported. */
static bool convert(Text *to, Spec *spec, char letter, Arguments *from) {
    char c;
    switch (letter) {
    case 'd':
    case 'i': put_signed(to, spec, from); return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X': put_unsigned(to, spec, letter, from); return true;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
        if (spec->size == SIZE_LONG_DOUBLE)
            return false;
        put_float(to, spec, letter, va_arg(from->list, double));
        return true;
    case 'c':
        c = (char)va_arg(from->list, int);
        put(to, spec, &c, 1);
        return true;
    case 's': put_string(to, spec, va_arg(from->list, const char *)); return true;
    case 'p': put_pointer(to, spec, va_arg(from->list, const void *)); return true;
    case 'T': put_term(to, spec, nif_take(va_arg(from->list, ERL_NIF_TERM))); return true;
    case 'n': *va_arg(from->list, int *) = (int)to->size; return true;
    default: text_byte(to, letter); return true;
    }
}

static bool format_into(Text *to, const char *f, Arguments *from) {
    Spec spec;
    while (*f) {
        size_t plain = strcspn(f, "%");
        text_bytes(to, f, plain);
        f += plain;
        if (!*f)
            break;
        f = read_spec(f + 1, &spec, from);
        if (!*f)
            break;
        if (!convert(to, &spec, *f++, from))
            return false;
    }
    return true;
}

int enif_vsnprintf(char *buffer, size_t size, const char *format, va_list list) {
    TEXT(text);
    Arguments from;
    va_copy(from.list, list);
    bool ok = format_into(&text, format, &from);
    va_end(from.list);
    if (size > 0) {
        size_t count = text.size < size ? text.size : size - 1;
        memcpy(buffer, text.bytes, count);
        buffer[count] = 0;
    }
    return ok ? (int)text.size : -EINVAL;
}

int enif_vfprintf(FILE *file, const char *format, va_list list) {
    TEXT(text);
    Arguments from;
    va_copy(from.list, list);
    bool ok = format_into(&text, format, &from);
    va_end(from.list);
    if (!ok)
        return -EINVAL;
    return fwrite(text.bytes, 1, text.size, file) == text.size ? (int)text.size : -errno;
}

int enif_snprintf(char *buffer, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = enif_vsnprintf(buffer, size, format, list);
    va_end(list);
    return count;
}

int enif_fprintf(FILE *file, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = enif_vfprintf(file, format, list);
    va_end(list);
    return count;
}

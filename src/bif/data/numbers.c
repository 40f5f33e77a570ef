/*
 * Numbers from and to text. Source: erlang(3) integer_to_list/1,2, float_to_list/1,2 and their reverses; string(3)
 * list_to_integer/1, list_to_float/1 (a number at the start of a list, and the rest).
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/decimal.h"
#include "term/float.h"
#include "term/float_text.h"
#include "term/integer.h"

static bool is_base(Term t) { return is_small_within(t, 2, 36); }

typedef Term TextResult(Area *area, const char *text, size_t size);
static Term as_list(Area *area, const char *text, size_t size) { return list_from_bytes(area, text, size, NIL); }
static Term as_binary(Area *area, const char *text, size_t size) { return binary_from_bytes(area, text, size); }

/* Integers to text */

static Term integer_text(Process *p, Term integer, Term base, TextResult *as) {
    if (!is_integer(integer) || !is_base(base))
        return fail_badarg(p);
    TEXT(text);
    unsigned b = (unsigned)small_value(base);
    char *out = text_extend(&text, integer_text_max(integer, b));
    size_t size = integer_to_text(integer, b, out);
    process_bump(p, (int64_t)size / 32);
    return as(process_area(p), out, size);
}

/* Digits are made from the last to the first, and so are cells. */
static Term decimal_list(Area *area, SWord value) {
    char digits[DECIMAL_DIGITS_MAX], *end = digits + sizeof digits;
    const char *start = decimal_before(end, value < 0 ? -(Word)value : (Word)value);
    Term list = NIL;
    while (end > start)
        list = area_cons(area, small_make(*--end), list);
    return value < 0 ? area_cons(area, small_make('-'), list) : list;
}

Term erlang_integer_to_list_1(Process *p, const Term *a) {
    if (likely(is_small(a[0])))
        return decimal_list(process_area(p), small_value(a[0]));
    return integer_text(p, a[0], small_make(10), as_list);
}
Term erlang_integer_to_list_2(Process *p, const Term *a) { return integer_text(p, a[0], a[1], as_list); }
Term erlang_integer_to_binary_1(Process *p, const Term *a) { return integer_text(p, a[0], small_make(10), as_binary); }
Term erlang_integer_to_binary_2(Process *p, const Term *a) { return integer_text(p, a[0], a[1], as_binary); }

/* Text to integers */

typedef bool TextSource(Text *to, Term t);

static Term text_integer(Process *p, Term from, Term base, TextSource *source) {
    TEXT(text);
    if (!is_base(base) || !source(&text, from))
        return fail_badarg(p);
    bool too_big = false;
    Term integer = integer_parse(process_area(p), text.bytes, text.size, (unsigned)small_value(base), &too_big);
    process_bump(p, (int64_t)text.size / 32);
    if (is_value(integer))
        return integer;
    return too_big ? fail_system_limit(p) : fail_badarg(p);
}

Term erlang_list_to_integer_1(Process *p, const Term *a) {
    return text_integer(p, a[0], small_make(10), text_from_latin1_list);
}
Term erlang_list_to_integer_2(Process *p, const Term *a) { return text_integer(p, a[0], a[1], text_from_latin1_list); }
Term erlang_binary_to_integer_1(Process *p, const Term *a) {
    return text_integer(p, a[0], small_make(10), text_from_binary);
}
Term erlang_binary_to_integer_2(Process *p, const Term *a) { return text_integer(p, a[0], a[1], text_from_binary); }

/* Floats to text */

typedef enum { FORM_SCIENTIFIC, FORM_DECIMALS, FORM_SHORT } FloatForm;
typedef struct {
    FloatForm form;
    int64_t digits;
    bool compact;
} FloatOptions;

static bool float_option(FloatOptions *to, Term option) {
    if (option == am_compact) {
        to->compact = true;
        return true;
    }
    if (option == am_short) {
        to->form = FORM_SHORT;
        return true;
    }
    if (!is_tuple_arity(option, 2))
        return false;
    const Term *pair = tuple_elements(option);
    if ((pair[0] != am_decimals && pair[0] != am_scientific) || !is_small(pair[1]))
        return false;
    to->form = pair[0] == am_decimals ? FORM_DECIMALS : FORM_SCIENTIFIC;
    to->digits = small_value(pair[1]);
    return true;
}

/* Asked of the last that is said only. A negative count of scientific ones means six, as to printf. */
static bool float_digits(FloatOptions *o) {
    if (o->form == FORM_SCIENTIFIC && o->digits < 0)
        o->digits = 6;
    int most = o->form == FORM_DECIMALS ? FLOAT_MAX_DECIMALS : FLOAT_MAX_SCIENTIFIC;
    return o->form == FORM_SHORT || (o->digits >= 0 && o->digits <= most);
}

static bool float_options(FloatOptions *to, Term list) {
    *to = (FloatOptions){FORM_SCIENTIFIC, 20, false};
    for (; is_list(list); list = list_tail(list))
        if (!float_option(to, list_head(list)))
            return false;
    return is_nil(list) && float_digits(to);
}

static Term float_text(Process *p, Term number, Term options, TextResult *as) {
    FloatOptions o;
    if (!is_float(number) || !float_options(&o, options))
        return fail_badarg(p);
    char out[FLOAT_TEXT_MAX];
    double d = float_value(number);
    size_t size;
    switch (o.form) {
    case FORM_SHORT: size = float_text_short(d, out); break;
    case FORM_SCIENTIFIC: size = float_text_scientific(d, (unsigned)o.digits, out); break;
    case FORM_DECIMALS: size = float_text_decimals(d, (unsigned)o.digits, o.compact, out);
    }
    if (size == 0) /* too long for the stock runtime */
        return fail_badarg(p);
    return as(process_area(p), out, size);
}

Term erlang_float_to_list_1(Process *p, const Term *a) { return float_text(p, a[0], NIL, as_list); }
Term erlang_float_to_list_2(Process *p, const Term *a) { return float_text(p, a[0], a[1], as_list); }
Term erlang_float_to_binary_1(Process *p, const Term *a) { return float_text(p, a[0], NIL, as_binary); }
Term erlang_float_to_binary_2(Process *p, const Term *a) { return float_text(p, a[0], a[1], as_binary); }

/* Text to floats */

static bool is_digit(int c) { return c >= '0' && c <= '9'; }

/* The stock runtime takes a comma for the decimal point as well. */
static void comma_to_point(Text *text) {
    size_t i = text->size > 0 && (text->bytes[0] == '+' || text->bytes[0] == '-') ? 1 : 0;
    while (i < text->size && is_digit(text->bytes[i]))
        i++;
    if (i < text->size && text->bytes[i] == ',')
        text->bytes[i] = '.';
}

static Term text_float(Process *p, Term from, TextSource *source) {
    TEXT(text);
    if (!source(&text, from))
        return fail_badarg(p);
    comma_to_point(&text);
    double d;
    if (!float_parse(text.bytes, text.size, &d))
        return fail_badarg(p);
    return float_make(process_area(p), d);
}

Term erlang_list_to_float_1(Process *p, const Term *a) { return text_float(p, a[0], text_from_latin1_list); }
Term erlang_binary_to_float_1(Process *p, const Term *a) { return text_float(p, a[0], text_from_binary); }

/* A number at the start of a list. `at` is what follows the text taken so far. */
typedef struct {
    Text *text;
    Term at;
} Scan;

static int scan_peek(const Scan *s) {
    if (!is_list(s->at) || !is_small_within(list_head(s->at), 0, 127))
        return -1;
    return (int)small_value(list_head(s->at));
}

static void scan_take(Scan *s, char as) {
    text_byte(s->text, as);
    s->at = list_tail(s->at);
}

static void scan_sign(Scan *s) {
    int c = scan_peek(s);
    if (c == '+' || c == '-')
        scan_take(s, (char)c);
}

static bool is_digit_of(int c, int base) {
    if (is_digit(c))
        return c - '0' < base;
    int letter = c | 0x20;
    return c > 0 && letter >= 'a' && letter <= 'z' && letter - 'a' + 10 < base;
}

static bool scan_digits(Scan *s, int base) {
    Term start = s->at;
    for (int c; is_digit_of(c = scan_peek(s), base);)
        scan_take(s, (char)c);
    return s->at != start;
}

/* e, sign, digits; nothing is taken when it is not all there. */
static void scan_exponent(Scan *s) {
    Term start = s->at;
    size_t size = s->text->size;
    int c = scan_peek(s);
    if (c != 'e' && c != 'E')
        return;
    scan_take(s, 'e');
    scan_sign(s);
    if (!scan_digits(s, 10)) {
        s->at = start;
        s->text->size = size;
    }
}

static Term no_number(Process *p, Term list, Term reason) {
    return area_tuple2(process_area(p), am_error, is_list(list) || is_nil(list) ? reason : am_not_a_list);
}

Term string_list_to_integer_1(Process *p, const Term *a) {
    TEXT(text);
    Scan scan = {&text, a[0]};
    scan_sign(&scan);
    if (!scan_digits(&scan, 10))
        return no_number(p, a[0], am_no_integer);
    bool too_big = false;
    Term integer = integer_parse(process_area(p), text.bytes, text.size, 10, &too_big);
    process_bump(p, (int64_t)text.size / 32);
    if (!is_value(integer))
        return fail_system_limit(p);
    return area_tuple2(process_area(p), integer, scan.at);
}

Term string_list_to_float_1(Process *p, const Term *a) {
    TEXT(text);
    Scan scan = {&text, a[0]};
    scan_sign(&scan);
    bool found = scan_digits(&scan, 10) && (scan_peek(&scan) == '.' || scan_peek(&scan) == ',');
    if (found) {
        scan_take(&scan, '.');
        found = scan_digits(&scan, 10);
    }
    if (found)
        scan_exponent(&scan);
    double d;
    if (!found || !float_parse(text.bytes, text.size, &d))
        return no_number(p, a[0], am_no_float);
    return area_tuple2(process_area(p), float_make(process_area(p), d), scan.at);
}

/* What list_to_integer and binary_to_integer of OTP 27 are written with. They answer `big` where the caller must work
 * in pieces; ours takes any length at once, and says so only for an integer beyond the limit, as the caller then
 * finds. */
Term erts_internal_list_to_integer_2(Process *p, const Term *a) {
    if (!is_base(a[1]))
        return am_badarg;
    TEXT(text);
    Scan scan = {&text, a[0]};
    scan_sign(&scan);
    if (!scan_digits(&scan, (int)small_value(a[1])))
        return is_list(a[0]) || is_nil(a[0]) ? am_no_integer : am_not_a_list;
    Term integer = integer_parse(process_area(p), text.bytes, text.size, (unsigned)small_value(a[1]), NULL);
    process_bump(p, (int64_t)text.size / 32);
    return is_value(integer) ? area_tuple2(process_area(p), integer, scan.at) : am_big;
}

Term erts_internal_binary_to_integer_2(Process *p, const Term *a) {
    TEXT(text);
    if (!is_base(a[1]) || !text_from_binary(&text, a[0]))
        return am_badarg;
    bool too_big = false;
    Term integer = integer_parse(process_area(p), text.bytes, text.size, (unsigned)small_value(a[1]), &too_big);
    process_bump(p, (int64_t)text.size / 32);
    return is_value(integer) ? integer : too_big ? am_big : am_badarg;
}

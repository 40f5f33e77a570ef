#include "bif/library/regex_explain.h"

#include <ctype.h>
#include <string.h>

#include "base/defs.h"

bool regex_is_at(const uint8_t *p, size_t n, size_t at, const char *what) {
    size_t m = strlen(what);
    return at + m <= n && memcmp(p + at, what, m) == 0;
}

size_t regex_digits_end(const uint8_t *p, size_t n, size_t at) {
    while (at < n && isdigit(p[at]))
        at++;
    return at;
}

bool regex_is_recursion(const uint8_t *p, size_t n, size_t name, size_t end) {
    return regex_is_at(p, n, name, "R") && end > name + 1 && regex_digits_end(p, n, name + 1) == end;
}

static const struct {
    int code;
    const char *text;
} stock_texts[] = {
    {101, "\\ at end of pattern"},
    {102, "\\c at end of pattern"},
    {103, "unrecognized character follows \\"},
    {104, "numbers out of order in {} quantifier"},
    {105, "number too big in {} quantifier"},
    {106, "missing terminating ] for character class"},
    {107, "invalid escape sequence in character class"},
    {108, "range out of order in character class"},
    {109, "nothing to repeat"},
    {111, "unrecognized character after (? or (?-"},
    {112, "POSIX named classes are supported only within a class"},
    {113, "POSIX collating elements are not supported"},
    {114, "missing )"},
    {115, "reference to non-existent subpattern"},
    {118, "missing ) after comment"},
    {119, "parentheses are too deeply nested"},
    {120, "regular expression is too large"},
    {121, "failed to get memory"},
    {122, "unmatched parentheses"},
    {124, "malformed number or name after (?("},
    {125, "lookbehind assertion is not fixed length"},
    {126, "a numbered reference must not be zero"},
    {127, "conditional group contains more than two branches"},
    {128, "assertion expected after (?( or (?(?C)"},
    {129, "(?R or (?[+-]digits must be followed by )"},
    {130, "unknown POSIX class name"},
    {134, "character value in \\x{} or \\o{} is too large"},
    {136, "\\C not allowed in lookbehind assertion"},
    {137, "PCRE does not support \\L, \\l, \\N{name}, \\U, or \\u"},
    {138, "number after (?C is > 255"},
    {139, "closing ) for (?C expected"},
    {141, "unrecognized character after (?P"},
    {142, "syntax error in subpattern name (missing terminator)"},
    {143, "two named subpatterns have the same name"},
    {144, "group name must start with a non-digit"},
    {146, "malformed \\P or \\p sequence"},
    {147, "unknown property name after \\P or \\p"},
    {148, "subpattern name is too long (maximum 32 characters)"},
    {149, "too many named subpatterns (maximum 10000)"},
    {150, "invalid range in character class"},
    {151, "octal value is greater than \\377 in 8-bit non-UTF-8 mode"},
    {154, "DEFINE group contains more than one branch"},
    {155, "missing opening brace after \\o"},
    {157, "a numbered reference must not be zero"},
    {158, "(?R or (?[+-]digits must be followed by )"},
    {160, "(*VERB) not recognized or malformed"},
    {161, "number is too big"},
    {162, "unrecognized character after (?<"},
    {164, "non-octal character in \\o{} (closing brace missing?)"},
    {165, "different names for subpatterns of the same number are not allowed"},
    {166, "(*MARK) must have an argument"},
    {167, "non-hex character in \\x{} (closing brace missing?)"},
    {168, "\\c must be followed by an ASCII character"},
    {169, "\\k is not followed by a braced, angle-bracketed, or quoted name"},
    {171, "\\N is not supported in a class"},
    {173, "disallowed Unicode code point (>= 0xd800 && <= 0xdfff)"},
    {174, "setting UTF is disabled by the application"},
    {178, "digits missing in \\x{} or \\o{}"},
    {182, "closing ) for (?C expected"},
    {184, "regular expression is too complicated"},
    {193, "PCRE does not support \\L, \\l, \\N{name}, \\U, or \\u"},
};

static bool ends_with(const uint8_t *p, size_t n, const char *end) {
    size_t m = strlen(end);
    return n >= m && memcmp(p + n - m, end, m) == 0;
}

/* Where the group that `at` is in ends, `depth` groups up. */
static size_t group_end(const uint8_t *p, size_t n, size_t at, int depth) {
    for (; at < n; at++) {
        if (p[at] == '\\')
            at++;
        else if (p[at] == '(')
            depth++;
        else if (p[at] == ')' && --depth == 0)
            return at;
    }
    return n;
}

/* \3, \g3, \g{3}, with `at` somewhere in the number or behind it. */
static bool is_numbered_reference(const uint8_t *p, size_t n, size_t at) {
    if (at >= n || (p[at] != '}' && !isdigit(p[at])))
        return false;
    while (at > 0 && isdigit(p[at - 1]))
        at--;
    if (at > 0 && p[at - 1] == '{')
        at--;
    if (at > 0 && p[at - 1] == 'g')
        at--;
    return at > 0 && p[at - 1] == '\\' && (p[at] != '{');
}

/* Behind the number of (?(-1). */
static bool is_behind_relative(const uint8_t *p, size_t at) {
    while (at > 0 && isdigit(p[at - 1]))
        at--;
    return at >= 4 && memcmp(p + at - 4, "(?(-", 4) == 0;
}

/* PCRE 8 stood behind a reference when it missed what it refers to; behind all of (?(name) too; of a number, at the
 * end. */
static size_t reference_end(const uint8_t *p, size_t n, size_t at) {
    if (is_numbered_reference(p, n, at))
        return n;
    bool condition = (at >= 4 && (memcmp(p + at - 4, "(?(<", 4) == 0 || memcmp(p + at - 4, "(?('", 4) == 0)) ||
                     is_behind_relative(p, at) || (at >= 5 && memcmp(p + at - 5, "(?(R&", 5) == 0) ||
                     (at >= 3 && memcmp(p + at - 3, "(?(", 3) == 0) ||
                     (at >= 2 && at < n && memcmp(p + at - 2, "(?(", 3) == 0);
    bool named = at > 0 && p[at - 1] == '{' && at < n && !isdigit(p[at]);
    bool braced = named || (at < n && p[at] == '{');
    if (!named && (braced || (at < n && p[at] == '(')))
        at++;
    while (at < n && (isalnum(p[at]) || p[at] == '_' || p[at] == '-' || p[at] == '+'))
        at++;
    if (at < n && p[at] == '}' && !braced)
        return at + 1;
    while (condition && at < n && (p[at] == '>' || p[at] == '\'' || p[at] == ')'))
        at++;
    return at;
}

/* --- Conditions: (?(1)...), (?(<name>)...), (?(R&name)...) -------------------------------------------------------- */

#define TEXT_NO_CONDITION "assertion expected after (?( or (?(?C)"
#define TEXT_BAD_CONDITION "malformed number or name after (?("
#define GROUP_NUMBER_MOST (INT32_MAX / 10 - 1) /* before its last digit */

static bool is_word(const uint8_t *p, size_t n, size_t at) { return at < n && (isalnum(p[at]) || p[at] == '_'); }

static bool is_number_too_big(const uint8_t *p, size_t from, size_t to) {
    int64_t number = 0;
    for (; from < to && number <= GROUP_NUMBER_MOST; from++)
        number = 10 * number + (p[from] - '0');
    return from < to;
}

static bool is_assertion(const uint8_t *p, size_t n, size_t at) {
    return regex_is_at(p, n, at, "?=") || regex_is_at(p, n, at, "?!") || regex_is_at(p, n, at, "?<=") ||
           regex_is_at(p, n, at, "?<!");
}

/* An assertion, with a callout before it at most. */
static bool is_asserted(const uint8_t *p, size_t n, size_t at) {
    if (!regex_is_at(p, n, at, "?C"))
        return is_assertion(p, n, at);
    size_t end = regex_digits_end(p, n, at + 2);
    return regex_is_at(p, n, end, ")(") && is_assertion(p, n, end + 2);
}

static bool refuse_condition(RegexError *error, const char *text, size_t at) {
    *error = (RegexError){text, at};
    return true;
}

/* PCRE 8 knew no other than these, not (?(VERSION>=8), and looked into them before the rest; `at` is behind (?(. True:
 * it refused this one. */
static bool explain_condition(const uint8_t *p, size_t n, size_t at, RegexError *error) {
    if (at < n && p[at] == '?')
        return !is_asserted(p, n, at) && refuse_condition(error, TEXT_NO_CONDITION, at);
    bool is_signed = at < n && (p[at] == '+' || p[at] == '-');
    uint8_t quote = regex_is_at(p, n, at, "<") ? '>' : regex_is_at(p, n, at, "'") ? '\'' : 0;
    size_t name = at + (regex_is_at(p, n, at, "R&") ? 2 : quote != 0 || is_signed ? 1 : 0);
    bool is_number = !quote && name < n && isdigit(p[name]);
    if (is_signed && !is_number)
        return refuse_condition(error, TEXT_BAD_CONDITION, name);
    if (!is_word(p, n, name))
        return refuse_condition(error, TEXT_NO_CONDITION, name);
    size_t end = is_number ? regex_digits_end(p, n, name) : name;
    while (!is_number && is_word(p, n, end))
        end++;
    if (is_number && is_number_too_big(p, name, end))
        return refuse_condition(error, "number is too big", end);
    size_t close = end + (quote != 0 && end < n && p[end] == quote);
    if ((quote != 0 && close == end) || close == n || p[close] != ')')
        return refuse_condition(error, TEXT_BAD_CONDITION, close);
    if (is_number && !is_signed && strspn((const char *)p + name, "0") >= end - name)
        return refuse_condition(error, "invalid condition (?(0)", close + 1);
    if (quote == 0 && regex_is_recursion(p, n, name, end) && is_number_too_big(p, name + 1, end))
        return refuse_condition(error, "number is too big", close + 1);
    return false;
}

/* Behind a class, whose [ is at `at`. */
static size_t class_end(const uint8_t *p, size_t n, size_t at) {
    at += 1 + (at + 1 < n && p[at + 1] == '^');
    for (at += at < n && p[at] == ']'; at < n && p[at] != ']'; at++) {
        if (p[at] == '\\')
            at++;
        else if (regex_is_at(p, n, at, "[:") && memmem(p + at, n - at, ":]", 2) != NULL)
            at = (size_t)((const uint8_t *)memmem(p + at, n - at, ":]", 2) - p) + 1;
    }
    return at;
}

size_t regex_refused_condition(const uint8_t *p, size_t n, RegexError *error) {
    if (memmem(p, n, "(?(", 3) == NULL)
        return SIZE_MAX;
    for (size_t at = 0; at < n; at++) {
        if (regex_is_at(p, n, at, "\\Q")) {
            const uint8_t *end = memmem(p + at, n - at, "\\E", 2);
            at = end != NULL ? (size_t)(end - p) + 1 : n;
        } else if (p[at] == '\\') {
            at++;
        } else if (p[at] == '[') {
            at = class_end(p, n, at);
        } else if (regex_is_at(p, n, at, "(?#")) {
            while (at < n && p[at] != ')')
                at++;
        } else if (regex_is_at(p, n, at, "(?(") && explain_condition(p, n, at + 3, error)) {
            return at;
        }
    }
    return SIZE_MAX;
}

/* Does the pattern end within the options of a group, (?i-x? Where PCRE 8 saw that: behind them, or before one that
 * it did not know. */
static bool ends_in_options(const uint8_t *p, size_t n, size_t *offset) {
    size_t at = n;
    while (at > 0 && memchr("imsxJUX-n^", p[at - 1], 10))
        at--;
    if (at < 2 || memcmp(p + at - 2, "(?", 2) != 0 || (at > 2 && p[at - 3] == '\\'))
        return false;
    while (at < n && p[at] != 'n' && p[at] != '^')
        at++;
    *offset = at;
    return true;
}

/* \g0, \g{0}, \g-0: PCRE 8 has a text of its own for them, and stands before what ends them. */
static bool is_group_zero(const uint8_t *p, size_t n, size_t *offset) {
    size_t at = *offset, end = at > 0 ? at - 1 : 0;
    if (end < n && p[end] == '}')
        at--;
    size_t digits = at;
    while (at > 0 && p[at - 1] == '0')
        at--;
    if (at == digits)
        return false;
    if (at > 0 && p[at - 1] == '{')
        at--;
    if (at < 2 || p[at - 1] != 'g' || p[at - 2] != '\\')
        return false;
    *offset = end;
    return true;
}

/* Where PCRE 8 stood when it did not know a verb: behind its letters, or behind its argument. False: it took none. */
static bool verb_end(const uint8_t *p, size_t n, size_t *offset) {
    size_t at = *offset < n ? *offset : n;
    while (at >= 2 && (p[at - 2] != '(' || p[at - 1] != '*'))
        at--;
    if (at < 2 || at == n || !(isalpha(p[at]) || p[at] == ':'))
        return false;
    while (at < n && isalpha(p[at]))
        at++;
    if (at < n && p[at] == ':')
        while (at < n && p[at] != ')')
            at++;
    *offset = at;
    return true;
}

/* What PCRE 8 said of patterns that end too early; it stood at the end, or so much before. */
static const struct {
    const char *end, *text;
    size_t before;
} early_ends[] = {
    {"(?C", "closing ) for (?C expected", 0},
    {"(?+", "digit expected after (?+", 0},
    {"\\g{", "\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number", 0},
    {"\\g{}", "a numbered reference must not be zero", 1},
    {"\\o{", "non-octal character in \\o{} (closing brace missing?)", 0},
};

/* Is what stands at `at` behind a backslash that counts? */
static bool is_escaped(const uint8_t *p, size_t at) {
    size_t from = at;
    while (from > 0 && p[from - 1] == '\\')
        from--;
    return (at - from) % 2 == 1;
}

#define IN_A_CLASS 106
static bool explain_early_end(int code, size_t offset, const uint8_t *p, size_t n, RegexError *error) {
    for (size_t i = 0; i < array_length(early_ends) && code > 0 && code != IN_A_CLASS; i++) {
        size_t size = strlen(early_ends[i].end);
        if (!ends_with(p, n, early_ends[i].end) || is_escaped(p, n - size) || offset + size < n)
            continue;
        *error = (RegexError){early_ends[i].text, n - early_ends[i].before};
        return true;
    }
    return false;
}

/* (?+3 or (?-3, and nothing behind it. */
static bool ends_in_call(const uint8_t *p, size_t n) {
    size_t at = n;
    while (at > 0 && isdigit(p[at - 1]))
        at--;
    return at < n && (ends_with(p, at, "(?+") || ends_with(p, at, "(?-"));
}

void regex_explain(int code, size_t offset, const uint8_t *p, size_t n, RegexError *error) {
    if (explain_early_end(code, offset, p, n, error))
        return;
    if ((code == 114 || code == 115) && ends_in_call(p, n))
        code = 129;
    if ((code == 111 || code == 114) && ends_in_options(p, n, &offset))
        code = 111;
    if (code == 128 && is_asserted(p, n, offset + 1)) { /* of which no more stands there */
        code = 114;
        offset = n;
    }
    if (code == 115 && is_group_zero(p, n, &offset))
        code = 126;
    *error = (RegexError){"internal error", offset};
    if (code == 178 && (offset == 0 || offset >= n || p[offset] != '}'))
        code = 167;
    if ((code == 160 || code == 195) && verb_end(p, n, &error->position))
        code = 160;
    if (code == 114 && ends_with(p, n, "(?P"))
        code = 141;
    else if (code == 162 && (ends_with(p, n, "(?P<") || ends_with(p, n, "(?'")))
        code = 142;
    else if (code == 114 && ends_with(p, n, "(?("))
        code = 128;
    switch (code) {
    case 115: error->position = reference_end(p, n, offset); break;
    case 125: error->position = group_end(p, n, offset + 1, 1); break;
    case 154: error->position = group_end(p, n, offset, 2); break;
    case 137:
    case 143:
    case 147:
    case 150:
    case 151:
    case 157:
    case 169:
    case 193: error->position = offset ? offset - 1 : 0; break;
    }
    if (code < 0)
        *error = (RegexError){"invalid UTF-8 string", offset};
    for (size_t i = 0; i < array_length(stock_texts); i++)
        if (stock_texts[i].code == code)
            error->text = stock_texts[i].text;
    if (code == 162 && !ends_with(p, offset < n ? offset : n, "(?<"))
        error->text = "subpattern name expected";
}

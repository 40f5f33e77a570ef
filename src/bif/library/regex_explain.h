/*
 * What PCRE 8, which the stock runtime has, says of a pattern that is wrong, and where it stands then: from what PCRE2
 * says of it, and from the pattern. `p` and `n` are the pattern's bytes; no state, no lock.
 */
#ifndef VIV_BIF_LIBRARY_REGEX_EXPLAIN_H
#define VIV_BIF_LIBRARY_REGEX_EXPLAIN_H

#include "bif/library/regex.h"

/* PCRE2's code and place -> text and place. */
void regex_explain(int code, size_t offset, const uint8_t *p, size_t n, RegexError *error);
/* The first condition, (?(...), that PCRE 8 refused: where it begins, and what was said. SIZE_MAX: none. */
size_t regex_refused_condition(const uint8_t *p, size_t n, RegexError *error);

bool regex_is_at(const uint8_t *p, size_t n, size_t at, const char *what);
/* Behind the digits that stand at `at`. */
size_t regex_digits_end(const uint8_t *p, size_t n, size_t at);
/* Is it R12, `name` to `end`, as in (?(R12)? */
bool regex_is_recursion(const uint8_t *p, size_t n, size_t name, size_t end);

#endif

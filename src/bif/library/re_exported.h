/*
 * Patterns that other nodes import: {re_exported_pattern, Header, Text, Options, Code}, where Header is a mark, the
 * check sum of Code, a version, and whether the pattern is in unicode mode. Code is PCRE2's own; a runtime with another
 * PCRE2 compiles Text by Options instead, as this one always does.
 * Source: re(3) of OTP 28.1; the form is OTP 29's.
 */
#ifndef VIV_BIF_LIBRARY_RE_EXPORTED_H
#define VIV_BIF_LIBRARY_RE_EXPORTED_H

#include "term/area.h"

typedef struct {
    bool is_unicode;
    Term text, options, code;
} Exported;

Term re_exported_make(Area *area, const Exported *e);
/* False: it is none, or its check sum is another. */
bool re_exported_read(Term t, Exported *e);

#endif

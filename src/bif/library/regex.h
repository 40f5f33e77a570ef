/*
 * Compiled regular expressions (PCRE2), and a cache of them.
 *
 * What Erlang holds as a compiled pattern is a description: the pattern's text and options in a binary, which may be
 * copied, stored and sent. The machine's form of it is found, or made again, in a cache keyed by that description; so
 * running a pattern that is a string costs no compilation the second time either. Entries are counted: one that is in
 * use stays when the cache drops it. A pattern that is used often is compiled to native code.
 *
 * Text that is not in unicode mode is Latin-1, with Latin-1's letters and cases (from OTP 28 on: with those of ASCII).
 * Errors have the texts and, where it can be computed, the positions of the stock runtime (PCRE 8; from OTP 28 on PCRE2
 * itself). Any thread; locks are held only inside the calls.
 * Source: re(3); pcre2api(3).
 */
#ifndef VIV_BIF_LIBRARY_REGEX_H
#define VIV_BIF_LIBRARY_REGEX_H

#include "term/area.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* How a pattern is compiled. Fields are compared as bytes: all of it is always set. */
typedef struct {
    uint32_t flags;   /* PCRE2_CASELESS, ... */
    uint8_t newline;  /* PCRE2_NEWLINE_*, 0: default; of PCRE 8 the bits of all that are given, which may mean none */
    uint8_t bsr;      /* PCRE2_BSR_*, likewise */
    uint8_t unused[2];
} RegexOptions;

/* Do the bits of what is given together mean nothing? */
bool regex_is_inconsistent(const RegexOptions *options);

typedef struct Regex Regex;
struct Regex {
    _Atomic(int64_t) refc;
    _Atomic bool was_long; /* the last match in a subject that is not small? A hint, for long work */
    pcre2_code *code;
    uint32_t captures;     /* without the whole match */
    bool crlf;             /* a newline may be \r\n */
    bool unicode;
    RegexOptions options;
    size_t bytes;
    uint8_t pattern[];
};

typedef struct {
    const char *text;
    size_t position;
} RegexError;

/* One reference for the caller; NULL when the pattern is bad. */
Regex *regex_get(const uint8_t *pattern, size_t bytes, const RegexOptions *options, RegexError *error);
void regex_release(Regex *regex);
/* As pcre2serialize(3) writes it: for the same PCRE2 on the same kind of machine. A binary. */
Term regex_serialized(const Regex *regex, Area *area);

#endif

/*
 * Many needles that are looked for at once: the automaton of Aho and Corasick ("Efficient string matching: an aid to
 * bibliographic search", CACM 18, 1975). It looks at each byte once, however many needles there are, and how much they
 * have in common.
 *
 * It never changes once it is made: any number of threads may search with it. What is counted as long work
 * (base/long_work.h) may give the scheduler away.
 */
#ifndef VIV_BIF_DATA_NEEDLES_H
#define VIV_BIF_DATA_NEEDLES_H

#include "base/defs.h"

typedef struct {
    const uint8_t *bytes;
    size_t count; /* 1 or more */
} Needle;

typedef struct Needles Needles;

/* Of one needle or more, which are sorted meanwhile and need not stay. NULL: they have 2^32 bytes or more. */
Needles *needles_make(Needle *needles, size_t count);
void needles_free(Needles *n); /* or NULL */
/* The leftmost match in [from, end), of those that begin there the longest. False: none. */
bool needles_find(const Needles *n, const uint8_t *from, const uint8_t *end, const uint8_t **at, size_t *length);

#endif

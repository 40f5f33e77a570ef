/*
 * Messages that come in fragments: what has come of each, until it is whole.
 *
 * A message that one process of the other node sends may come in fragments, between which there are others. They belong
 * together by a number, the sequence, and are numbered down to 1. The first one has the header and the control message;
 * what was in all of them behind their headers, one behind the other, is a message like any other: control message and
 * payload, read with the atoms of the first one's header.
 *
 * What comes is bounded, as another node that never ends what it begins must not take all memory: in the number of
 * unfinished messages, and in the bytes of all. One process sends one message at a time, so FRAGMENTS_OPEN_DEFAULT is
 * the most processes that a node has unless it was told otherwise; FRAGMENTS_BYTES_DEFAULT is twice what the largest
 * binary takes. The number of fragments that is said is not believed: memory grows with what has come, though there is
 * room for some times that.
 *
 * Belongs to the connection, whose one thread at a time calls all this. Source: ERTS User's Guide "External Term
 * Format", Distribution Header for fragmented messages.
 */
#ifndef VIV_DISTRIBUTION_FRAGMENTS_H
#define VIV_DISTRIBUTION_FRAGMENTS_H

#include "distribution/header.h"
#include "term/refc_binary.h"

#define FRAGMENTS_OPEN_DEFAULT ((size_t)1 << 18)
#define FRAGMENTS_BYTES_DEFAULT ((size_t)1 << 33)

/* A message of which fragments have come: `size` bytes of `bytes`, and the atoms for them. */
typedef struct Assembly {
    struct Assembly *hash_next;
    FragmentId id;     /* of the fragment that came last */
    RefcBinary *bytes; /* one reference */
    size_t size, promised; /* so many bytes it is said to have */
    unsigned atom_count;
    Term atoms[];
} Assembly;

typedef struct {
    Assembly **buckets; /* by sequence, a power of two of them; NULL before the first */
    size_t bucket_count, open, bytes;
    size_t open_max, bytes_max;
} Fragments;

typedef enum {
    FRAGMENTS_MORE,     /* are to come */
    FRAGMENTS_WHOLE,    /* that was the last one */
    FRAGMENTS_BAD,      /* not the next of its sequence, or of none */
    FRAGMENTS_TOO_MUCH, /* beyond a bound, or there is no memory */
} FragmentsStatus;

void fragments_init(Fragments *f, size_t open_max, size_t bytes_max);
/* Drops all that is unfinished. */
void fragments_release(Fragments *f);
/* A fragment, first or continuing, whose header has been read; `rest` is what is behind it. FRAGMENTS_WHOLE: *whole is
 * the caller's, to be freed; else it is NULL. Where it fails, the connection is to end. */
FragmentsStatus fragments_add(Fragments *f, const HeaderIn *h, const uint8_t *rest, size_t size, Assembly **whole);
/* `bytes` is NULL when the caller has taken that over. */
void assembly_free(Assembly *a);

#endif

/*
 * Iolists and bitstring lists: what is written and hashed without being joined first.
 *
 * An iolist is a list of bytes, binaries and iolists, with a binary or [] as its tail; a bitstring list may hold
 * bitstrings, too. A walker goes through one in pieces; it may stop anywhere, and what is still to come can be had as a
 * term (iolist_rest). No recursion on the C stack, nothing collects.
 */
#ifndef VIV_TERM_IOLIST_H
#define VIV_TERM_IOLIST_H

#include "base/estack.h"
#include "term/area.h"

typedef enum { IOLIST_BYTE, IOLIST_BITS, IOLIST_END, IOLIST_BAD } IolistPiece;
typedef struct {
    Term at; /* what comes next */
    EStack rests;
    Term bits;    /* after IOLIST_BITS: the bitstring */
    uint8_t byte; /* after IOLIST_BYTE */
} Iolist;

/* A binary by itself is an iolist as well. */
void iolist_start(Iolist *io, Term t);
void iolist_release(Iolist *io);
IolistPiece iolist_next(Iolist *io);
/* Goes over the bytes and small binaries (HEAP_BITS_MAX_BYTES) that come next, and copies them to where `to` is not
 * NULL. Their bytes. */
size_t iolist_run(Iolist *io, uint8_t *to);
/* The part that iolist_next has not given yet, as an iolist. */
Term iolist_rest(const Iolist *io, Area *area);
#define IOLIST(name, term)                                                                                             \
    Iolist name __attribute__((cleanup(iolist_release)));                                                              \
    iolist_start(&name, term)

/* The other way: bytes as a list of integers in front of `tail`. */
Term list_from_bytes(Area *area, const void *bytes, size_t count, Term tail);

/* Bits in all; -1: not an iolist (or, with bits_allowed, not a bitstring list). `*pieces` (if not NULL): how many.
 * Lists may share their parts, and say much more than is there: too much for a binary is IOLIST_TOO_LARGE, negative. */
int64_t iolist_bits(Term t, bool bits_allowed, size_t *pieces);
#define IOLIST_TOO_LARGE (-2)
/* Bytes in all, UINT64_MAX if they are that many or more. False: not an iolist. */
bool iolist_bytes(Term t, uint64_t *bytes, size_t *pieces);
/* Copies all of it (it is good, and fits) to bit 0 of `to`, whose bits are zero. */
void iolist_copy(Term t, uint8_t *to);

#endif

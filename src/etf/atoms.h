/*
 * The atoms of one message to another node, each once, in the order of their first use.
 *
 * The encoder's form for other nodes (etf_encoder_init_sent) writes an atom as its number here, and the message goes
 * behind a header that says which atoms these are (distribution/header.h). The numbers of one message are shared by all
 * of its parts: control message and payload, in any order. There are ETF_ATOMS_MAX at most; atoms beyond that stand in
 * the message in full.
 *
 * Plain memory of 1.5 KB without pointers: it may be copied, lie on the C stack or in a larger struct, and owns
 * nothing. `place` is an index by open addressing, never more than half full: the number of an atom, or ETF_ATOMS_MAX
 * where there is none. One writer.
 * Source: ERTS User's Guide "External Term Format", ATOM_CACHE_REF: 0 <= index < 255.
 */
#ifndef VIV_ETF_ATOMS_H
#define VIV_ETF_ATOMS_H

#include <string.h>

#include "term/atom.h"

#define ETF_ATOMS_MAX 255
#define ETF_ATOM_PLACES 512

typedef struct {
    uint32_t count;
    uint32_t indices[ETF_ATOMS_MAX]; /* atom_index of each */
    uint8_t place[ETF_ATOM_PLACES];
} EtfAtoms;

/* Also what makes one of uninitialised memory. */
static inline void etf_atoms_clear(EtfAtoms *a) {
    a->count = 0;
    memset(a->place, ETF_ATOMS_MAX, sizeof a->place);
}
/* i < count */
static inline Term etf_atoms_at(const EtfAtoms *a, unsigned i) { return atom_make(a->indices[i]); }
/* The atom's number, which it gets if it has none; ETF_ATOMS_MAX: it has none and there is no room. */
unsigned etf_atoms_put(EtfAtoms *a, Term atom);

#endif

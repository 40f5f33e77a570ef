/*
 * What stands in front of each message between two nodes: which atoms its terms name by number, and which fragment of a
 * message it is.
 *
 * Each direction of a connection has a cache of atoms, which both sides keep the same: a header tells the text of an
 * atom once, together with the slot of the cache that it takes from then on, and later headers name only the slot. So
 * headers are made in the order in which they are sent, each that was made is sent, and each that comes is read, in its
 * order; a header that cannot be read ends the connection (a cache may have changed in part then). Caches belong to the
 * connection, whose one thread at a time calls all this; they own nothing: atoms live for ever.
 *
 * A slot serves at most one atom of a message. The side that sends looks for an atom in a set of four slots, and takes
 * in it the one that was used longest ago.
 *
 * Source: ERTS User's Guide "External Term Format", Distribution Header, and "Distribution Protocol".
 */
#ifndef VIV_DISTRIBUTION_HEADER_H
#define VIV_DISTRIBUTION_HEADER_H

#include "etf/atoms.h"

#define ATOM_CACHE_SLOTS 2048
#define ATOM_CACHE_SETS 512 /* of four slots each, of the side that sends */

typedef enum {
    HEADER_NORMAL,
    HEADER_FIRST,        /* fragment of a message, with its atoms */
    HEADER_CONTINUING,   /* a later fragment: only sequence and number */
    HEADER_PASS_THROUGH, /* no atoms; each part of the message has its version byte */
} HeaderKind;

/* Which fragment: `fragment` counts down to 1, the last one. */
typedef struct {
    uint64_t sequence, fragment;
} FragmentId;

/* --- out --- */

typedef struct {
    uint32_t now;                     /* number of the message */
    uint32_t used[ATOM_CACHE_SLOTS];  /* the last message that had the slot's atom; 0: none, it is empty */
    uint32_t index[ATOM_CACHE_SLOTS]; /* atom_index */
} AtomCacheOut;

/* A header that is about to be written. */
typedef struct {
    const EtfAtoms *atoms; /* the caller's, to the end */
    size_t size;           /* bytes of the normal form */
    bool long_atoms;
    uint16_t slots[ETF_ATOMS_MAX]; /* for each atom; HEADER_SLOT_NEW: with its text */
} HeaderOut;
#define HEADER_SLOT_NEW ATOM_CACHE_SLOTS
#define HEADER_CONTINUING_BYTES 18 /* version, tag, sequence, fragment */
/* What a header of so many atoms takes at most when all of them are known already, as most are, a first fragment's. */
#define HEADER_KNOWN_BYTES(atoms) (19 + (atoms) / 2 + 1 + (atoms))

void atom_cache_out_init(AtomCacheOut *cache);
/* In which set an atom is looked for, by its atom_index. */
unsigned atom_cache_out_set(uint32_t index);
/* Changes the cache for the message with these atoms, and learns what the header takes: header_out_size says so before
 * anything is written. Cannot fail. */
void header_out_prepare(HeaderOut *h, AtomCacheOut *cache, const EtfAtoms *atoms);
static inline size_t header_out_size(const HeaderOut *h, HeaderKind kind) {
    return h->size + (kind == HEADER_FIRST ? sizeof(FragmentId) : 0);
}
/* Exactly header_out_size bytes at `to`. `kind` is HEADER_NORMAL, `id` NULL then, or HEADER_FIRST. */
void header_out_write(const HeaderOut *h, HeaderKind kind, const FragmentId *id, uint8_t *to);
/* HEADER_CONTINUING_BYTES at `to`. */
void header_out_continue(const FragmentId *id, uint8_t *to);

/* --- in --- */

typedef struct {
    Term slots[ATOM_CACHE_SLOTS]; /* NON_VALUE: never filled */
} AtomCacheIn;

typedef struct {
    HeaderKind kind;
    FragmentId id;       /* of a fragment */
    unsigned atom_count; /* what etf_decoder_init_received needs */
    size_t size;         /* of the header: the rest of the message begins there */
    Term atoms[ETF_ATOMS_MAX];
} HeaderIn;

typedef enum {
    HEADER_READ,
    HEADER_BAD,        /* no header, or it is cut off, or names a slot that was never filled, or no atom */
    HEADER_ATOMS_FULL, /* the atom table has no room for a new atom */
} HeaderStatus;

void atom_cache_in_init(AtomCacheIn *cache);
/* By the first byte of a message. */
bool header_may_have_atoms(const uint8_t *bytes);
/* Of a message of `size` bytes; an empty one, a tick, is none. Reads nothing outside; changes the cache, which may be
 * NULL if there can be no atoms. */
HeaderStatus header_in_read(HeaderIn *h, AtomCacheIn *cache, const uint8_t *bytes, size_t size);

#endif

/*
 * What a thread has made of short texts lately: names come again and again where terms are decoded. An atom never goes,
 * so nothing here goes bad but by atom_table_release (the caller's is cleared then; other threads have ended).
 */
#ifndef VIV_TERM_RECENT_ATOMS_H
#define VIV_TERM_RECENT_ATOMS_H

#include "base/defs.h"
#include "base/mix.h"

#include <string.h>

#define RECENT_TEXT_MAX 16

/* A text of 1 to RECENT_TEXT_MAX bytes: its first and its last ones, which together with the length are all of it. */
typedef struct {
    uint64_t first, last;
    uint32_t bytes;
} ShortText;

typedef struct {
    ShortText text;
    uint32_t found; /* index plus one */
} RecentAtom;

#define RECENT_BITS 7
static _Thread_local RecentAtom recent_atoms[1 << RECENT_BITS];

static inline uint64_t word_of(const uint8_t *p, size_t bytes) {
    uint64_t word = 0;
    memcpy(&word, p, bytes);
    return word;
}

static inline ShortText short_text(const uint8_t *text, size_t bytes) {
    if (bytes >= 8)
        return (ShortText){word_of(text, 8), word_of(text + bytes - 8, 8), (uint32_t)bytes};
    if (bytes >= 4)
        return (ShortText){word_of(text, 4), word_of(text + bytes - 4, 4), (uint32_t)bytes};
    return (ShortText){text[0] | (uint64_t)text[bytes / 2] << 8, text[bytes - 1], (uint32_t)bytes};
}

static inline RecentAtom *recent_place(const ShortText *t) {
    uint64_t mixed = (t->first ^ t->last << 7 ^ t->last >> 11) * MIX_GOLDEN;
    return &recent_atoms[mixed >> (64 - RECENT_BITS)];
}

static inline bool is_text_of(const RecentAtom *r, const ShortText *t) {
    return r->text.first == t->first && r->text.last == t->last && r->text.bytes == t->bytes;
}

static inline void recent_atoms_clear(void) { memset(recent_atoms, 0, sizeof recent_atoms); }

#endif

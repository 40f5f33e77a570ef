/*
 * Bitstrings: one view of all their forms, construction, and operations on runs of bits at any offset.
 *
 * Forms: HeapBits holds its bytes (up to 64 by our builders); BinRef refers to a RefcBinary; SubBits is a window on one
 * of these two. Sizes and offsets are in bits unless a name says bytes. Bit 0 is the most significant of the first
 * byte. A view's pointers are good while the term is, until the next collection or the next bits_append on the same
 * binary.
 *
 * Appending (source: the Efficiency Guide, "Constructing binaries"): bits_append gives a bitstring with room at its
 * end. When `bin` is a SubBits that ends exactly where the used part of a writable BinRef ends, the bytes are not
 * copied: the BinRef's RefcBinary has spare capacity, or is grown to twice the need, and a new SubBits on the same
 * BinRef is made. A writable BinRef's flags are BIN_WRITABLE | unused bits of the last used byte << BIN_SPARE_SHIFT.
 * There is only one such BinRef for a RefcBinary: whoever copies a BinRef to another owner (send, table, literal) gives
 * the copy flags 0.
 */
#ifndef VIV_TERM_BITS_H
#define VIV_TERM_BITS_H

#include "sys/release.h"
#include "term/area.h"
#include "term/refc_binary.h"

#include <string.h>

typedef struct {
    const uint8_t *bytes; /* the byte in which the first bit lies */
    Word bit_offset;      /* 0 to 7: the first bit in it */
    Word bit_size;
} BitsView;

#define BIN_SPARE_SHIFT 1

static inline Word heap_bits_size(Term t) { return ((HeapBits *)boxed_ptr(t))->size; }
/* Where the bytes of an origin (HeapBits or BinRef, untagged) lie. */
static inline uint8_t *bits_origin_bytes(Term origin) {
    Term *p = boxed_ptr(origin);
    return header_kind(p[0]) == KIND_HEAP_BITS ? ((HeapBits *)p)->bytes : ((BinRef *)p)->binary->bytes;
}
/* `t` is a bitstring (no match context). */
void bits_view(Term t, BitsView *view);
static inline Word bits_size(Term t) {
    const Word *p = boxed_ptr(t);
    switch (header_kind(p[0])) {
    case KIND_HEAP_BITS: return p[1];
    case KIND_BIN_REF: return (Word)small_value(((const BinRef *)p)->size) * 8;
    default: return (Word)small_value(((const SubBits *)p)->size);
    }
}
static inline bool is_binary(Term t) { return is_bitstring(t) && (bits_size(t) & 7) == 0; }
/* Bits behind the last byte, of which there is one: where less than a byte passes for nothing these do not. */
static inline bool bits_are_odd(size_t bit_size) { return bit_size > 8 && bit_size % 8 != 0; }
/* What functions take that are about bytes but, before OTP 27, had the odd bits at the end of a bitstring pass. */
static inline bool is_taken_for_binary(Term t) {
    return is_bitstring(t) && ((bits_size(t) & 7) == 0 || !release_has(RELEASE_WHOLE_BYTES));
}
/* The bytes of a binary. When they are not byte-aligned they are copied to *copy (free it with mem_free(ALLOC_TEMP,
 * ..); NULL when nothing was copied). */
const uint8_t *binary_bytes(Term binary, size_t *bytes, uint8_t **copy);

/* What the builders below take from an area, at most. */
#define HEAP_BITS_WORDS(bytes) (2 + bytes_to_words(bytes))
#define BITS_MAX_WORDS (HEAP_BITS_WORDS(HEAP_BITS_MAX_BYTES))

/* A new bitstring whose bytes the caller writes at *data before anyone sees it. The last byte's unused bits are zero,
 * and must stay zero. */
Term binary_make(Area *area, size_t bytes, uint8_t **data);
Term bits_make(Area *area, Word bits, uint8_t **data);
Term binary_from_bytes(Area *area, const void *bytes, size_t count);
Term bits_from_view(Area *area, const BitsView *view);
/* A binary that shows the first `bytes` of `binary`; takes over one reference. Always a BinRef. */
struct RefcBinary;
Term binary_from_refc(Area *area, struct RefcBinary *binary, size_t bytes);

/* The same for `bytes` bytes that do not lie in it but at `data`, behind it in memory, as long as it lives: a window.
 * Copies show the same bytes, however few they are. */
Term bits_elsewhere(Area *area, struct RefcBinary *binary, const void *data, size_t bytes);
/* Is a window on this origin one of those, or a part of it? */
bool bits_are_elsewhere(Term origin);

/* Part of a bitstring: `offset` from its first bit. Up to HEAP_BITS_MAX_BYTES of whole bytes are copied, larger or
 * ragged ones refer. `offset + size` lies within. */
Term bits_sub(Area *area, Term bitstring, Word offset, Word size);
/* The same from an origin and an offset in it: what a match context has. */
Term bits_sub_origin(Area *area, Term origin, Word offset, Word size);
/* Written at `at`, where SUB_BITS_WORDS, or MATCH_CONTEXT_WORDS, are free. Offset and size are smalls. */
static inline Term sub_bits_write(Term *at, Term origin, Term offset, Term size) {
    SubBits *sub = (SubBits *)at;
    *sub = (SubBits){header_make(KIND_SUB_BITS, SUB_BITS_WORDS - 1), origin, offset, size};
    return boxed_make(sub);
}
static inline Term match_context_write(Term *at, Term origin, Term offset, Term size) {
    MatchContext *context = (MatchContext *)at;
    *context = (MatchContext){header_make(KIND_MATCH_CONTEXT, MATCH_CONTEXT_WORDS - 1), origin, offset, offset + size};
    return boxed_make(context);
}
/* A match context at the start of a bitstring; at `at` MATCH_CONTEXT_WORDS are free. */
force_inline Term match_context_at(Term *at, Term t) {
    if (!is_boxed_kind(t, KIND_SUB_BITS))
        return match_context_write(at, t, small_make(0), small_make((SWord)bits_size(t)));
    const SubBits *sub = (const SubBits *)boxed_ptr(t);
    return match_context_write(at, sub->origin, sub->offset, sub->size);
}
Term match_context_make(Area *area, Term bitstring);
/* The unmatched rest as a bitstring. */
Term match_context_rest(Area *area, Term context);
/* A view of `size` bits at the context's offset (the caller has checked that they are there). */
void match_context_view(const MatchContext *context, Word size, BitsView *view);

/* An empty writable bitstring with room for `bytes`. */
Term bits_init_writable(Area *area, size_t bytes);
/* `bin` with `extra` more bits, to be written by the caller at *data from bit *bit_offset (0 to 7) on, at once. */
Term bits_append(Area *area, Term bin, Word extra, uint8_t **data, Word *bit_offset);
/* The same for a `bin` that nobody else refers to (an accumulator of a comprehension): it may itself become the
 * result. */
Term bits_private_append(Area *area, Term bin, Word extra, uint8_t **data, Word *bit_offset);

/* Copies `bits` bits; other bits of the target's bytes stay. Source and target do not overlap. */
void bits_copy(uint8_t *to, Word to_offset, const uint8_t *from, Word from_offset, Word bits);
/* The same backwards in bytes is not needed: memmove for overlapping aligned data. */
/* Order of bitstrings: bit by bit, a prefix is less. */
int bits_compare(const BitsView *a, const BitsView *b);
bool bits_equal(const BitsView *a, const BitsView *b); /* any sizes */
/* Up to 64 bits as a big-endian unsigned number. */
uint64_t bits_get(const uint8_t *bytes, Word bit_offset, unsigned bits);
/* Stores the low `bits` (up to 64) of `value`, big-endian. */
void bits_put(uint8_t *bytes, Word bit_offset, unsigned bits, uint64_t value);

#endif

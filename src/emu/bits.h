/*
 * What the bit syntax instructions (emu/bits.tab) share.
 *
 * A match context is changed in place: only its `offset` moves, and only when an instruction succeeds, so a failed
 * instruction leaves the position as it was. Sizes and offsets are bits; in the context they are smalls, so
 * differences and comparisons work on the tagged words. Source of the behaviour: Erlang reference manual, "Bit Syntax
 * Expressions".
 *
 * The C functions here build in process_area(p) and may be called with the guard room only (STORE_GUARD); none
 * collects.
 */
#ifndef VIV_EMU_BITS_H
#define VIV_EMU_BITS_H

#include "base/unicode.h"
#include "emu/source.h"
#include "process/process.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/refc_binary.h"

/* Flags of a segment, as generic instructions carry them. */
enum { FIELD_LITTLE = 2, FIELD_SIGNED = 4, FIELD_NATIVE = 16 };
static inline SegmentFlags field_segment_flags(Word flags) {
    return (SegmentFlags)((flags & (FIELD_LITTLE | FIELD_NATIVE) ? SEGMENT_LITTLE : 0) |
                          (flags & FIELD_SIGNED ? SEGMENT_SIGNED : 0));
}

static inline MatchContext *context_ptr(Term t) { return (MatchContext *)boxed_ptr(t); }
static inline const uint8_t *context_bytes(const MatchContext *c) {
    const Term *origin = boxed_ptr(c->origin);
    if (header_kind(origin[0]) == KIND_HEAP_BITS)
        return ((const HeapBits *)origin)->bytes;
    return ((const BinRef *)origin)->binary->bytes;
}
static inline Word context_left(const MatchContext *c) { return (c->end - c->offset) >> 3; }
static inline bool context_has(const MatchContext *c, Word bits) { return c->end - c->offset >= bits << 3; }
/* The next `bits` (1 to 64, which are there), big-endian unsigned. */
static inline uint64_t context_peek(const MatchContext *c, unsigned bits) {
    Word at = c->offset >> 3;
    return bits_get(context_bytes(c) + (at >> 3), at & 7, bits);
}
/* size * unit in bits; false when `size` is no small >= 0, or the product is beyond any binary. */
static inline bool field_bits(Term size, Word unit, Word *bits) {
    return is_small(size) && small_value(size) >= 0 && !__builtin_mul_overflow((Word)small_value(size), unit, bits) &&
           *bits <= (Word)SMALL_MAX;
}

/* Integers of at most 60 bits after `bits` were peeked. */
Term bits_small_integer(uint64_t value, unsigned bits, Word flags);
/* The integer in the next `bits`, moving on. NON_VALUE beyond the limit of integers. */
Term bits_take_integer(Process *p, MatchContext *c, Word bits, Word flags);
/* Moves on only when it is a float: 16, 32 or 64 bits, finite, or no bits at all, 0.0; NON_VALUE otherwise. */
Term bits_take_float(Process *p, MatchContext *c, Word bits, Word flags);
/* Moves on; the bits are there. */
Term bits_take_bits(Process *p, MatchContext *c, Word bits);
/* A character as a small, moving on; NON_VALUE when there is no valid one. */
Term bits_take_utf8(MatchContext *c);
Term bits_take_utf16(MatchContext *c, Word flags);
Term bits_take_utf32(MatchContext *c, Word flags);
/* Are the next `bits` those of `expected`? Moves on then. */
bool bits_match_string(MatchContext *c, const uint8_t *expected, Word bits);

/* bs_get_fields: fields that are looked at together, in a list of words: bits | kind << 8 | flags << 16 | place << 32;
 * behind that of a value the value. What may be behind them: anything, whole bytes, nothing. */
#define FIELDS_MOST_BITS 57 /* at any offset in a byte they are in eight bytes */
typedef enum { FIELDS_SKIP, FIELDS_TAKE, FIELDS_VALUE } FieldKind;
enum { FIELDS_ANY_BEHIND, FIELDS_BYTES_BEHIND, FIELDS_NONE_BEHIND };
static inline Word fields_word(Word bits, FieldKind kind, Word flags, uint16_t place) {
    return bits | (Word)kind << 8 | flags << 16 | (Word)place << 32;
}
static inline unsigned fields_bits(Word field) { return field & 0xff; }
static inline FieldKind fields_kind(Word field) { return (FieldKind)(field >> 8 & 0xff); }
static inline Word fields_flags(Word field) { return field >> 16 & 0xff; }
static inline uint16_t fields_place(Word field) { return (uint16_t)(field >> 32); }
/* Takes what the list says, to its registers, if it is all there. Moves on then; else registers that were to be written
 * may have changed. */
bool bits_take_fields(MatchContext *c, Term *x, Term *E, const Word *list, Word words, Word bits, Word behind);

/* bs_create_bin: `count` segments of SEGMENT_WORDS words each: what | flags << 8 | unit << 16 | number << 32,
 * source, size. Sources and sizes are operands of kind `s`; a string's source is the index of the word, from the first
 * segment's on, where its bytes begin. */
typedef enum {
    SEGMENT_APPEND,
    SEGMENT_PRIVATE_APPEND,
    SEGMENT_BINARY,
    SEGMENT_INTEGER,
    SEGMENT_FLOAT,
    SEGMENT_STRING,
    SEGMENT_UTF8,
    SEGMENT_UTF16,
    SEGMENT_UTF32,
    SEGMENT_KINDS
} SegmentKind;
#define SEGMENT_WORDS 3
/* Heap words that building takes at most; what is beyond lies outside. */
#define BITS_CREATE_WORDS (BITS_MAX_WORDS + BIN_REF_WORDS + SUB_BITS_WORDS)
/* The bitstring; NON_VALUE with p->fail set (badarg or system_limit, with the error_info of the stock runtime). */
Term bits_create(Process *p, const Term *x, const Term *E, const Word *segments, unsigned count);

/* A character that UTF encodings have? */
static inline bool utf_is_valid(Term t) { return is_small(t) && unicode_is_valid(small_value(t)); }

/* Where a byte goes behind a window on all of a writable binary, and the binary; NULL: `bin` is something else, ends
 * within a byte, or there is no room for that many. bits_create does it then. */
static inline uint8_t *bits_place_behind(Term bin, size_t bytes, BinRef **binary) {
    if (unlikely(!is_boxed_kind(bin, KIND_SUB_BITS)))
        return NULL;
    const SubBits *sub = (const SubBits *)boxed_ptr(bin);
    if (unlikely(!is_boxed_kind(sub->origin, KIND_BIN_REF) || sub->offset != small_make(0)))
        return NULL;
    BinRef *ref = *binary = (BinRef *)boxed_ptr(sub->origin);
    Word used = (Word)small_value(ref->size);
    if (unlikely(ref->flags != small_make(BIN_WRITABLE) || sub->size != small_make((SWord)used * 8) ||
                 used + bytes > ref->binary->size))
        return NULL;
    return ref->binary->bytes + used;
}

/* Puts a byte there, in place; the window itself stays as long as it is. False, with nothing done: it has no place. */
static inline bool bits_put_byte_behind(Term bin, uint8_t byte) {
    BinRef *ref;
    uint8_t *place = bits_place_behind(bin, 1, &ref);
    if (unlikely(place == NULL))
        return false;
    *place = byte;
    ref->size += small_make(1);
    return true;
}
/* The same of the last bits of a value, whole bytes, where there is room for a word. */
static inline bool bits_put_bytes_behind(Term bin, uint64_t value, Word bits) {
    BinRef *ref;
    uint8_t *place = bits_place_behind(bin, sizeof value, &ref);
    if (unlikely(place == NULL))
        return false;
    value = __builtin_bswap64(value << (64 - bits));
    memcpy(place, &value, sizeof value);
    ref->size += small_make((SWord)(bits / 8));
    return true;
}

/* Integers of the segments' list and characters in UTF-8, from the second on, put behind each other: their bits in
 * *bits; false: one is none, or not small. */
static inline bool bits_few(const Term *x, const Term *E, const Word *list, Word count, uint64_t *value, Word *bits) {
    for (const Word *at = list + SEGMENT_WORDS, *end = list + count * SEGMENT_WORDS; at < end; at += SEGMENT_WORDS) {
        Term field = source_value(x, E, at[1]);
        bool is_character = (at[0] & 0xff) == SEGMENT_UTF8;
        if (unlikely(is_character ? !utf_is_valid(field) : !is_small(field)))
            return false;
        uint64_t number = (uint64_t)small_value(field);
        Word size = is_character ? 8 * utf8_length((uint32_t)number)
                                 : (Word)small_value(source_value(x, E, at[2])) * (at[0] >> 16 & 0xffff);
        if (is_character)
            number = utf8_as_number((uint32_t)number);
        *value = *value << size | (number & (((uint64_t)1 << size) - 1));
        *bits += size;
    }
    return true;
}

/* The instructions of older compilers build piece by piece: bits_begin_* makes the bitstring and says where its bytes
 * go, bits_put_* fill it from left to right. No collection comes in between. */
typedef struct {
    uint8_t *data;
    Word at, end; /* bits */
} BitsBuilding;
Term bits_begin(Process *p, BitsBuilding *b, Term size, Word unit);
Term bits_begin_append(Process *p, BitsBuilding *b, Term bitstring, Word bitstring_unit, Term size);
/* False with p->fail set. `size` counts units; am_all for all of a binary. */
bool bits_put_field(Process *p, BitsBuilding *b, SegmentKind kind, Word flags, Word unit, Term source, Term size);
bool bits_put_string(BitsBuilding *b, const uint8_t *bytes, Word bits);
/* left + right * unit; NON_VALUE with p->fail set. */
Term bits_add_sizes(Process *p, Term left, Term right, Word unit);
/* Bytes of a character. What is none shows when it is put. */
Term bits_utf_size(SegmentKind kind, Term character);

/* bs_init_writable: x0 is the size wanted in bytes. */
Term bits_create_writable(Process *p, Term size);

#endif

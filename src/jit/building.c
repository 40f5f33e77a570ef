#include "jit/building.h"

#include "emu/bits.h"
#include "emu/interp.h"
#include "term/float.h"

enum { LABEL, KEPT, LIVE, COUNT, WORDS, RESULT }; /* operands */
#define SEGMENTS_MOST 16
#define KEPT_MOST 65536 /* words: their bytes are a number of 31 bits */
#define WORD_BITS 64

/* Bits that are known when code is written, left-aligned; of one word of the result at a time. */
typedef struct {
    Writer *w;
    unsigned at;     /* bits so far */
    uint64_t known;  /* of this word */
    bool has_others; /* so has %rdx */
} Builder;

/* --- segments ----------------------------------------------------------------------------------------------------- */

typedef struct {
    SegmentKind kind;
    Word flags, source;
    unsigned bits;
} Piece;

static const Word *segment_of(const Written *c, Word i) { return written_list(c) + i * SEGMENT_WORDS; }
static bool is_constant(Word source) { return (source & TAG_MASK) != TAG_HEADER; }
static bool is_little(const Piece *s) { return s->flags & (FIELD_LITTLE | FIELD_NATIVE); }

/* False: of no size that is known, or not up to a word. */
static bool piece_read(const Word *words, Piece *s) {
    Word bits;
    *s = (Piece){.kind = (SegmentKind)(words[0] & 0xff), .flags = words[0] >> 8 & 0xff, .source = words[1]};
    if (!is_constant(words[2]) || !field_bits(words[2], words[0] >> 16 & 0xffff, &bits) || bits == 0 ||
        bits > WORD_BITS)
        return false;
    s->bits = (unsigned)bits;
    return true;
}

static bool is_fit(const Piece *s) {
    if (s->kind == SEGMENT_INTEGER)
        return is_constant(s->source) ? is_integer(s->source) : !is_little(s) || s->bits % 8 == 0;
    return s->kind == SEGMENT_FLOAT && s->bits == WORD_BITS && (!is_constant(s->source) || is_float(s->source));
}

/* All bits; 0: another one builds them. */
static Word bits_of(const Written *c) {
    Word bits = 0;
    Piece s;
    if (!written_is(c, INSN_BS_CREATE_BIN) || written_operand(c, COUNT) > SEGMENTS_MOST)
        return 0;
    for (Word i = 0; i < written_operand(c, COUNT); i++) {
        const Word *words = segment_of(c, i);
        if ((words[0] & 0xff) == SEGMENT_STRING) {
            bits += (Word)small_value(words[2]) * 8;
        } else {
            if (!piece_read(words, &s) || !is_fit(&s))
                return 0;
            bits += s.bits;
        }
    }
    return bits <= HEAP_BITS_MAX_BYTES * 8 ? bits : 0;
}

/* --- words of the result ------------------------------------------------------------------------------------------ */

/* The word that ends at this bit, to where it belongs. */
static void put_word(Builder *b) {
    Writer *w = b->w;
    uint64_t known = __builtin_bswap64(b->known);
    unsigned place = (unsigned)offsetof(HeapBits, bytes) + (b->at - 1) / WORD_BITS * (unsigned)sizeof(Word);
    if (b->has_others)
        WRITE(w, 0x48, 0x0f, 0xca); /* bswap %rdx */
    if (!b->has_others && fits32(known)) {
        WRITE(w, 0x48, 0xc7, 0x47, (uint8_t)place); /* movq $known, place(%rdi) */
        writer_put32(w, (uint32_t)known);
        b->known = 0;
        return;
    }
    if (!b->has_others) {
        WRITE(w, 0x48, 0xba); /* movabs $known, %rdx */
        writer_put(w, &known, sizeof known);
    } else if (known != 0 && fits32(known)) {
        WRITE(w, 0x48, 0x81, 0xca); /* or $known, %rdx */
        writer_put32(w, (uint32_t)known);
    } else if (known != 0) {
        WRITE(w, 0x48, 0xb8); /* movabs $known, %rax */
        writer_put(w, &known, sizeof known);
        WRITE(w, 0x48, 0x09, 0xc2); /* or %rax, %rdx */
    }
    WRITE(w, 0x48, 0x89, 0x57, (uint8_t)place); /* mov %rdx, place(%rdi) */
    b->known = 0;
    b->has_others = false;
}

/* Bits that are known, the upper ones of `value`. */
static void add_known(Builder *b, uint64_t value, unsigned bits) {
    unsigned here = b->at % WORD_BITS, room = WORD_BITS - here;
    if (bits < WORD_BITS)
        value &= ~(UINT64_MAX >> bits);
    b->known |= value >> here;
    b->at += bits < room ? bits : room;
    if (b->at % WORD_BITS == 0)
        put_word(b);
    if (bits > room) {
        b->known = value << room;
        b->at += bits - room;
    }
}

static void put_shift(Builder *b, uint8_t kind, unsigned count) {
    if (count > 0)
        WRITE(b->w, 0x48, 0xc1, kind, (uint8_t)count);
}
#define LEFT_RCX 0xe1
#define RIGHT_RCX 0xe9
#define RIGHT_SIGNED_RCX 0xf9
#define RIGHT_RBX 0xeb

static void put_part(Builder *b, bool is_rbx) {
    WRITE(b->w, 0x48, b->has_others ? 0x09 : 0x89, is_rbx ? 0xda : 0xca); /* or, mov to %rdx */
    b->has_others = true;
}

/* The bits at the upper end of %rcx, behind which there are zeros. */
static void put_bits(Builder *b, unsigned bits) {
    unsigned here = b->at % WORD_BITS, room = WORD_BITS - here;
    if (bits <= room) {
        put_shift(b, RIGHT_RCX, here);
        put_part(b, false);
        b->at += bits;
        if (bits == room)
            put_word(b);
        return;
    }
    WRITE(b->w, 0x48, 0x89, 0xcb); /* mov %rcx, %rbx */
    put_shift(b, RIGHT_RBX, here);
    put_part(b, true);
    b->at += room;
    put_word(b);
    put_shift(b, LEFT_RCX, room);
    put_part(b, false);
    b->at += bits - room;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* The source to %rcx. */
static void put_source(Builder *b, Word source) { WRITE_LOAD(b->w, RCX, source >> 8 | (source & 8 ? 1 : 0)); }

static void put_integer(Builder *b, const Piece *s) {
    put_source(b, s->source);
    WRITE(b->w, 0xf6, 0xc1, TAG_MASK); /* test $7, %cl */
    writer_slow(b->w, DIFFERENT);
    bool is_swapped = is_little(s) && s->bits > 8;
    if (is_swapped || s->bits > SMALL_BITS)
        put_shift(b, RIGHT_SIGNED_RCX, 3);
    if (is_swapped) {
        WRITE(b->w, 0x48, 0x0f, 0xc9); /* bswap %rcx */
        put_shift(b, RIGHT_RCX, WORD_BITS - s->bits);
        put_shift(b, LEFT_RCX, WORD_BITS - s->bits);
    } else {
        put_shift(b, LEFT_RCX, s->bits > SMALL_BITS ? WORD_BITS - s->bits : SMALL_BITS - s->bits);
    }
    put_bits(b, s->bits);
}

/* What tags itself: term/float.h. */
static void put_float(Builder *b, const Piece *s) {
    put_source(b, s->source);
    WRITE(b->w, 0x89, 0xcb, 0x83, 0xe3, TAG_MASK); /* mov %ecx, %ebx; and $7, %ebx */
    WRITE(b->w, 0xb8, 0x32, 0, 0, 0, 0x0f, 0xa3, 0xd8); /* mov $0x32, %eax; bt %ebx, %eax */
    writer_slow(b->w, NOT_BELOW);
    WRITE(b->w, 0x48, 0xff, 0xc9, 0x48, 0xc1, 0xc9, 4); /* dec %rcx; ror $4, %rcx */
    if (is_little(s))
        WRITE(b->w, 0x48, 0x0f, 0xc9); /* bswap %rcx */
    put_bits(b, s->bits);
}

static uint64_t known_value(const Piece *s) {
    uint64_t value = 0;
    if (s->kind == SEGMENT_FLOAT) {
        value = float_bits(float_value(s->source));
        return is_little(s) ? __builtin_bswap64(value) : value;
    }
    integer_to_bits(s->source, (uint8_t *)&value, 0, s->bits, field_segment_flags(s->flags));
    return __builtin_bswap64(value);
}

static void put_segment(Builder *b, const Word *words) {
    Piece s;
    if ((words[0] & 0xff) == SEGMENT_STRING) {
        const uint8_t *bytes = (const uint8_t *)(written_list(b->w->written) + words[1]);
        for (SWord i = 0; i < small_value(words[2]); i++)
            add_known(b, (uint64_t)bytes[i] << (WORD_BITS - 8), 8);
    } else if (piece_read(words, &s)) {
        if (is_constant(s.source))
            add_known(b, known_value(&s), s.bits);
        else if (s.kind == SEGMENT_FLOAT)
            put_float(b, &s);
        else
            put_integer(b, &s);
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void put_result(Builder *b, Word bits, Word words) {
    Writer *w = b->w;
    WRITE(w, 0x48, 0xc7, 0x07); /* movq $header, (%rdi) */
    writer_put32(w, (uint32_t)header_make(KIND_HEAP_BITS, words - 1));
    WRITE(w, 0x48, 0xc7, 0x47, offsetof(HeapBits, size)); /* movq $bits, size(%rdi) */
    writer_put32(w, (uint32_t)bits);
    WRITE(w, 0x48, 0x8d, 0x4f, TAG_BOXED); /* lea tag(%rdi), %rcx */
    WRITE_STORE(w, RCX, written_place(w->written, RESULT));
    writer_grow(w, words);
}

size_t building_write(Writer *w) {
    const Written *c = w->written;
    Word bits = bits_of(c), words = HEAP_BITS_WORDS((bits + 7) / 8);
    if (bits == 0 || written_operand(c, KEPT) > KEPT_MOST)
        return 0;
    Builder b = {.w = w};
    writer_room(w, words + written_operand(c, KEPT)); /* and what the instruction keeps free */
    for (Word i = 0; i < written_operand(c, COUNT); i++)
        put_segment(&b, segment_of(c, i));
    if (b.at % WORD_BITS != 0)
        put_word(&b);
    put_result(&b, bits, words);
    writer_fall(w);
    return 1;
}

#include "jit/fields.h"

#include "emu/bits.h"

enum { LABEL, CONTEXT, BACK, BITS, TAIL, WORDS }; /* operands */
#define PAGE_BYTES 4096 /* of any machine at least */

/* At the end of the code stands what goes to the label, with the position set back. */
#define BACK_BYTES 13

static void put_fail(Writer *w, uint8_t condition) {
    WRITE(w, 0x0f, condition);
    if (written_operand(w->written, BACK) == 0)
        writer_label(w, LABEL);
    else
        writer_inside(w, w->end - BACK_BYTES);
}

static void put_back(Writer *w) {
    WRITE(w, 0x48, 0x81, 0x68, IN_BOX(MatchContext, offset)); /* sub $back, offset(%rax) */
    writer_put32(w, (uint32_t)small_make((SWord)written_operand(w->written, BACK)));
    WRITE(w, 0xe9); /* jmp */
    writer_label(w, LABEL);
}

/* --- what is there ------------------------------------------------------------------------------------------------ */

/* %rax: the context; %rcx: its position. Are there so many bits, and what is to follow them? */
static void put_check(Writer *w) {
    Word bits = written_operand(w->written, BITS), tail = written_operand(w->written, TAIL);
    WRITE_LOAD(w, RAX, written_place(w->written, CONTEXT));
    WRITE(w, 0x48, 0x8b, 0x48, IN_BOX(MatchContext, offset)); /* mov offset(%rax), %rcx */
    WRITE(w, 0x48, 0x8b, 0x50, IN_BOX(MatchContext, end)); /* mov end(%rax), %rdx */
    WRITE(w, 0x48, 0x29, 0xca); /* sub %rcx, %rdx */
    WRITE(w, 0x48, 0x81, 0xfa); /* cmp $bits, %rdx */
    writer_put32(w, (uint32_t)small_make((SWord)bits));
    put_fail(w, tail == FIELDS_NONE_BEHIND ? DIFFERENT : BELOW);
    if (tail != FIELDS_BYTES_BEHIND)
        return;
    WRITE(w, 0x83, 0xe2, (uint8_t)small_make(7), 0x83, 0xfa, (uint8_t)small_make(bits & 7)); /* and; cmp $, %edx */
    put_fail(w, DIFFERENT);
}

/* The bits from the position on to the upper end of %rdx. */
static void put_window(Writer *w) {
    _Static_assert(offsetof(HeapBits, bytes) == offsetof(BinRef, binary), "one address for both");
    _Static_assert(HEADER_ARITY_SHIFT == 8 && offsetof(HeapBits, header) == 0, "the kind is the first byte");
    const uint8_t bytes = offsetof(HeapBits, bytes), kind = (uint8_t)header_make(KIND_HEAP_BITS, 0);
    WRITE(w, 0x48, 0x8b, 0x50, IN_BOX(MatchContext, origin)); /* mov origin(%rax), %rdx */
    WRITE(w, 0x48, 0x83, 0xc2, IN_BOX(HeapBits, bytes)); /* add $bytes, %rdx */
    WRITE(w, 0x80, 0x7a, (uint8_t)-bytes, kind, 0x74, 7); /* cmpb $kind, the header; je */
    WRITE(w, 0x48, 0x8b, 0x12, 0x48, 0x83, 0xc2, offsetof(RefcBinary, bytes)); /* mov (%rdx), %rdx; add $bytes, %rdx */
    WRITE(w, 0x48, 0x89, 0xcb, 0x48, 0xc1, 0xeb, 6, 0x48, 0x01, 0xda); /* mov %rcx, %rbx; shr $6; add to %rdx */
    WRITE(w, 0x89, 0xd3, 0x81, 0xe3); /* mov %edx, %ebx; and $, %ebx */
    writer_put32(w, PAGE_BYTES - 1);
    WRITE(w, 0x81, 0xfb); /* cmp $, %ebx */
    writer_put32(w, PAGE_BYTES - sizeof(uint64_t));
    writer_slow(w, ABOVE);
    WRITE(w, 0x48, 0x8b, 0x12, 0x48, 0x0f, 0xca); /* mov (%rdx), %rdx; bswap %rdx */
    WRITE(w, 0xc1, 0xe9, 3, 0x83, 0xe1, 7, 0x48, 0xd3, 0xe2); /* shr $3, %ecx; and $7, %ecx; shl %cl, %rdx */
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

static void put_shift(Writer *w, uint8_t kind, unsigned count) {
    if (count > 0)
        WRITE(w, 0x48, 0xc1, kind, (uint8_t)count);
}
#define SHIFT_LEFT_RCX 0xe1
#define SHIFT_RIGHT_RCX 0xe9
#define SHIFT_SIGNED_RCX 0xf9

/* The field to the upper end of %rcx, with others behind it. */
static void put_upper(Writer *w, unsigned at) {
    WRITE(w, 0x48, 0x89, 0xd1); /* mov %rdx, %rcx */
    put_shift(w, SHIFT_LEFT_RCX, at);
}

static void put_taken(Writer *w, Word field, unsigned at) {
    unsigned bits = fields_bits(field);
    Word flags = fields_flags(field);
    put_upper(w, at);
    if (flags & FIELD_LITTLE) {
        WRITE(w, 0x48, 0x0f, 0xc9); /* bswap %rcx */
        put_shift(w, SHIFT_LEFT_RCX, 64 - bits);
    }
    put_shift(w, flags & FIELD_SIGNED ? SHIFT_SIGNED_RCX : SHIFT_RIGHT_RCX, 64 - bits);
    put_shift(w, SHIFT_LEFT_RCX, 3);
    WRITE_STORE(w, RCX, fields_place(field));
}

static void put_compared(Writer *w, Word field, unsigned at, Word value) {
    put_upper(w, at);
    put_shift(w, SHIFT_RIGHT_RCX, 64 - fields_bits(field));
    if (fits32(value)) {
        WRITE(w, 0x48, 0x81, 0xf9); /* cmp $value, %rcx */
        writer_put32(w, (uint32_t)value);
    } else {
        WRITE(w, 0x48, 0xbb); /* movabs $value, %rbx */
        writer_put(w, &value, sizeof value);
        WRITE(w, 0x48, 0x39, 0xd9); /* cmp %rbx, %rcx */
    }
    put_fail(w, DIFFERENT);
}

static bool are_looked_at(const Written *c) {
    for (Word i = 0; i < written_operand(c, WORDS); i++)
        if (fields_kind(written_list(c)[i]) != FIELDS_SKIP)
            return true;
    return false;
}

/* In their order; so nothing has moved where one differs, but registers that nobody looks at there. */
static void put_fields(Writer *w) {
    const Word *list = written_list(w->written);
    unsigned at = 0;
    for (Word i = 0; i < written_operand(w->written, WORDS); i++) {
        Word field = list[i];
        if (fields_kind(field) == FIELDS_TAKE)
            put_taken(w, field, at);
        else if (fields_kind(field) == FIELDS_VALUE)
            put_compared(w, field, at, list[++i]);
        at += fields_bits(field);
    }
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

size_t fields_write(Writer *w) {
    const Written *c = w->written;
    if (!written_is(c, INSN_BS_GET_FIELDS))
        return 0;
    put_check(w);
    if (are_looked_at(c)) {
        put_window(w);
        put_fields(w);
    }
    WRITE(w, 0x48, 0x81, 0x40, IN_BOX(MatchContext, offset)); /* add $bits, offset(%rax) */
    writer_put32(w, (uint32_t)small_make((SWord)written_operand(c, BITS)));
    if (written_operand(c, BACK) == 0) {
        writer_fall(w);
        return 1;
    }
    writer_next(w);
    put_back(w);
    return 1;
}

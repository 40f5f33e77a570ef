#include "jit/bytes.h"

#include "emu/bits.h"

#define INSNS_MOST 16

/* To the label that is an operand of an instruction of the piece. */
static void put_label(Writer *w, const Written *c, uint8_t condition) {
    WRITE(w, 0x0f, condition);
    writer_label_of(w, c, 0);
}

/* --- a match begins ----------------------------------------------------------------------------------------------- */

/* A context is taken as it is, the way of each round of a loop; the interpreter makes those that are not there. */
static size_t put_start(Writer *w) {
    enum { FROM = 1, TO = 3 }; /* operands */
    const Written *c = w->written;
    WRITE_LOAD(w, RAX, written_place(c, FROM));
    WRITE(w, 0x8d, 0x48, (uint8_t)-TAG_BOXED, 0xf6, 0xc1, TAG_MASK); /* lea -tag(%rax), %ecx; test $7, %cl */
    writer_slow(w, DIFFERENT);
    WRITE(w, 0x80, 0x78, (uint8_t)-TAG_BOXED, (uint8_t)header_make(KIND_MATCH_CONTEXT, 0)); /* cmpb $kind, the header */
    writer_slow(w, DIFFERENT);
    WRITE_STORE(w, RAX, written_place(c, TO));
    writer_fall(w);
    return 1;
}

/* --- the byte ----------------------------------------------------------------------------------------------------- */

static bool is_byte(const Written *c) {
    return written_is(c, INSN_BS_GET_INTEGER_8) || written_is(c, INSN_BS_GET_BYTE_OF_BYTES);
}

/* %rdx: what is left, in the form of the context; %rcx: the position. */
static void put_check(Writer *w, const Written *c) {
    WRITE(w, 0x48, 0x8b, 0x50, IN_BOX(MatchContext, end)); /* mov end(%rax), %rdx */
    WRITE(w, 0x48, 0x29, 0xca); /* sub %rcx, %rdx */
    if (written_is(c, INSN_BS_GET_INTEGER_8)) {
        WRITE(w, 0x48, 0x83, 0xfa, (uint8_t)small_make(8)); /* cmp $8, %rdx */
        put_label(w, c, BELOW);
    } else {
        put_label(w, c, EQUAL);
        WRITE(w, 0xf6, 0xc2, (uint8_t)small_make(7)); /* test $7, %dl */
        put_label(w, c, DIFFERENT);
    }
    WRITE(w, 0xf6, 0xc1, (uint8_t)small_make(7)); /* test $7, %cl */
    writer_slow(w, DIFFERENT);
}

/* %r8: the byte, as a term. */
static void put_byte(Writer *w) {
    _Static_assert(offsetof(HeapBits, bytes) == offsetof(BinRef, binary), "one address for both");
    _Static_assert(HEADER_ARITY_SHIFT == 8 && offsetof(HeapBits, header) == 0, "the kind is the first byte");
    const uint8_t bytes = offsetof(HeapBits, bytes), kind = (uint8_t)header_make(KIND_HEAP_BITS, 0);
    WRITE(w, 0x4c, 0x8b, 0x48, IN_BOX(MatchContext, origin)); /* mov origin(%rax), %r9 */
    WRITE(w, 0x49, 0x83, 0xc1, IN_BOX(HeapBits, bytes)); /* add $bytes, %r9 */
    WRITE(w, 0x49, 0x89, 0xc8, 0x49, 0xc1, 0xe8, 6); /* mov %rcx, %r8; shr $6, %r8 */
    WRITE(w, 0x48, 0x83, 0xc1, (uint8_t)small_make(8)); /* add $8, %rcx */
    WRITE(w, 0x48, 0x89, 0x48, IN_BOX(MatchContext, offset)); /* mov %rcx, offset(%rax) */
    WRITE(w, 0x41, 0x80, 0x79, (uint8_t)-bytes, kind, 0x74, 7); /* cmpb $kind, the header; je */
    WRITE(w, 0x4d, 0x8b, 0x09, 0x49, 0x83, 0xc1, offsetof(RefcBinary, bytes)); /* mov (%r9), %r9; add $bytes, %r9 */
    WRITE(w, 0x47, 0x0f, 0xb6, 0x04, 0x01, 0x41, 0xc1, 0xe0, 3); /* movzbl (%r9,%r8), %r8d; shl $3, %r8d */
}

/* --- what is asked of it ------------------------------------------------------------------------------------------ */

/* The condition on which a comparison goes to its label: of the byte beside a constant, and of a constant beside it. */
static const struct {
    enum Insn insn;
    uint8_t condition, turned;
} comparisons[] = {{INSN_IS_LT, NOT_LESS, NOT_GREATER},
                   {INSN_IS_GE, LESS, GREATER},
                   {INSN_IS_EQ_EXACT, DIFFERENT, DIFFERENT},
                   {INSN_IS_NE_EXACT, EQUAL, EQUAL}};

static bool put_comparison(Writer *w, const Written *c, Word byte) {
    for (unsigned i = 0; i < array_length(comparisons); i++) {
        if (!written_is(c, comparisons[i].insn))
            continue;
        Source a = operand_source(c->insn, written_form(c), 1), b = operand_source(c->insn, written_form(c), 2);
        bool is_turned = a.is_constant;
        Source place = is_turned ? b : a, value = is_turned ? a : b;
        if (place.is_constant || place.value != byte || !value.is_constant || !is_small(value.value) ||
            !fits32(value.value))
            return false;
        WRITE(w, 0x49, 0x81, 0xf8); /* cmp $value, %r8 */
        writer_put32(w, (uint32_t)value.value);
        put_label(w, c, is_turned ? comparisons[i].turned : comparisons[i].condition);
        return true;
    }
    return false;
}

static bool put_bytes_behind(Writer *w, const Written *c, Word context) {
    if (!written_is(c, INSN_BS_TEST_BYTES) || written_place(c, 1) != context)
        return false;
    WRITE(w, 0xf6, 0xc2, (uint8_t)small_make(7)); /* test $7, %dl */
    put_label(w, c, DIFFERENT);
    return true;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static bool goes_on(const Written *c, size_t count) {
    return count < c->place_count && count < INSNS_MOST && !c->places[count].is_target;
}

size_t bytes_write(Writer *w) {
    Written one = *w->written;
    size_t count = 0;
    Word kept = 0;
    if (written_is(&one, INSN_BS_START_MATCH))
        return put_start(w);
    bool keeps = written_is(&one, INSN_BS_GET_POSITION);
    if (keeps) {
        Word context = written_place(&one, 0);
        kept = written_place(&one, 1);
        if (kept == context || !goes_on(w->written, ++count))
            return 0;
        one = written_behind(w->written, count);
        if (!is_byte(&one) || written_place(&one, 1) != context)
            return 0;
    } else if (!is_byte(&one)) {
        return 0;
    }
    Word context = written_place(&one, 1), byte = written_place(&one, 2);
    count++;
    WRITE_LOAD(w, RAX, context);
    WRITE(w, 0x48, 0x8b, 0x48, IN_BOX(MatchContext, offset)); /* mov offset(%rax), %rcx */
    if (keeps)
        WRITE_STORE(w, RCX, kept);
    put_check(w, &one);
    put_byte(w);
    WRITE_STORE(w, R8, byte);
    while (goes_on(w->written, count)) {
        one = written_behind(w->written, count);
        if (!put_comparison(w, &one, byte) && (byte == context || !put_bytes_behind(w, &one, context)))
            break;
        count++;
    }
    writer_fall(w);
    return count;
}

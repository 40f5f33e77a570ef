#include "jit/choice.h"

#define LEAF_MOST 8  /* so few values are compared one by one */
#define TREE_MOST 64 /* more have a template, a loop that halves them: it is slower by half, but a quarter as large */

static size_t count_of(const Written *c) { return written_operand(c, 2); }

/* --- instructions of the machine ---------------------------------------------------------------------------------- */

/* To where the list says for the value that was found. */
static void put_found(Writer *w, size_t i) {
    WRITE(w, 0x0f, 0x84); /* je */
    writer_way(w, (int32_t)written_list(w->written)[count_of(w->written) + i]);
}

/* The header of the tuple in %rax to there. */
static void put_header(Writer *w) {
    _Static_assert(TAG_BOXED == 3 && TAG_MASK == 7, "pointers");
    WRITE(w, 0x8d, 0x48, 0xfd, 0xf6, 0xc1, 7, 0x0f, 0x85); /* lea -3(%rax), %ecx; test $7, %cl; jne */
    writer_label(w, 1);
    WRITE(w, 0x48, 0x8b, 0x40, 0xfd); /* mov -3(%rax), %rax */
}

static void put_compare(Writer *w, Word value) {
    if (fits8(value)) {
        WRITE(w, 0x48, 0x83, 0xf8, (uint8_t)value); /* cmp $value, %rax */
    } else if (fits32(value)) {
        WRITE(w, 0x48, 0x3d);
        writer_put32(w, (uint32_t)value);
    } else {
        WRITE(w, 0x48, 0xb9); /* movabs $value, %rcx */
        writer_put(w, &value, sizeof value);
        WRITE(w, 0x48, 0x39, 0xc8); /* cmp %rcx, %rax */
    }
}

/* --- lists and trees ---------------------------------------------------------------------------------------------- */

static void put_leaf(Writer *w, size_t low, size_t high) {
    const Word *values = written_list(w->written);
    for (size_t i = low; i < high; i++) {
        put_compare(w, values[i]);
        put_found(w, i);
    }
    WRITE(w, 0xe9); /* jmp */
    writer_label(w, 1);
}

/* Those in order from `low` to below `high`. */
static void put_tree(Writer *w, size_t low, size_t high) {
    if (high - low <= LEAF_MOST) {
        put_leaf(w, low, high);
        return;
    }
    size_t middle = (low + high) / 2;
    put_compare(w, written_list(w->written)[middle]);
    put_found(w, middle);
    WRITE(w, 0x0f, 0x87); /* ja: behind the lower half */
    size_t above = writer_ahead(w);
    put_tree(w, low, middle);
    writer_here(w, above);
    put_tree(w, middle + 1, high);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* A small integer less the first one is the distance of its word from the list's. */
static void put_table(Writer *w) {
    _Static_assert(TAG_SMALL == 0 && TAG_MASK == 7 && sizeof(Word) == 8, "small integers");
    Word first = written_operand(w->written, 3);
    WRITE(w, 0xa8, 7, 0x0f, 0x85); /* test $7, %al; jne */
    writer_label(w, 1);
    if (first != 0) {
        WRITE(w, 0x48, 0x2d); /* sub $first, %rax */
        writer_put32(w, (uint32_t)first);
    }
    WRITE(w, 0x48, 0x3d); /* cmp $bytes, %rax */
    writer_put32(w, (uint32_t)(count_of(w->written) * sizeof(Word)));
    WRITE(w, 0x0f, 0x83); /* jae */
    writer_label(w, 1);
    WRITE(w, 0x8b, 0x80); /* mov list(%rax), %eax */
    writer_put32(w, (uint32_t)(uintptr_t)written_list(w->written) + sizeof(uint32_t));
    WRITE(w, 0xff, 0xe0); /* jmp *%rax */
}

void choice_lead(const Written *c, Word *insn) {
    if (!written_is(c, INSN_SELECT_TABLE))
        return;
    Word *list = insn + written_form(c)->words;
    for (size_t i = 0; i < count_of(c); i++) {
        Word lower = (uint32_t)list[i];
        list[i] = (Word)(uintptr_t)written_code_at(c, (int32_t)lower) << 32 | lower;
    }
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static bool is_choice(const Written *c) {
    return written_is(c, INSN_SELECT_TABLE) ||
           ((written_is(c, INSN_SELECT_LINEAR) || written_is(c, INSN_SELECT_BINARY) ||
             written_is(c, INSN_SELECT_ARITY)) &&
            count_of(c) <= TREE_MOST);
}

size_t choice_write(Writer *w) {
    const Written *c = w->written;
    if (!is_choice(c))
        return 0;
    WRITE_LOAD(w, RAX, written_place(c, 0));
    if (written_is(c, INSN_SELECT_ARITY))
        put_header(w);
    if (written_is(c, INSN_SELECT_TABLE))
        put_table(w);
    else if (written_is(c, INSN_SELECT_BINARY))
        put_tree(w, 0, count_of(c));
    else
        put_leaf(w, 0, count_of(c));
    return 1;
}

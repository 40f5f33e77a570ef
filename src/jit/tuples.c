#include "jit/tuples.h"

#define ELEMENTS_MOST 64

/* How many elements it builds. */
static Word count_of(const Written *c) {
    return written_is(c, INSN_PUT_TUPLE2)    ? written_operand(c, 1)
           : written_is(c, INSN_PUT_TUPLE_1) ? 1
           : written_is(c, INSN_PUT_TUPLE_2) ? 2
                                             : 3;
}

static Source element(const Written *c, unsigned i) {
    return written_is(c, INSN_PUT_TUPLE2) ? source_of(written_list(c)[i])
                                          : operand_source(c->insn, written_form(c), 1 + i);
}

/* --- with other elements ------------------------------------------------------------------------------------------ */

enum { ARITY, FROM, TO, CHANGES }; /* operands */

/* The element at that offset is to become this; else it is copied from the tuple in %rcx. */
static void put_element(Writer *w, Word index) {
    const Written *c = w->written;
    const Word *list = written_list(c);
    Word changes = written_operand(c, CHANGES);
    while (changes > 0 && list[2 * changes - 2] != index * sizeof(Word)) /* the last change of an element holds */
        changes--;
    if (changes > 0) {
        writer_build(w, index, source_of(list[2 * changes - 1]));
        return;
    }
    Word offset = index * sizeof(Word) - TAG_BOXED;
    WRITE(w, 0x48, 0x8b, fits8(offset) ? 0x41 : 0x81); /* mov offset(%rcx), %rax */
    writer_put_offset(w, offset);
    writer_build_rax(w, index);
}

static size_t put_changed(Writer *w) {
    const Written *c = w->written;
    Word arity = written_operand(c, ARITY);
    if (arity > ELEMENTS_MOST)
        return 0;
    WRITE_LOAD(w, RCX, written_place(c, FROM));
    for (Word i = 0; i <= arity; i++)
        put_element(w, i);
    writer_built(w, 0, written_place(c, TO));
    writer_grow(w, arity + 1);
    writer_fall(w);
    return 1;
}

/* --- new ---------------------------------------------------------------------------------------------------------- */

size_t tuples_write(Writer *w) {
    const Written *c = w->written;
    if (written_is(c, INSN_UPDATE_RECORD))
        return put_changed(w);
    if (!written_is(c, INSN_PUT_TUPLE2) && !written_is(c, INSN_PUT_TUPLE_1) && !written_is(c, INSN_PUT_TUPLE_2) &&
        !written_is(c, INSN_PUT_TUPLE_3))
        return 0;
    Word count = count_of(c);
    if (count > ELEMENTS_MOST)
        return 0;
    writer_build_word(w, 0, header_make(KIND_TUPLE, count));
    for (unsigned i = 0; i < count; i++)
        writer_build(w, i + 1, element(c, i));
    writer_built(w, 0, written_place(c, 0));
    writer_grow(w, count + 1);
    writer_fall(w);
    return 1;
}

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

size_t tuples_write(Writer *w) {
    const Written *c = w->written;
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

#include "jit/frames.h"

#define REGISTERS_MOST 32

size_t frames_write(Writer *w) {
    const Written *c = w->written;
    if (!written_is(c, INSN_INIT_YREGS) || written_operand(c, 0) > REGISTERS_MOST)
        return 0;
    WRITE(w, 0xb8); /* mov $nil, %eax */
    writer_put32(w, NIL);
    for (Word i = 0; i < written_operand(c, 0); i++)
        WRITE_STORE(w, RAX, written_list(c)[i] | 1);
    writer_fall(w);
    return 1;
}

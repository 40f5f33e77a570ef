/*
 * An operand of an instruction as a number, whatever its form: registers are byte offsets, labels displacements in
 * bytes, sources and terms are words as they stand in the code.
 */
#ifndef VIV_JIT_OPERANDS_H
#define VIV_JIT_OPERANDS_H

#include <string.h>

#include "emu/forms.h"
#include "insns.h"

#define NATIVE_WORDS_MOST (1 << 27) /* room that native code asks for: its bytes are a number of 31 bits */

/* Is it one of the instruction's forms? */
static inline bool form_is(uint16_t form, enum Insn insn) {
    return form >= insn_info[insn].first_form && form < insn_info[insn].first_form + insn_info[insn].form_count;
}

static inline Word operand_word(const Word *insn, const InsnForm *form, unsigned n) {
    const char *at = (const char *)insn + form->offsets[n];
    uint16_t half;
    int32_t signed32;
    uint32_t word32;
    Word word;
    switch (form->kinds[n]) {
    case 'c':
    case 's':
    case 'w': memcpy(&word, at, sizeof word); return word;
    case 'U': memcpy(&word32, at, sizeof word32); return word32;
    case 'i':
    case 'f':
    case 'j': memcpy(&signed32, at, sizeof signed32); return (Word)(SWord)signed32;
    default: memcpy(&half, at, sizeof half); return half;
    }
}

/* The place of an operand that is a register: its byte offset, 1 more for y. */
static inline Word operand_place(const Word *insn, const InsnForm *form, unsigned n) {
    return operand_word(insn, form, n) | (form->kinds[n] == 'y' ? 1 : 0);
}

/* What an instruction takes: a constant, or the place of a register. */
typedef struct {
    bool is_constant;
    Word value;
} Source;
/* A word as it stands for a source. */
static inline Source source_of(Word word) {
    if ((word & TAG_MASK) == TAG_HEADER)
        return (Source){false, word >> 8 | (word >> 3 & 1)};
    return (Source){true, word};
}
static inline Source operand_source(const Word *insn, const InsnForm *form, unsigned n) {
    switch (form->kinds[n]) {
    case 'x':
    case 'y':
    case 'S':
    case 'd': return (Source){false, operand_place(insn, form, n)};
    default: return source_of(operand_word(insn, form, n));
    }
}

#endif

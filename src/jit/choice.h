/*
 * Choices among immediates, or among the arities of tuples: what has a list of any length has no template, but machine
 * code that is written for it. It compares the value with each of a few; of many with the middle one first, and goes on
 * in a half; where they are dense it jumps by a table, which stands in the upper halves of the instruction's list: the
 * lower ones lead to words, for the interpreter (emu/tests.tab).
 */
#ifndef VIV_JIT_CHOICE_H
#define VIV_JIT_CHOICE_H

#include "emu/forms.h"

/* An instruction in its module. */
typedef struct {
    const Word *insn;
    uint16_t form;        /* of insn_forms */
    uint32_t word;        /* its index */
    const uint8_t *block; /* where the module's code is executed */
    const uint32_t *at;   /* by word: how far into that its native code begins */
} Choice;

/* Bytes of code, 0 for any other instruction. Asks for insn and form alone. */
size_t choice_length(const Choice *c);
/* Writes so many bytes: what is executed at `from` is written at `to`. `insn` is one of the words that are kept. */
void choice_put(const Choice *c, const uint8_t *from, uint8_t *to);
/* Fills the table, if there is one, in the words that the module keeps: `insn` is one of them. */
void choice_lead(const Choice *c, Word *insn);

#endif

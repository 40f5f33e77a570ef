/*
 * Choices among immediates, or among the arities of tuples: the value is compared with each of a few; of many with the
 * middle one first, and so on in a half; where they are dense there is a jump by a table, which stands in the upper
 * halves of the instruction's list: the lower ones lead to words, for the interpreter (emu/tests.tab).
 */
#ifndef VIV_JIT_CHOICE_H
#define VIV_JIT_CHOICE_H

#include "jit/written.h"

CodeWriter choice_write;
/* Fills the table, if there is one, in the words that the module keeps: `insn` is one of them. */
void choice_lead(const Written *c, Word *insn);

#endif

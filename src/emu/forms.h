/*
 * What the tables generated from emu/ *.tab say about instructions: used by the encoder of the loader and by
 * disassembly.
 *
 * An instruction has one or more forms; a form fixes the kinds of the operands, and with them where each stands in the
 * instruction's words. The general form is the last of its instruction's; the encoder takes the first that fits.
 */
#ifndef VIV_EMU_FORMS_H
#define VIV_EMU_FORMS_H

#include "term/term.h"

#define INSN_MAX_OPERANDS 10

struct Process;
typedef __attribute__((preserve_none)) void InsnHandler(struct Process *p, Term *x, const Word *I, Term *E, Term *htop,
                                                        int64_t reds);

typedef struct {
    InsnHandler *handler;
    char kinds[INSN_MAX_OPERANDS + 1]; /* a letter for each operand: see tools/gen_insns.py */
    uint8_t words;                     /* length, without a list that may follow */
    uint8_t offsets[INSN_MAX_OPERANDS]; /* of each operand, in bytes */
} InsnForm;

typedef struct {
    const char *name;
    uint16_t first_form, form_count;
    uint8_t operand_count;
    const char *sentence;
} InsnInfo;

/* The first word of an instruction: its handler in the low half. */
Word insn_word(const InsnForm *form);

/* A source operand of kind `s` is a word: a term, or a register. */
#define SOURCE_X(n) ((Word)(n) << 11 | TAG_HEADER)
#define SOURCE_Y(n) ((Word)(n) << 11 | 1 << 3 | TAG_HEADER)
/* Operands of kind S and d: a byte offset, its lowest bit says y. */
#define PLACE_X(n) ((uint16_t)((n) * 8))
#define PLACE_Y(n) ((uint16_t)((n) * 8 + 1))

#endif

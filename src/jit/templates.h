/*
 * Templates of native code: what clang made of the bodies of instructions (tools/gen_templates.py), and where their
 * holes are. A template's code is linked into the program, where it is never run: it is copied from there.
 */
#ifndef VIV_JIT_TEMPLATES_H
#define VIV_JIT_TEMPLATES_H

#include "emu/forms.h"

typedef enum {
    HOLE_8,         /* the operand, 8 bits */
    HOLE_32,        /* the operand, 32 bits */
    HOLE_BYTES_8,   /* as many bytes as the operand has words, 8 bits */
    HOLE_BYTES_32,  /* the same, 32 bits */
    HOLE_64,        /* the operand, a word */
    HOLE_DISTANCE,  /* 32 bits: the operand, from behind the hole on */
    HOLE_HERE,      /* 32 bits: the address of the instruction's words */
    HOLE_RETURN,    /* a word: the stack's that leads back behind the instruction */
    HOLE_TARGET,    /* 32 bits: the address of the words that a label leads to */
    HOLE_LABEL,     /* 32 bits, a jump: to the native code of those */
    HOLE_ENTER,     /* the same, to the entry before that */
    HOLE_NEXT,      /* the same, to that of the instruction behind this one */
    HOLE_EXIT, /* the same, to where the instruction pointer is set, and on in a shared end; its number: addend */
    HOLE_ELSEWHERE, /* 32 bits: a distance to something of the program, right where the template stands */
} HoleKind;

typedef struct {
    uint16_t at; /* bytes from the template's start */
    uint8_t kind, operand;
    int32_t addend;
} TemplateHole;

typedef struct Template {
    InsnHandler *code; /* NULL: there is none */
    /* What each operand is: see gen_templates.py; in a short one besides, what has one byte: d, an offset; b, bytes. */
    char kinds[INSN_MAX_OPERANDS + 1];
    uint16_t length, hole_count, exit_count; /* of exits, different ones */
    uint32_t first_hole;
} Template;

extern const Template templates[];
/* Of the same numbers, for instructions whose offsets all are such that one byte has them. */
#define SHORT_OFFSET 120
#define SHORT_WORDS 11
extern const Template short_templates[];
/* Is it one of the short ones? Given one of either. */
bool template_is_short(const Template *t);
/* Stand for one where code is written instead (jit/written.h), by what it has. They have no holes. */
enum { WRITTEN_EXIT = 1, WRITTEN_FALLS = 2, WRITTEN_KINDS = 4 };
extern const Template template_written[WRITTEN_KINDS];
static inline bool template_is_written(const Template *t) {
    return t >= template_written && t < template_written + WRITTEN_KINDS;
}
/* Stands for one where the code of an instruction before does it (jit/floats.h). It has no holes either. */
extern const Template template_inside;
extern InsnHandler *const template_exits[];
extern const TemplateHole template_holes[];
/* By the number of an interpreter's form: its first template; those of the next form follow its last. */
extern const uint16_t templates_of_form[];
/* By that number: are there templates for small constants, in place of other ones (gen_templates.py)? */
extern const bool form_asks_for_smalls[];

#endif

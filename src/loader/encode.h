/*
 * Writes engine instructions as words: chooses the form that fits the operands, packs them, and resolves labels.
 *
 * Operands are those of generic instructions; a pointer goes in as OPERAND_UINT. A list that follows an instruction is
 * written word by word after it. Label displacements count from the start of the instruction that holds them.
 */
#ifndef VIV_LOADER_ENCODE_H
#define VIV_LOADER_ENCODE_H

#include "alloc/workspace.h"
#include "insns.h"
#include "jit/emit.h"
#include "loader/generic.h"

typedef struct {
    uint32_t at;    /* byte offset of the 32-bit displacement */
    uint32_t start; /* word index of the instruction */
    uint32_t label;
} LabelUse;

/* All tables are in the workspace. */
typedef struct {
    Workspace *workspace;
    Word *words;
    size_t count, capacity;
    size_t start; /* of the last instruction */
    InsnPlace *places; /* of all instructions, if they are kept */
    size_t place_count, place_capacity;
    bool keeps_places;
    LabelUse *uses;
    size_t use_count, use_capacity;
} Encoder;

/* `insns`: about how many are to come. */
void encoder_init(Encoder *e, Workspace *workspace, size_t insns, bool keeps_places);

/* False when no form takes these operands. */
bool encode_insn(Encoder *e, enum Insn insn, const Operand *operands, unsigned count);
void encode_word(Encoder *e, Word w);
/* A source operand of a list: register or term. False when it is neither. */
bool encode_source(Encoder *e, const Operand *operand);
void encode_label(Encoder *e, uint32_t label);
/* `labels`: word index by number. Returns false and sets *missing when a used label has no place. */
bool encoder_resolve(Encoder *e, const uint32_t *labels, uint32_t *missing);

/* Makers of operands */
static inline Operand operand_x(Word n) { return (Operand){.kind = OPERAND_X, .value = n}; }
static inline Operand operand_uint(Word n) { return (Operand){.kind = OPERAND_UINT, .value = n}; }
static inline Operand operand_pointer(const void *p) { return operand_uint((Word)(uintptr_t)p); }
static inline Operand operand_term(Term t) { return (Operand){.kind = OPERAND_TERM, .value = t}; }
static inline Operand operand_label(Word n) { return (Operand){.kind = OPERAND_LABEL, .value = n}; }
static inline bool operand_is_register(const Operand *o) { return o->kind == OPERAND_X || o->kind == OPERAND_Y; }
static inline bool operand_is_source(const Operand *o) { return operand_is_register(o) || o->kind == OPERAND_TERM; }

#endif

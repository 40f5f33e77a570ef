/*
 * Generic instructions: the decoded form of a Code chunk, between the reader of BEAM files and instruction selection.
 *
 * loader/decode.c makes them, loader/select.c and loader/emit.c turn them into an engine's form. Operands refer to
 * terms by value: literals are already terms of the module's literal area, atoms are real atoms.
 */
#ifndef VIV_LOADER_GENERIC_H
#define VIV_LOADER_GENERIC_H

#include "term/term.h"

typedef enum {
    OPERAND_NONE,
    OPERAND_X,     /* value: register number */
    OPERAND_Y,
    OPERAND_FLOAT_REGISTER,
    OPERAND_TERM,  /* value: the term (small, big or other literal, atom, nil, float) */
    OPERAND_LABEL, /* value: label number; 0 means "no label: raise" */
    OPERAND_UINT,  /* value: an untagged unsigned number */
    OPERAND_LIST,  /* value: number of operands that follow in `list`; extended list */
    OPERAND_ALLOC, /* value: index into alloc lists: words, floats, funs in list (three UINT operands) */
    OPERAND_STRING /* value: offset into StrT */
} OperandKind;

typedef struct Operand {
    OperandKind kind;
    uint32_t type; /* index into the Type chunk + 1 for typed registers, else 0 */
    Word value;
    struct Operand *list; /* OPERAND_LIST, OPERAND_ALLOC */
} Operand;

typedef struct GenericInsn {
    uint16_t op; /* generic opcode number, see loader/genops.tab */
    uint16_t count;
    Operand *operands; /* `count` of them */
} GenericInsn;

#endif

/*
 * Generic instructions: the decoded form of a Code chunk, between the reader of BEAM files and instruction selection.
 *
 * loader/decode.c makes them, loader/select.c and what it calls turn them into an engine's form. Operands refer to
 * terms by value: literals are already terms of the module's literal area, atoms are real atoms.
 */
#ifndef VIV_LOADER_GENERIC_H
#define VIV_LOADER_GENERIC_H

#include "code/beam_file.h"
#include "term/term.h"

typedef enum {
    OPERAND_NONE,
    OPERAND_X,     /* value: register number */
    OPERAND_Y,
    OPERAND_FLOAT_REGISTER,
    OPERAND_TERM,  /* value: the term (small, big or other literal, atom, nil, float) */
    OPERAND_LABEL, /* value: label number; 0 means "no label: raise" */
    OPERAND_UINT,  /* value: an untagged unsigned number */
    OPERAND_HUGE,  /* an untagged unsigned number that no signed word holds */
    OPERAND_LIST,  /* value: number of operands that follow in `list`; extended list */
    OPERAND_ALLOC, /* value: index into alloc lists: words, floats, funs in list (three UINT operands) */
    OPERAND_STRING, /* value: offset into StrT */
    OPERAND_MAP_KEYS /* the empty map, to which pairs are put: value: the tuple of their keys (loader/map_keys.h) */
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

typedef BeamImport GenericImport;
typedef BeamExport GenericExport;
typedef BeamLambda GenericLambda;

/* All that instruction selection needs to know of a module. Labels are 1 to label_count - 1. Everything in it has been
 * checked against its own bounds (a literal operand is a term already, an atom exists); whether operands fit the
 * instruction that they stand in is for the emitter to check. */
typedef struct GenericModule {
    Workspace *workspace; /* what is made of the module while it is loaded is there, too */
    Term name;
    uint8_t md5[16];
    const GenericInsn *code;
    size_t code_count;
    uint32_t label_count;
    const GenericImport *imports;
    uint32_t import_count;
    const GenericExport *exports;
    uint32_t export_count;
    const GenericLambda *lambdas;
    uint32_t lambda_count;
    const Term *fun_refs; /* of each lambda: boxed FunRef, a literal (term/fun.h) */
    const uint8_t *strings; /* the StrT chunk */
    size_t strings_size;
    bool is_listed; /* somebody wants to know what each instruction became: EmittedCode's starts */
} GenericModule;

#endif

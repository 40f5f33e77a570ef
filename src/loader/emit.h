/*
 * From generic instructions to code that the interpreter runs.
 *
 * select.c walks the generic instructions, checks their operands, picks engine instructions (combined ones where two or
 * more generic ones stand side by side with no label between), and encode.c writes the words. Everything in the code
 * that refers to the code itself is relative, so a finished block may be copied elsewhere before it is published; it
 * refers to export entries, fun entries and literals by address. Nothing that running code can see is touched, except
 * that export and fun entries named by the module come into being.
 */
#ifndef VIV_LOADER_EMIT_H
#define VIV_LOADER_EMIT_H

#include "jit/emit.h"
#include "loader/generic.h"

#define EMIT_NOWHERE UINT32_MAX

/* The `line` instruction that covers the words from `word` on, up to the next entry. */
typedef struct {
    uint32_t word; /* index into the code */
    uint32_t line; /* operand of the generic instruction: index into the Line chunk, 0: unknown */
} EmittedLine;

/* All is in the workspace of the module. */
typedef struct EmittedCode {
    Word *code;
    size_t word_count;
    InsnPlace *places; /* with native code: of each instruction */
    size_t place_count;
    uint32_t *functions; /* word index of each FunctionHeader, ascending */
    uint32_t function_count;
    uint32_t *labels; /* word index by label number, or EMIT_NOWHERE; an entry label leads to the first instruction */
    uint32_t label_count;
    EmittedLine *lines; /* ascending; every function begins with one */
    uint32_t line_count;
    uint32_t *starts; /* of a listed module, by generic instruction: word index of what it became, or EMIT_NOWHERE */
    uint32_t on_load; /* word index of the entry of the on_load function, or EMIT_NOWHERE */
} EmittedCode;

/*
 * False: the module must be refused (badfile), and `detail` says in one line which instruction is wrong and why. A
 * function that is a built-in function by name gets `call_bif` as its body.
 */
bool emit_module(const GenericModule *module, EmittedCode *out, char *detail, size_t detail_size);

#endif

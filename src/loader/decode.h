/*
 * The Code chunk of a BEAM file to generic instructions.
 *
 * Decoding knows the shape of operands, not what each instruction wants: that is the emitter's to check. Terms that
 * need memory (literals, and integers too large for a small) get it last, when all of them are known: operands refer to
 * them by number until decoded_set_terms gives each its term.
 */
#ifndef VIV_LOADER_DECODE_H
#define VIV_LOADER_DECODE_H

#include "heap/heap.h"
#include "loader/generic.h"

typedef struct {
    Operand *operand;
    uint32_t term; /* literals of the file first, then `integers`, then others */
} TermPatch;

typedef struct {
    GenericInsn *code;
    size_t count, capacity;
    TermPatch *patches;
    size_t patch_count, patch_capacity;
    FragmentArea integers_area; /* where the large integers of the code are until decoded_set_terms */
    Term *integers;
    uint32_t integer_count;
    size_t integer_capacity;
} DecodedCode;

/* Into the file's workspace. False: file->detail says why. decoded_release in either case, before the file goes. */
bool decode_code(BeamFile *file, DecodedCode *decoded);
/* The operand is to get one more of the terms. */
void decoded_add_patch(DecodedCode *decoded, Workspace *workspace, Operand *operand, uint32_t term);
/* terms: those of the file's literals, then those of decoded->integers, then others that were added. More than once:
 * the last ones hold. */
void decoded_set_terms(DecodedCode *decoded, const Term *terms);
void decoded_release(DecodedCode *decoded);

#endif

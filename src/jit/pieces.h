/*
 * Who writes machine code in place of templates (jit/written.h): choices, fields, bytes and building of bitstrings,
 * floats, small maps, funs, tuples, frames.
 */
#ifndef VIV_JIT_PIECES_H
#define VIV_JIT_PIECES_H

#include "jit/written.h"

/* The piece that begins at the instruction, of whoever has one: a CodeWriter. */
CodeWriter piece_write;

#endif

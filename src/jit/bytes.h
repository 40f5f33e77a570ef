/*
 * The next byte of a bitstring, with what stands around it in a loop over bytes: the position that is kept for another
 * clause, the test that whole bytes are left, and comparisons of the byte with constants, one behind the other. Where a
 * byte is that begins within another one the interpreter does all of it: only the kept position is stored by then.
 * And what each round of such a loop begins with: its context, as it is.
 */
#ifndef VIV_JIT_BYTES_H
#define VIV_JIT_BYTES_H

#include "jit/written.h"

CodeWriter bytes_write;

#endif

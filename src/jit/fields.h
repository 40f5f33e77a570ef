/*
 * Fields of a bitstring that are matched together (bs_get_fields, emu/bits.tab): one load of 8 bytes for up to 57 bits
 * at any offset in a byte, from which all of them are shifted. The load may go beyond the bitstring, whose memory
 * belongs to anybody, but not to the next page: there the interpreter does it, byte by byte.
 */
#ifndef VIV_JIT_FIELDS_H
#define VIV_JIT_FIELDS_H

#include "jit/written.h"

CodeWriter fields_write;

#endif

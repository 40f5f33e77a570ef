/*
 * The external term format without memory: what a crash dump has no form of its own for, funs, references and bits, is
 * written so, as "E", its size, a colon, and the bytes in base 64.
 *
 * No recursion: a stack that is always there. Below EXTERNAL_DEPTH_MAX levels, and where the whole would be more than
 * EXTERNAL_BYTES_MAX bytes (terms that are shared are written as often as they occur), the atom '...' stands.
 */
#ifndef VIV_DUMP_EXTERNAL_H
#define VIV_DUMP_EXTERNAL_H

#include "term/bits.h"
#include "term/text.h"

#define EXTERNAL_DEPTH_MAX 4096
#define EXTERNAL_BYTES_MAX ((size_t)64 << 20)

void dump_hex(Text *to, uint64_t n);
/* As bits_view, of match contexts as well: what is left of them. */
void bits_of(Term t, BitsView *view);

void dump_external(Text *to, Term t);
/* "Size:Bytes" in base 64, of bits that begin anywhere. */
void dump_bytes(Text *to, const uint8_t *bytes, size_t bit_offset, size_t count);
/* The same without the size. */
void dump_base64(Text *to, const uint8_t *bytes, size_t bit_offset, size_t count);

#endif

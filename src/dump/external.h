/*
 * The external term format without memory: what a crash dump has no form of its own for, funs, references and bits, is
 * written so, as "E", its size, a colon, and the bytes in base 64.
 *
 * No recursion: a stack that is always there. Below EXTERNAL_DEPTH_MAX levels the atom '...' stands.
 *
 * Terms that are shared are written as often as they occur, so funs may take much more than the heap that they lie in.
 * What takes up to EXTERNAL_SMALL bytes is whole; all that takes more shares what was granted, so that a dump grows as
 * the heaps in it do. Where that, or EXTERNAL_BYTES_MAX, does not suffice, a fun is written with '...' for each of its
 * values, and all else as '...'; so are funs in more than EXTERNAL_FUNS_MAX others.
 */
#ifndef VIV_DUMP_EXTERNAL_H
#define VIV_DUMP_EXTERNAL_H

#include "term/bits.h"
#include "term/text.h"

#define EXTERNAL_DEPTH_MAX 4096
#define EXTERNAL_BYTES_MAX ((size_t)64 << 20)
#define EXTERNAL_SMALL 512
#define EXTERNAL_FUNS_MAX 8

void dump_hex(Text *to, uint64_t n);
/* As bits_view, of match contexts as well: what is left of them. */
void bits_of(Term t, BitsView *view);

/* So many bytes more for those that are not small. */
void dump_external_grant(size_t bytes);
/* May so many be written? If so, they are taken from what was granted. */
bool dump_external_takes(size_t bytes);
void dump_external(Text *to, Term t);
/* "Size:Bytes" in base 64, of bits that begin anywhere. */
void dump_bytes(Text *to, const uint8_t *bytes, size_t bit_offset, size_t count);
/* The same without the size. */
void dump_base64(Text *to, const uint8_t *bytes, size_t bit_offset, size_t count);

#endif

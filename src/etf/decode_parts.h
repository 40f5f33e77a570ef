/*
 * What the two passes of the decoder share: the parts of the format that are read the same way by both.
 */
#ifndef VIV_ETF_DECODE_PARTS_H
#define VIV_ETF_DECODE_PARTS_H

#include "etf/decode.h"

#define ETF_OLD_CREATION_MAX 3 /* one byte in the oldest forms of identifiers, two bits of it */

/* The text form: digits with a point, closed by NUL unless all bytes are used. */
bool etf_float_text(const uint8_t text[], double *value);
/* After the check: any atom tag; `atoms` are those that have numbers. NON_VALUE when the atom table is full (*full set
 * if not NULL). */
Term etf_read_atom(Reader *in, const Term *atoms, bool *full);
/* The same, or nil: this node. */
Term etf_read_node(Reader *in, const Term *atoms, bool *full);
/* After the check: SMALL_INTEGER or INTEGER. */
int64_t etf_read_integer(Reader *in);

#endif

/*
 * What other topics ask about functions of the table: which of them the stock runtime would call built in; no lock. And
 * what it costs to read a BEAM file.
 */
#ifndef VIV_BIF_CODE_CODE_INFO_H
#define VIV_BIF_CODE_CODE_INFO_H

#include "process/bif.h"

/* Is it a built-in function in the sense of erlang(3) is_builtin/3? */
bool bif_is_builtin(const BifEntry *b);

/* Of a binary; what its literals inflate to is counted in, as it says. */
size_t code_bytes_to_read(Term file);
/* What is read with the scheduler kept, in a tenth of a millisecond at most: to give it away costs more than that when
 * all cores are busy. More is long work (base/long_work.h). */
#define CODE_BYTES_AT_ONCE 8192
#define CODE_BYTES_PER_REDUCTION 4
#define CODE_UNITS_PER_BYTE 15

#endif

/*
 * The check sum in front of a term in local form: over the bytes of the term, from a number that each run of this
 * program draws for itself. So what another run, or somebody else, has written is refused, but for one in 2^32.
 * Source: erlang(3) term_to_binary/2, `local`. Any thread.
 */
#ifndef VIV_ETF_LOCAL_H
#define VIV_ETF_LOCAL_H

#include "base/defs.h"

#define ETF_LOCAL_SUM_BYTES 4

/* Bytes go in one behind the other, in any cuts; the first with the sum that _start gives. */
uint32_t etf_local_start(void);
uint32_t etf_local_add(uint32_t sum, const uint8_t *bytes, size_t count);

#endif

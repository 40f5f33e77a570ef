/*
 * One segment of a bitstring under construction: its size, whether it can be built, and its bits.
 *
 * The order matters: segment_bits for all segments first, then segment_check for all, then segment_write, which
 * cannot fail. So an expression that fails changes nothing, and fails for the same segment and reason as on the stock
 * runtime.
 */
#ifndef VIV_EMU_SEGMENT_H
#define VIV_EMU_SEGMENT_H

#include "base/unicode.h"
#include "emu/bits.h"

typedef struct {
    SegmentKind kind;
    Word flags, unit, number;
    Term source, size;
    const uint8_t *string; /* SEGMENT_STRING: instead of source */
    Word bits;             /* known after segment_bits */
} Segment;

/* False with p->fail set: a size is wrong, or what is to be there as a whole, and is not the first, is no bitstring, or
 * a character of UTF-32 (from OTP 26 on: or UTF-8) is none. What else is wrong counts as long as it says, or nothing,
 * and fails in segment_check. */
bool segment_bits(Process *p, Segment *s);
bool segment_check(Process *p, const Segment *s);
/* At bit `at` (any number) from `to` on. */
void segment_write(const Segment *s, uint8_t *to, Word at);
/* Sets p->fail, with #{cause => {Number, Type, Why, Value}, function => format_bs_fail, module => erl_erts_errors}. */
Term segment_fail(Process *p, FailReason reason, const Segment *s, Term why, Term value);

#endif

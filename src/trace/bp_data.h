/* Making BpData (trace/pattern.h) for a change, and letting go of it. Only the holder of the code modification
 * permission makes it, for one breakpoint; it is dropped when nobody can read it. */
#ifndef VIV_TRACE_BP_DATA_H
#define VIV_TRACE_BP_DATA_H

#include "trace/pattern.h"

/* What `before` (may be NULL) becomes: NULL when nothing is left. It shares the counted parts with `before`. */
BpData *bp_data_changed(const BpData *before, const PatternChange *change);
/* For new code: what the sessions that keep their patterns had, and what all want of code that is loaded, which counts
 * more; of these `kinds` only. NULL when it is nothing. */
BpData *bp_data_of_new_code(const BpData *before, uint32_t kinds);
/* Of code that is replaced: what the sessions have there that keep their patterns. NULL when it is nothing. */
BpData *bp_data_kept(const BpData *before);
/* Of code that was just replaced: the same, and what the sessions have there that want something of new code. */
BpData *bp_data_lingering(const BpData *before);
/* One breakpoint more has it, one less: the last one frees it. NULL is none. */
BpData *bp_data_keep(BpData *data);
void bp_data_drop(BpData *data);
/* Does a change make parts that each function needs for itself, so that functions cannot share data? */
bool bp_data_is_for_one(const PatternChange *change);

#endif

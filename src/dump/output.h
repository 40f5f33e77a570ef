/*
 * Where a crash dump goes: a file, through a buffer that is always there. Nothing is allocated.
 *
 * Environment: ERL_CRASH_DUMP names the file (erl_crash.dump); ERL_CRASH_DUMP_BYTES says after how many bytes it is cut
 * off, with a line that says so; then the program ends. What cannot be written is dropped. Source: erl(1).
 */
#ifndef VIV_DUMP_OUTPUT_H
#define VIV_DUMP_OUTPUT_H

#include "term/text.h"

/* The name of the file, which may be empty: no file has that name. Good until the environment changes. */
const char *dump_file_name(void);
/* An integer of the environment, `by_default` if the name is not set, or to more than 20 characters. As the stock
 * runtime reads it: what stands behind the digits does not count, without any it is 0, and of a large one the low 32
 * bits are taken. */
int dump_setting(const char *name, int by_default);
/* After how many bytes the dump is cut off; less than 0: never, as where something else than a number is set. */
int64_t dump_limit(void);

/* NULL: it cannot be opened. All that is written goes to the Text that comes back. One at a time. After so many bytes
 * it is cut off, and the program ends; less than 0: it may be as long as it is. */
Text *dump_open(const char *name, int64_t bytes);
/* Bytes that it has taken so far. */
int64_t dump_position(const Text *to);
/* What comes next begins a line. */
void dump_end_line(void);
#define DUMP_FAILED "=abort:CRASH DUMP FAILED"
/* Writes `marker` as a line of its own behind what was written, whatever that is: the dump is not whole. */
void dump_cut(const char *marker);
/* The rest is written. */
void dump_close(void);

#endif

/*
 * Where a crash dump goes: a file, through a buffer that is always there. Nothing is allocated.
 *
 * Environment: ERL_CRASH_DUMP names the file (erl_crash.dump); ERL_CRASH_DUMP_BYTES says after how many bytes it is cut
 * off, with a line that says so; then the program ends. What cannot be written is dropped. Source: erl(1).
 */
#ifndef VIV_DUMP_OUTPUT_H
#define VIV_DUMP_OUTPUT_H

#include "term/text.h"

/* The name of the file: good until the environment changes. */
const char *dump_file_name(void);
/* An integer of the environment, `by_default` if there is none. */
int64_t dump_setting(const char *name, int64_t by_default);

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

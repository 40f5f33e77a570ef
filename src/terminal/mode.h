/*
 * The terminal of standard input: each key at once and unshown, while a shell edits; and as it was before when the
 * runtime ends, however it ends (base/leave.h).
 */
#ifndef VIV_TERMINAL_MODE_H
#define VIV_TERMINAL_MODE_H

#include "base/defs.h"

/* False: standard input and output are no terminal. By one thread at a time, as the other. */
bool terminal_begin(void);
void terminal_end(void);
/* False: it does not tell. */
bool terminal_size(unsigned *columns, unsigned *rows);

#endif

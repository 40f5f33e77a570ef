/* How the stock emulator refuses a flag: why, then which flags there are, on standard error; the exit status is 1.
 * The program is called as who started it calls it: erlexec, which starts a script, by the script's name. */
#ifndef VIV_INIT_REFUSE_H
#define VIV_INIT_REFUSE_H

#include "base/defs.h"

/* `format` has one %s, for `value`. */
_Noreturn void refuse_flag(const char *format, const char *value);
/* A line on standard error, ended as the stock runtime ends its own. */
void say_line(const char *format, const char *value);

#endif

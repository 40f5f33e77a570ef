/*
 * A conversation of the runtime itself with who sits at the terminal, while the rest goes on: the terminal edits and
 * shows lines as it did before the runtime began, and nobody else reads standard input. Lines that are printed end by
 * CR and LF, as all that the runtime prints by itself. By one thread at a time, between the first two.
 */
#ifndef VIV_TERMINAL_CONSOLE_H
#define VIV_TERMINAL_CONSOLE_H

#include "base/defs.h"

void console_begin(void);
void console_end(void);
/* The first character of the next line that is not empty; negative: there is no more input. */
int console_key(void);
void console_put(const char *text, size_t bytes);

#endif

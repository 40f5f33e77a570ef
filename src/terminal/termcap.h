/*
 * Capabilities by their names of old, of the terminal that was asked for last: by one thread at a time. What is
 * answered is good until the next one is asked for. Source: curs_termcap(3).
 */
#ifndef VIV_TERMINAL_TERMCAP_H
#define VIV_TERMINAL_TERMCAP_H

#include "base/defs.h"

/* False: there is no such terminal. */
bool termcap_load(const char *terminal);
int termcap_number(const char *name); /* -1: it has none */
bool termcap_flag(const char *name);
const char *termcap_string(const char *name); /* NULL: it has none */
/* With its parameters filled in. */
const char *termcap_go(const char *sequence, int column, int row);

#endif

/*
 * Control sequences of the terminal that TERM names, from the database of terminfo. They are read once and then
 * constant. Source: terminfo(5).
 */
#ifndef VIV_TERMINAL_CAPABILITIES_H
#define VIV_TERMINAL_CAPABILITIES_H

#include "term/text.h"

typedef enum { GO_UP, GO_DOWN, GO_LEFT, GO_RIGHT, GO_COUNT } Direction;

/* False: there is no such terminal, or its cursor cannot be moved in all directions. Once, by one thread. */
bool capabilities_load(void);
/* Appends what moves the cursor by so many places. */
void capabilities_go(Text *to, Direction direction, unsigned count);
/* Behind the last column: does the cursor go to the next row? At once, or with the next character only? */
bool capabilities_wrap(void);
bool capabilities_wrap_late(void);

#endif

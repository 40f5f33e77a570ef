/*
 * The terminal of standard input: each key at once and unshown, while a shell edits; and as it was before when the
 * runtime ends, however it ends (base/leave.h).
 */
#ifndef VIV_TERMINAL_MODE_H
#define VIV_TERMINAL_MODE_H

#include "base/defs.h"

typedef struct {
    bool keeps_lines; /* the terminal edits lines itself, and ends of lines come as it likes */
    bool echoes;
    bool ignores_interrupts; /* Ctrl-C is a key */
} TerminalMode;

/* +Bc: it is, whatever a mode says, and where nobody begins one. Before any process runs. */
void terminal_make_ctrl_c_a_key(void);

/* Standard input and output are that terminal's. 0, or an errno value: there is no terminal, or it refuses. Again,
 * when there was another mode: as it was before the first. By one thread at a time, as the other. */
int terminal_begin(TerminalMode mode);
void terminal_end(void);
/* As it was before the first, until the other is called. */
void terminal_pause(void);
void terminal_go_on(void);
/* False: it does not tell. */
bool terminal_size(unsigned *columns, unsigned *rows);

#endif

/*
 * `viv erl`: the stock program `erlexec` reads the command line, the files and the variables of the environment that
 * it may come from, and starts the emulator, which is this program under the name `beam.smp`.
 */
#ifndef VIV_INIT_ERL_COMMAND_H
#define VIV_INIT_ERL_COMMAND_H

#include "term/text.h"

/* `arguments`: a word, and what follows `erl`, ended by NULL. Returns only when it could not be started: the exit
 * status. */
int erl_command(char **arguments);
/* What starts a node when flags follow it: the flag `progname`, by which `peer` and `slave` find the runtime. Added to
 * `path`. */
void erl_command_program(Text *path);

#endif

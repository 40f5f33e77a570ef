/*
 * The flags of the stock emulator (emulator_flags.tab): checked as it checks them, with its words and its exit status
 * where it refuses one.
 */
#ifndef VIV_INIT_NODE_FLAGS_H
#define VIV_INIT_NODE_FLAGS_H

#include "init/settings.h"

/* Takes flags from argv[1] on, up to `--`, which it takes as well: gives the index behind. Ends the program where one
 * is refused, or asks for no more (+V). */
int node_flags_take(Settings *settings, int argc, char **argv);

#endif

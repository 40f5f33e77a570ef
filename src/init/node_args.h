/*
 * The command line of the stock emulator, which `erlexec` makes of what the user gave `erl`: flags of the emulator,
 * `--`, and the words of `init`, which this passes on without a look but for the root.
 */
#ifndef VIV_INIT_NODE_ARGS_H
#define VIV_INIT_NODE_ARGS_H

#include "init/settings.h"

typedef struct {
    Settings settings;
    char **words; /* of init; they point into argv */
    int word_count;
    const char *root;   /* of -root, or NULL */
    const char *bindir; /* the environment's */
} NodeArgs;

/* Ends the program where the stock emulator does, with its words. */
void node_args_parse(NodeArgs *args, int argc, char **argv);

#endif

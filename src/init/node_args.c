#include "init/node_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *word_behind(const NodeArgs *args, const char *flag) {
    for (int i = 0; i + 1 < args->word_count; i++)
        if (strcmp(args->words[i], flag) == 0)
            return args->words[i + 1];
    return NULL;
}

static const char *bindir_or_end(void) {
    const char *bindir = getenv("BINDIR");
    if (bindir != NULL)
        return bindir;
    fputs("Environment variable BINDIR is not set\n", stderr);
    exit(1);
}

void node_args_parse(NodeArgs *args, int argc, char **argv) {
    *args = (NodeArgs){.settings = settings_default(argv), .bindir = bindir_or_end()};
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    if (at < argc)
        at++;
    args->words = argv + at;
    args->word_count = argc - at;
    args->root = word_behind(args, "-root");
}

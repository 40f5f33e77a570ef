#include "init/node_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bif/system/system_info.h"
#include "init/node_flags.h"

/* The word behind -root. */
static const char *root_among(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "-root") == 0)
            return argv[i + 1];
    return getenv("ROOTDIR");
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
    system_info_set_otp_root(root_among(argc, argv)); /* flags may ask for the version, or depend on it */
    int at = node_flags_take(&args->settings, argc, argv);
    args->words = argv + at;
    args->word_count = argc - at;
    args->root = root_among(argc, argv);
}

#include "init/node_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bif/system/system_info.h"
#include "init/node_flags.h"
#include "term/text.h"

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

/* The programs lie in ROOT/erts-VSN/bin. */
static void choose_runtime(const char *bindir, const char *root) {
    TEXT(version);
    const char *name = strstr(bindir, "/erts-");
    for (const char *next; name != NULL && (next = strstr(name + 1, "/erts-")) != NULL;)
        name = next;
    if (name == NULL) {
        system_info_set_otp_root(root);
        return;
    }
    name += strlen("/erts-");
    text_bytes(&version, name, strcspn(name, "/"));
    system_info_set_runtime(text_cstring(&version));
}

void node_args_parse(NodeArgs *args, int argc, char **argv) {
    *args = (NodeArgs){.settings = settings_default(argv), .bindir = bindir_or_end()};
    args->settings.is_seen = true;
    choose_runtime(args->bindir, root_among(argc, argv)); /* flags may ask for the version, or depend on it */
    int at = node_flags_take(&args->settings, argc, argv);
    args->words = argv + at;
    args->word_count = argc - at;
    args->root = root_among(argc, argv);
}

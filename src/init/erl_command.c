#include "init/erl_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bif/system/system_info.h"
#include "init/otp_root.h"
#include "sys/release.h"
#include "term/text.h"

/* What the stock script `erl` tells erlexec, by the environment. `program`: what a node starts when it is to start
 * another node as itself (`peer`, `slave`): one word, so it cannot be `viv erl`. */
typedef struct {
    Text root, bindir, emulator, program;
} Place;

static void cut_last(Text *path) {
    while (path->size > 0 && path->bytes[--path->size] != '/')
        ;
}

void erl_command_program(Text *path) {
    if (otp_own_folder(path))
        text_string(path, "/erl");
    else
        text_string(path, "erl");
}

static bool is_there(const Text *folder, const char *file) {
    TEXT(path);
    text_format(&path, "%.*s/%s", (int)folder->size, folder->bytes, file);
    return access(text_cstring(&path), X_OK) == 0;
}

/* In an installed root this program stands beside erlexec: ROOT/erts-VSN/bin. */
static bool find_installed(Place *place) {
    TEXT(folder);
    if (!otp_own_folder(&folder) || !is_there(&folder, "erlexec") || !is_there(&folder, "beam.smp"))
        return false;
    text_bytes(&place->bindir, folder.bytes, folder.size);
    text_bytes(&place->root, folder.bytes, folder.size);
    cut_last(&place->root);
    cut_last(&place->root);
    text_string(&place->emulator, "beam");
    text_format(&place->program, "%.*s/erl", (int)folder.size, folder.bytes);
    return true;
}

/* erlexec looks for $BINDIR/$EMU.smp: the way from there to the folder of this program. */
static void add_way(Text *way, const Text *from, const Text *to) {
    for (size_t i = 0; i < from->size; i++)
        if (from->bytes[i] == '/')
            text_string(way, "../");
    text_format(way, "..%.*s/beam", (int)to->size, to->bytes);
}

/* In a build folder: the stock programs, and `beam.smp` and `erl`, both this program, beside it. */
static bool find_stock(Place *place) {
    OtpRoot otp;
    TEXT(folder);
    otp_root_find(&otp, NULL);
    if (otp.root == NULL || !otp_own_folder(&folder) || !is_there(&folder, "beam.smp"))
        return false;
    system_info_set_otp_root(otp.root);
    text_string(&place->root, otp.root);
    text_format(&place->bindir, "%s/erts-%s/bin", otp.root, erts_version);
    add_way(&place->emulator, &place->bindir, &folder);
    text_format(&place->program, "%.*s/erl", (int)folder.size, folder.bytes);
    return is_there(&place->bindir, "erlexec");
}

static void set(const char *name, Text *value) { setenv(name, text_cstring(value), true); }

static int run_erlexec(Place *place, char **arguments) {
    TEXT(path);
    set("ROOTDIR", &place->root);
    set("BINDIR", &place->bindir);
    set("EMU", &place->emulator);
    set("PROGNAME", &place->program);
    text_format(&path, "%s/erlexec", text_cstring(&place->bindir));
    execv(text_cstring(&path), arguments);
    fprintf(stderr, "viv: %s: %s\n", text_cstring(&path), strerror(errno));
    return 1;
}

int erl_command(char **arguments) {
    Place place;
    text_init(&place.root);
    text_init(&place.bindir);
    text_init(&place.emulator);
    text_init(&place.program);
    if (find_installed(&place) || find_stock(&place))
        return run_erlexec(&place, arguments);
    fputs("viv: `viv erl` needs an OTP root with erts-VSN/bin/erlexec (VIV_OTP_ROOT names one), and `beam.smp` beside "
          "viv\n",
          stderr);
    return 1;
}

#include "init/adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/preloaded.h"
#include "term/text.h"

/* Files in the runtime of a release. */
typedef struct {
    Text emulator, stock, program, fresh, ebin;
} Place;

static void name_file(Text *to, const char *erts, const char *file) {
    text_init(to);
    text_format(to, "%s/%s", erts, file);
    text_cstring(to);
}

static void place_init(Place *p, const char *erts) {
    name_file(&p->emulator, erts, "bin/beam.smp");
    name_file(&p->stock, erts, "bin/beam.smp.stock");
    name_file(&p->program, erts, "bin/viv");
    name_file(&p->fresh, erts, "bin/beam.smp.new");
    name_file(&p->ebin, erts, "ebin");
}

static bool complain(const char *path, const char *why) {
    fprintf(stderr, "viv: %s: %s\n", path, why);
    return false;
}
static bool fail(Text *path) { return complain(text_cstring(path), strerror(errno)); }
static bool is_there(Text *path) { return access(text_cstring(path), F_OK) == 0; }

/* --- Files -------------------------------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to, size_t size) {
    while (size > 0) {
        ssize_t n = sendfile(to, from, NULL, size);
        if (n <= 0)
            return false;
        size -= (size_t)n;
    }
    return true;
}

static bool copy_file(const char *from, const char *to, mode_t mode) {
    struct stat info;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    bool done = in >= 0 && out >= 0 && fstat(in, &info) == 0 && copy_bytes(in, out, (size_t)info.st_size);
    if (!done)
        complain(to, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return done;
}

static void remove_matching(const char *pattern) {
    glob_t files;
    if (glob(pattern, 0, NULL, &files) != 0)
        return;
    for (size_t i = 0; i < files.gl_pathc; i++)
        unlink(files.gl_pathv[i]);
    globfree(&files);
}

/* --- There -------------------------------------------------------------------------------------------------------- */

static bool copy_into(const char *folder, const char *path) {
    TEXT(to);
    text_format(&to, "%s%s", folder, strrchr(path, '/'));
    return copy_file(path, text_cstring(&to), 0644);
}

static bool copy_modules(Place *p, const glob_t *modules) {
    if (mkdir(text_cstring(&p->ebin), 0755) != 0 && errno != EEXIST)
        return fail(&p->ebin);
    for (size_t i = 0; i < modules->gl_pathc; i++)
        if (!copy_into(text_cstring(&p->ebin), modules->gl_pathv[i]))
            return false;
    return true;
}

/* The stock emulator has two names for a moment, then the first is this program's. */
static bool change_emulator(Place *p) {
    unlink(text_cstring(&p->fresh));
    if (symlink("viv", text_cstring(&p->fresh)) != 0)
        return fail(&p->fresh);
    if (link(text_cstring(&p->emulator), text_cstring(&p->stock)) != 0)
        return fail(&p->stock);
    return rename(text_cstring(&p->fresh), text_cstring(&p->emulator)) == 0 || fail(&p->emulator);
}

static bool adopt(const char *release, const char *erts) {
    Place p;
    glob_t modules;
    place_init(&p, erts);
    if (is_there(&p.stock))
        return complain(erts, "it runs on viv already");
    if (!is_there(&p.emulator))
        return fail(&p.emulator);
    if (!preloaded_find(release, strrchr(erts, '-') + 1, &modules))
        return complain(erts, "no OTP with this version of erts is installed: its modules are needed once");
    if (!copy_modules(&p, &modules) || !copy_file("/proc/self/exe", text_cstring(&p.program), 0755) ||
        !change_emulator(&p))
        return false;
    printf("%s runs on viv; `viv adopt --undo` gives its own emulator back\n", erts);
    return true;
}

/* --- And back ----------------------------------------------------------------------------------------------------- */

static bool undo(const char *release, const char *erts) {
    Place p;
    place_init(&p, erts);
    if (!is_there(&p.stock))
        return complain(erts, "it does not run on viv");
    if (rename(text_cstring(&p.stock), text_cstring(&p.emulator)) != 0)
        return fail(&p.emulator);
    unlink(text_cstring(&p.program));
    TEXT(pattern);
    text_format(&pattern, "%s/*.beam", text_cstring(&p.ebin));
    remove_matching(text_cstring(&pattern));
    rmdir(text_cstring(&p.ebin));
    printf("%s runs on its own emulator\n", erts);
    return true;
}

static int each_runtime(const char *release, bool (*act)(const char *release, const char *erts)) {
    glob_t found;
    TEXT(pattern);
    text_format(&pattern, "%s/erts-[0-9]*", release);
    if (glob(text_cstring(&pattern), 0, NULL, &found) != 0)
        return complain(release, "there is no erts-VSN in it: start it with a PATH in which `erl` is viv's") ? 0 : 1;
    bool done = true;
    for (size_t i = 0; i < found.gl_pathc; i++)
        done = act(release, found.gl_pathv[i]) && done;
    globfree(&found);
    return done ? 0 : 1;
}

int adopt_command(char **arguments) {
    bool is_undo = arguments[0] != NULL && strcmp(arguments[0], "--undo") == 0;
    const char *release = arguments[is_undo];
    if (release != NULL && release[0] != '-' && arguments[is_undo + 1] == NULL)
        return each_runtime(release, is_undo ? undo : adopt);
    fputs("usage: viv adopt [--undo] DIR\n", stderr);
    return 1;
}

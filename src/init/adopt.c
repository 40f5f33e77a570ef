#include "init/adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/preloaded.h"
#include "term/text.h"

#define EMULATOR "beam.smp"
#define COMMAND "viv"
#define MODULES "preloaded"
/* A name that gets something new: what is to have it, and what had it. */
#define NEW ".new"
#define STOCK ".stock"

static const char command_script[] = "#!/bin/sh\n"
                                     "# The program is there once, as the emulator.\n"
                                     "exec \"$(dirname \"$(readlink -f \"$0\")\")/beam.smp\" viv \"$@\"\n";

/* The runtime of a release. */
typedef struct {
    char release[PATH_MAX]; /* without links */
    const char *erts;
    bool has_modules, has_command; /* what stands under these names is ours */
} Place;

static bool complain(const char *path, const char *why) {
    fprintf(stderr, "viv: %s: %s\n", path, why);
    return false;
}
static bool fail(const char *path) { return complain(path, strerror(errno)); }

static const char *name_file(Text *path, const Place *p, const char *name, const char *suffix) {
    text_format(path, "%s/bin/%s%s", p->erts, name, suffix);
    return text_cstring(path);
}

static bool is_there(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

static bool is_adopted(const Place *p) {
    TEXT(stock);
    return is_there(name_file(&stock, p, EMULATOR, STOCK));
}

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

static bool copy_file(const char *from, const char *to) {
    struct stat info;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool done = in >= 0 && out >= 0 && fstat(in, &info) == 0 && copy_bytes(in, out, (size_t)info.st_size) &&
                fchmod(out, info.st_mode & 0777) == 0;
    if (!done)
        fail(to);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return done;
}

static bool write_script(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t size = (ssize_t)strlen(command_script);
    bool done = fd >= 0 && write(fd, command_script, (size_t)size) == size && fchmod(fd, 0755) == 0;
    if (!done)
        fail(path);
    if (fd >= 0)
        close(fd);
    return done;
}

static void remove_modules(const char *folder) {
    glob_t files;
    TEXT(pattern);
    text_format(&pattern, "%s/*.beam", folder);
    if (glob(text_cstring(&pattern), 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            unlink(files.gl_pathv[i]);
        globfree(&files);
    }
    rmdir(folder);
}

/* What is new gets the name, and what had it, if anything, has another. A file is one or the other at every moment, as
 * it has two names meanwhile; a folder cannot. */
static bool exchange(const Place *p, const char *name) {
    TEXT(path);
    TEXT(new);
    TEXT(stock);
    name_file(&path, p, name, "");
    name_file(&new, p, name, NEW);
    name_file(&stock, p, name, STOCK);
    if (link(text_cstring(&path), text_cstring(&stock)) != 0 && errno != ENOENT &&
        (errno == EEXIST || rename(text_cstring(&path), text_cstring(&stock)) != 0))
        return fail(text_cstring(&stock));
    if (rename(text_cstring(&new), text_cstring(&path)) == 0)
        return true;
    fail(text_cstring(&path));
    rename(text_cstring(&stock), text_cstring(&path));
    unlink(text_cstring(&stock)); /* or they are one file, and nothing was renamed */
    return false;
}

/* Gives the name back to what had it; false: nothing had. */
static bool restore(const Place *p, const char *name) {
    TEXT(path);
    TEXT(stock);
    name_file(&path, p, name, "");
    name_file(&stock, p, name, STOCK);
    return rename(text_cstring(&stock), text_cstring(&path)) == 0;
}

/* --- Links that lead out of the release: on another machine there is nothing where they lead to. ------------------ */

static bool leads_out(const Place *p, const char *link) {
    char target[PATH_MAX];
    size_t length = strlen(p->release);
    return realpath(link, target) == NULL || strncmp(target, p->release, length) != 0 || target[length] != '/';
}

static bool is_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), least = strlen(end);
    return length > least && strcmp(name + length - least, end) == 0;
}

/* All that is in erts-VSN/bin. */
static bool each_program(Place *p, bool (*act)(Place *p, const char *path, const char *name)) {
    glob_t files;
    TEXT(pattern);
    if (glob(name_file(&pattern, p, "*", ""), 0, NULL, &files) != 0)
        return true;
    bool done = true;
    for (size_t i = 0; i < files.gl_pathc && done; i++)
        done = act(p, files.gl_pathv[i], strrchr(files.gl_pathv[i], '/') + 1);
    globfree(&files);
    return done;
}

static bool bring_in(Place *p, const char *path, const char *name) {
    TEXT(new);
    struct stat target;
    if (strcmp(name, EMULATOR) == 0 || strcmp(name, COMMAND) == 0 || !is_link(path) || !leads_out(p, path) ||
        stat(path, &target) != 0 || !S_ISREG(target.st_mode))
        return true;
    return copy_file(path, name_file(&new, p, name, NEW)) && exchange(p, name);
}

static bool let_out(Place *p, const char *path, const char *name) {
    TEXT(before);
    if (!is_link(path) || !ends_with(name, STOCK))
        return true;
    text_bytes(&before, name, strlen(name) - strlen(STOCK));
    if (strcmp(text_cstring(&before), EMULATOR) != 0 && strcmp(text_cstring(&before), COMMAND) != 0)
        restore(p, text_cstring(&before));
    return true;
}

/* Those that are left, which are the release's own matter. */
static void tell_links(Place *p) {
    enum { SHOWN = 10 };
    char *folders[] = {p->release, NULL}, target[PATH_MAX];
    int found = 0;
    FTS *walk = fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        if ((entry->fts_info != FTS_SL && entry->fts_info != FTS_SLNONE) || ends_with(entry->fts_name, STOCK) ||
            !leads_out(p, entry->fts_path) || found++ >= SHOWN)
            continue;
        ssize_t size = readlink(entry->fts_path, target, sizeof target);
        fprintf(stderr, "viv: %s leads out of the release, to %.*s: another machine may have nothing there\n",
                entry->fts_path, (int)(size < 0 ? 0 : size), target);
    }
    if (walk != NULL)
        fts_close(walk);
    if (found > SHOWN)
        fprintf(stderr, "viv: so do %d more links\n", found - SHOWN);
}

/* --- There -------------------------------------------------------------------------------------------------------- */

static bool copy_into(const char *folder, const char *path) {
    TEXT(to);
    text_format(&to, "%s%s", folder, strrchr(path, '/'));
    return copy_file(path, text_cstring(&to));
}

static bool bring_modules(Place *p, const glob_t *modules) {
    TEXT(new);
    const char *folder = name_file(&new, p, MODULES, NEW);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return fail(folder);
    for (size_t i = 0; i < modules->gl_pathc; i++)
        if (!copy_into(folder, modules->gl_pathv[i]))
            return false;
    return p->has_modules = exchange(p, MODULES);
}

static bool bring_emulator(Place *p) {
    TEXT(new);
    return copy_file("/proc/self/exe", name_file(&new, p, EMULATOR, NEW)) && exchange(p, EMULATOR);
}

static bool bring_command(Place *p) {
    TEXT(new);
    return write_script(name_file(&new, p, COMMAND, NEW)) && (p->has_command = exchange(p, COMMAND));
}

/* The command before the emulator, which may have been a link to it. */
static void give_back(Place *p) {
    TEXT(command);
    TEXT(modules);
    TEXT(new);
    each_program(p, let_out);
    if (p->has_command && !restore(p, COMMAND))
        unlink(name_file(&command, p, COMMAND, ""));
    restore(p, EMULATOR);
    if (p->has_modules) {
        remove_modules(name_file(&modules, p, MODULES, ""));
        restore(p, MODULES);
    }
    remove_modules(name_file(&new, p, MODULES, NEW));
}

static bool remove_new(Place *p, const char *path, const char *name) {
    if (ends_with(name, NEW))
        unlink(path);
    return true;
}

/* A link would have the runtime of others changed. */
static bool is_its_own(const Place *p) {
    char bin[PATH_MAX];
    TEXT(path);
    TEXT(own);
    text_format(&own, "%s%s/bin", p->release, strrchr(p->erts, '/'));
    if (realpath(name_file(&path, p, "", ""), bin) == NULL)
        return fail(text_cstring(&path));
    return strcmp(bin, text_cstring(&own)) == 0 || complain(p->erts, "it is a link to a runtime elsewhere");
}

static bool adopt(Place *p) {
    glob_t modules;
    TEXT(bin);
    TEXT(emulator);
    if (is_adopted(p))
        return complain(p->erts, "it runs on viv already");
    if (!is_its_own(p))
        return false;
    if (access(name_file(&emulator, p, EMULATOR, ""), F_OK) != 0)
        return fail(text_cstring(&emulator));
    text_format(&bin, "%s/bin", p->erts);
    if (!preloaded_find(p->release, text_cstring(&bin), strrchr(p->erts, '-') + 1, &modules))
        return complain(p->erts, "no OTP with this version of erts is installed: its modules are needed once");
    bool done = each_program(p, bring_in) && bring_modules(p, &modules) && bring_emulator(p) && bring_command(p);
    globfree(&modules);
    if (!done) {
        give_back(p);
        each_program(p, remove_new);
        return false;
    }
    printf("%s runs on viv; `viv adopt --undo` gives its own emulator back\n", p->erts);
    tell_links(p);
    return true;
}

/* --- And back ----------------------------------------------------------------------------------------------------- */

static bool undo(Place *p) {
    TEXT(ebin);
    if (!is_adopted(p))
        return complain(p->erts, "it does not run on viv");
    p->has_modules = p->has_command = true;
    give_back(p);
    text_format(&ebin, "%s/ebin", p->erts); /* where the first versions had the modules */
    remove_modules(text_cstring(&ebin));
    printf("%s runs on its own emulator\n", p->erts);
    return true;
}

static int each_runtime(const char *release, bool (*act)(Place *p)) {
    glob_t found;
    Place p = {0};
    TEXT(pattern);
    text_format(&pattern, "%s/erts-[0-9]*", release);
    if (realpath(release, p.release) == NULL || glob(text_cstring(&pattern), 0, NULL, &found) != 0)
        return complain(release, "there is no erts-VSN in it: start it with a PATH in which `erl` is viv's") ? 0 : 1;
    bool done = true;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        p.erts = found.gl_pathv[i];
        p.has_modules = p.has_command = false;
        done = act(&p) && done;
    }
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

#include "init/otp_root.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "term/text.h"

const char *const otp_usual_places[OTP_USUAL_PLACES] = {"/usr/lib/erlang", "/usr/local/lib/erlang", "/usr/lib64/erlang",
                                                        "/opt/erlang/lib/erlang"};

/* A root is where the standard library is, in whatever version. */
static bool is_root(const char *directory) {
    char pattern[4096];
    glob_t matches;
    int length = snprintf(pattern, sizeof pattern, "%s/lib/stdlib-*/ebin/lists.beam", directory);
    if (length < 0 || (size_t)length >= sizeof pattern || glob(pattern, GLOB_NOSORT, NULL, &matches) != 0)
        return false;
    globfree(&matches);
    return true;
}

bool otp_own_folder(Text *folder) {
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    if (size <= 0 || size == sizeof path)
        return false;
    while (size > 0 && path[size - 1] != '/')
        size--;
    text_bytes(folder, path, (size_t)size - 1);
    return true;
}

/* The program may change its current directory. Symbolic links stay as they are, as in paths of the stock runtime. */
static const char *absolute(const char *path) {
    static char whole[4096];
    if (path[0] == '/' || getcwd(whole, sizeof whole) == NULL)
        return path;
    size_t length = strlen(whole);
    int added = snprintf(whole + length, sizeof whole - length, "/%s", path);
    return added > 0 && (size_t)added < sizeof whole - length ? whole : path;
}

static bool try_place(OtpRoot *found, const char *directory) {
    found->searched[found->searched_count++] = directory;
    if (!is_root(directory))
        return false;
    found->root = directory;
    return true;
}

/* The root that this program is the emulator of: it lies in ROOT/erts-VSN/bin. */
static bool is_installed(const char **root) {
    static char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size < 0 ? 0 : size] = '\0';
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    *root = is_root(path) ? path : NULL;
    return *root != NULL;
}

void otp_root_find(OtpRoot *found, const char *option) {
    *found = (OtpRoot){0};
    const char *given = option != NULL ? option : getenv("VIV_OTP_ROOT");
    if (given != NULL && given[0] != '\0') {
        found->is_explicit = true;
        try_place(found, absolute(given));
        return;
    }
    if (is_installed(&found->root))
        return;
    for (size_t i = 0; i < OTP_USUAL_PLACES; i++)
        if (try_place(found, otp_usual_places[i]))
            return;
}

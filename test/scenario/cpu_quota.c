/* Loaded before the C library: the files that tell of control groups are those below FAKE_GROUPS instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int OpenNumber(const char *path, int flags, ...);
typedef FILE *Open(const char *path, const char *mode);

static const char *place_of(const char *path, char *text, size_t size) {
    static const char *const prefixes[] = {"/proc/self/mountinfo", "/proc/self/cgroup", "/sys/fs/cgroup"};
    const char *folder = getenv("FAKE_GROUPS");
    for (size_t i = 0; folder != NULL && i < 3; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) {
            snprintf(text, size, "%s%s", folder, path);
            return text;
        }
    return path;
}

static FILE *open_there(const char *path, const char *mode, const char *name) {
    char text[4096];
    return ((Open *)dlsym(RTLD_NEXT, name))(place_of(path, text, sizeof text), mode);
}

FILE *fopen(const char *path, const char *mode) { return open_there(path, mode, "fopen"); }
FILE *fopen64(const char *path, const char *mode) { return open_there(path, mode, "fopen64"); }

/* Stock looks so for what version 2 counts. */
int open(const char *path, int flags, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    return ((OpenNumber *)dlsym(RTLD_NEXT, "open"))(place_of(path, text, sizeof text), flags, mode);
}

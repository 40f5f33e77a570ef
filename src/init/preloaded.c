#include "init/preloaded.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/alloc.h"
#include "code/module.h"
#include "loader/prepare.h"
#include "sys/file.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/text.h"

/* The contents of a file, ALLOC_TEMP; NULL: it cannot be read. */
static uint8_t *read_whole(const char *path, size_t *size) {
    int fd;
    struct stat info;
    if (file_open(path, FILE_READ, &fd) != 0)
        return NULL;
    uint8_t *bytes = NULL;
    if (fstat(fd, &info) == 0) {
        bytes = mem_alloc(ALLOC_TEMP, (size_t)info.st_size + 1);
        if (file_read(fd, -1, bytes, (size_t)info.st_size, size) != 0) {
            mem_free(ALLOC_TEMP, bytes);
            bytes = NULL;
        }
    }
    file_close(fd);
    return bytes;
}

static _Noreturn void refuse(const char *path, const char *why) {
    fprintf(stderr, "viv: %s: %s\n", path, why);
    exit(1);
}

static void load_file(const char *path) {
    size_t size;
    char detail[200];
    const char *base = strrchr(path, '/') + 1;
    uint8_t *bytes = read_whole(path, &size);
    if (bytes == NULL)
        refuse(path, "cannot be read");
    TEXT(name);
    text_bytes(&name, base, strlen(base) - strlen(".beam"));
    ModuleInstance *m = module_prepare(atom_from_cstring(text_cstring(&name)), bytes, size, detail, sizeof detail);
    if (m == NULL)
        refuse(path, detail);
    code_stage_instance(m);
    mem_free(ALLOC_TEMP, bytes);
}

/* False: there are none. */
static bool load_matching(const char *pattern) {
    glob_t files;
    if (glob(pattern, 0, NULL, &files) != 0)
        return false;
    code_stage_begin();
    for (size_t i = 0; i < files.gl_pathc; i++)
        load_file(files.gl_pathv[i]);
    code_commit();
    globfree(&files);
    return true;
}

/* Where a release has no library `erts`, an installed OTP of the same version may have it. */
static const char *const usual_places[] = {"/usr/lib/erlang", "/usr/local/lib/erlang", "/usr/lib64/erlang",
                                           "/opt/erlang/lib/erlang"};

static bool load_from(const char *root) {
    TEXT(pattern);
    text_format(&pattern, "%s/lib/erts-%s/ebin/*.beam", root, erts_version);
    return load_matching(text_cstring(&pattern));
}

/* Beside the programs of this version: where `viv adopt` puts them. */
static bool load_from_beside(const char *bindir) {
    TEXT(pattern);
    text_format(&pattern, "%s/../ebin/*.beam", bindir);
    return load_matching(text_cstring(&pattern));
}

void preloaded_load(const char *root, const char *bindir) {
    if ((root != NULL && load_from(root)) || (bindir != NULL && load_from_beside(bindir)))
        return;
    for (size_t i = 0; i < array_length(usual_places); i++)
        if (load_from(usual_places[i]))
            return;
    refuse(root != NULL ? root : "no -root", "no lib/erts-VSN/ebin with the modules of the stock runtime");
}

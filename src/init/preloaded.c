#include "init/preloaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/alloc.h"
#include "alloc/pages.h"
#include "code/module.h"
#include "init/otp_root.h"
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
        pages_fetch_within(bytes, (size_t)info.st_size);
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

static void load_all(const glob_t *files) {
    code_stage_begin();
    for (size_t i = 0; i < files->gl_pathc; i++)
        load_file(files->gl_pathv[i]);
    code_commit();
}

/* --- Where they are ----------------------------------------------------------------------------------------------- */

static bool find_in_library(const char *root, const char *version, glob_t *files) {
    TEXT(pattern);
    text_format(&pattern, "%s/lib/erts-%s/ebin/*.beam", root, version);
    return glob(text_cstring(&pattern), 0, NULL, files) == 0;
}

static bool find_beside(const char *bindir, glob_t *files) {
    TEXT(pattern);
    text_format(&pattern, "%s/preloaded/*.beam", bindir);
    return glob(text_cstring(&pattern), 0, NULL, files) == 0;
}

/* This program may be that of an installed root, or of a release. */
static bool find_beside_oneself(const char *version, glob_t *files) {
    TEXT(bindir);
    if (!otp_own_folder(&bindir))
        return false;
    text_format(&bindir, "/../../erts-%s/bin", version);
    return find_beside(text_cstring(&bindir), files);
}

bool preloaded_find(const char *root, const char *bindir, const char *version, glob_t *files) {
    const char *variable = getenv("VIV_OTP_ROOT");
    if (root != NULL && find_in_library(root, version, files))
        return true;
    if (find_beside(bindir, files))
        return true;
    if (variable != NULL && find_in_library(variable, version, files))
        return true;
    for (size_t i = 0; i < array_length(otp_usual_places); i++)
        if (find_in_library(otp_usual_places[i], version, files))
            return true;
    return find_beside_oneself(version, files);
}

void preloaded_load(const char *root, const char *bindir) {
    glob_t files;
    if (!preloaded_find(root, bindir, erts_version, &files))
        refuse(root != NULL ? root : "no -root",
               "neither lib/erts-VSN/ebin nor erts-VSN/bin/preloaded with the modules of the stock runtime");
    load_all(&files);
    globfree(&files);
}

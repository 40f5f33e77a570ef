/*
 * File names on their way between Erlang and the system. Erlang names are lists of characters, or binaries that are
 * taken as they are; native names (sys/native_text.h) end with NUL where they are handed to the system.
 * Source: file(3), "Unicode in file names".
 */
#ifndef VIV_BIF_LIBRARY_FILE_NAME_H
#define VIV_BIF_LIBRARY_FILE_NAME_H

#include "process/process.h"

/* A native name that was made by internal_name2native: text is NULL when the term is none. Release in any case. */
typedef struct {
    const char *text;
    uint8_t *copy;
} FileName;
FileName file_name_take(Term native);
void file_name_release(FileName *name);
#define FILE_NAME(variable, term) FileName variable __attribute__((cleanup(file_name_release))) = file_name_take(term)

#endif

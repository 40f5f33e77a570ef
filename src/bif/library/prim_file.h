/*
 * What the two halves of prim_file's natives share: handles (prim_file.c) and names (prim_file_names.c) both answer
 * with information about files. It is built in the process's area, by its own thread.
 */
#ifndef VIV_BIF_LIBRARY_PRIM_FILE_H
#define VIV_BIF_LIBRARY_PRIM_FILE_H

#include "process/process.h"
#include "sys/file.h"

/* #file_info{} as prim_file makes it into the user's, times in seconds since 1970. */
Term prim_file_info_tuple(Process *p, const FileInfo *info);

/* A descriptor of the caller's own for a file of p's. -1: it is closed, or another's; -2: it is no file. */
int prim_file_duplicate(Process *p, Term file);

/* An exit handler: files whose owner ends are closed. */
bool prim_file_process_exit(Process *p, int64_t *reductions);

#endif

/*
 * What the two halves of prim_file's natives share.
 */
#ifndef VIV_BIF_PRIM_FILE_H
#define VIV_BIF_PRIM_FILE_H

#include "process/process.h"
#include "sys/file.h"

/* #file_info{} as prim_file makes it into the user's, times in seconds since 1970. */
Term prim_file_info_tuple(Process *p, const FileInfo *info);

#endif

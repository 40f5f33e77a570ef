/*
 * The modules that the stock runtime has within itself (loader/stock_modules.h): here they are files of the OTP that is
 * booted, or of one of the same version that is installed on this machine, where a release has left them out.
 */
#ifndef VIV_INIT_PRELOADED_H
#define VIV_INIT_PRELOADED_H

#include <glob.h>

#include "base/defs.h"

/* Their files, in a library of a root or, where it has none, of an OTP of the same version; the caller frees the list
 * (globfree). False: there are none. `root` may be NULL. */
bool preloaded_find(const char *root, const char *version, glob_t *files);
/* Loads them all, before any process runs. `root` may be NULL. Ends the program where they are nowhere. */
void preloaded_load(const char *root, const char *bindir);

#endif

/*
 * The modules that the stock runtime has within itself (loader/stock_modules.h): here they are files, in this order
 *
 *   of the library erts of the OTP that is booted, which is the stock one's in an installed root: it is of the same
 *     build as the libraries beside it, even when the system has since been updated;
 *   in the folder `preloaded` beside the programs of the runtime, erts-VSN/bin. Releases have no library erts, and all
 *     that make them (mix, systools, relx) copy this folder as it is, for stock's modules come with its emulator;
 *   of an OTP of the same version that is installed on this machine.
 */
#ifndef VIV_INIT_PRELOADED_H
#define VIV_INIT_PRELOADED_H

#include <glob.h>

#include "base/defs.h"

/* Their files; the caller frees the list (globfree). False: there are none. `root` may be NULL. */
bool preloaded_find(const char *root, const char *bindir, const char *version, glob_t *files);
/* Loads them all, before any process runs. `root` may be NULL. Ends the program where they are nowhere. */
void preloaded_load(const char *root, const char *bindir);

#endif

/*
 * The modules that the stock runtime has within itself (loader/stock_modules.h): here they are files of the OTP that is
 * booted, or of one of the same version that is installed on this machine, where a release has left them out.
 */
#ifndef VIV_INIT_PRELOADED_H
#define VIV_INIT_PRELOADED_H

#include "base/defs.h"

/* Loads them all, before any process runs. Either may be NULL. Ends the program where they are nowhere. */
void preloaded_load(const char *root, const char *bindir);

#endif

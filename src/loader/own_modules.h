/*
 * The runtime's own modules, lib/: those that are loaded before anything runs, from within the program. A node loads
 * more of them than `viv run`, but not error_handler: that is kernel's there, which the boot script loads.
 */
#ifndef VIV_LOADER_OWN_MODULES_H
#define VIV_LOADER_OWN_MODULES_H

#include <stdbool.h>

#include "lib_beams.h"

/* Once, by the main thread, while nobody runs: there is no permission to take and no thread progress to wait for. */
void own_modules_load(bool for_node);
/* Is it one of those that own_modules_load has loaded? For anybody, afterwards. */
bool own_module_was_first(const LibBeam *beam);

#endif

/*
 * Preparing a module: from the bytes of a BEAM file to a ModuleInstance that only needs to be published.
 *
 * Nothing that running code can see changes, besides new atoms and new export and fun entries that lead to the error
 * handler. Takes no lock for longer than an entry takes; any number of threads prepare at once. Publishing is
 * code/module.h's.
 */
#ifndef VIV_LOADER_PREPARE_H
#define VIV_LOADER_PREPARE_H

#include "code/module.h"

struct Listing; /* loader/listing.h */

/*
 * NULL: the file is refused (badfile), and `detail` holds one line that says why. `name` is the module that the file
 * must hold. `bytes` may go away afterwards. The instance is the caller's until it is published.
 */
ModuleInstance *module_prepare(Term name, const uint8_t *bytes, size_t size, char *detail, size_t detail_size);
/* The same; what became of each instruction is put into the listing, if the file is good. */
ModuleInstance *module_prepare_listed(Term name, const uint8_t *bytes, size_t size, char *detail, size_t detail_size,
                                      struct Listing *listing);
/* Of one that was never published, or that nothing can reach any more. */
void module_instance_free(ModuleInstance *instance);

#endif

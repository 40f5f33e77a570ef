/*
 * Functions that stock modules only declare, for the runtime to provide: their body calls erlang:nif_error(undefined)
 * or (undef). One that this runtime does not have must be undefined, with its name, rather than fail inside.
 */
#ifndef VIV_LOADER_NATIVES_H
#define VIV_LOADER_NATIVES_H

#include "code/module.h"
#include "loader/generic.h"

/* Exports of such functions lose their address. The exports of both are in the same order. */
void natives_leave_out_missing(ModuleInstance *m, const GenericModule *module);

/* Are there built-in functions of a module of this name? */
bool natives_are_in(Term module);

#endif

/*
 * Options of libraries, and the end of the runtime as they see it. Source: erl_nif(3) enif_set_option.
 *
 * A library says while it is being loaded what it wants: to be told of the halt (on_halt), or that the halt waits for
 * the calls that are in it (delay_halt). Calls into the latter are counted in NifLibrary.running; the halt first says
 * so (a call that begins later never does, its thread sleeps until the end), then waits for the count. Both are
 * sequentially consistent, so either the halt sees the call or the call sees the halt.
 */
#ifndef VIV_NIF_OPTION_H
#define VIV_NIF_OPTION_H

#include "nif/library.h"

/* Around a call into a library that delays the halt. */
void nif_counted_begin(NifLibrary *library);
void nif_counted_end(NifLibrary *library);
/* By the one who is about to end the program in an orderly way. It comes back when all libraries agree. */
void nif_halt(void);

#endif

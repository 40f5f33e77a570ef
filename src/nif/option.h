/*
 * Options of libraries, and the end of the runtime as they see it. Source: erl_nif(3) enif_set_option.
 *
 * A library says while it is being loaded what it wants, each once: to be told of the halt (on_halt), that the halt
 * waits for the calls that are in it (delay_halt), or to be told by every scheduler thread when it goes
 * (on_unload_thread: nif/library.h). Calls into one that delays the halt are counted in NifLibrary.running; the halt
 * first says so (a call that begins later never does, its thread sleeps until the end), then waits for the count. Both
 * are sequentially consistent, so either the halt sees the call or the call sees the halt.
 */
#ifndef VIV_NIF_OPTION_H
#define VIV_NIF_OPTION_H

#include "nif/library.h"

/* Around a call into a library that delays the halt. */
void nif_counted_begin(NifLibrary *library);
void nif_counted_end(NifLibrary *library);
/* By one who is about to end the program in an orderly way, and waits for calls for at most so many milliseconds
 * (negative: for as long as it takes). Libraries are told once: where another came before, he ends the program. */
typedef enum { HALT_AGREED, HALT_IN_VAIN, HALT_IS_ANOTHERS } NifHalt;
must_check NifHalt nif_halt(int64_t milliseconds);

#endif

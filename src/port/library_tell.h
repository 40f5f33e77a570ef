/*
 * Monitors of driver libraries: who is told what. With drivers_lock. Source: erl_ddll(3) monitor/2.
 */
#ifndef VIV_PORT_LIBRARY_TELL_H
#define VIV_PORT_LIBRARY_TELL_H

#include "port/library.h"

/* {Kind, Ref, driver, Name, What} to all who await that (AWAIT_UNLOADED: of either sort); their monitors are over. */
void library_tell(DriverLibrary *library, LibraryAwait await, Term kind, Term what);
/* It could not be opened: `why` as library_file_open says it. */
void library_tell_failure(DriverLibrary *library, Term why);
/* It has a user again: who has asked for nothing but its end waits on. */
void library_tell_cancelled(DriverLibrary *library);
/* Those of one process; of one key, unless that is 0. */
void library_forget_monitors(DriverLibrary *library, Term pid, uint64_t key);
/* [{Pid, N}] */
Term library_awaiting(const DriverLibrary *library, bool load, Area *area);

#endif

/*
 * Shared objects that hold drivers: how they are opened, checked and closed. No lock held; may take its time. Source:
 * erl_ddll(3) load/2, format_error/1; erl_driver(3) "Version management".
 */
#ifndef VIV_PORT_LIBRARY_FILE_H
#define VIV_PORT_LIBRARY_FILE_H

#include "port/driver.h"
#include "term/term.h"

/* The entry of the driver `name` in path/name.so, whose `init` has been called. NULL: `*why` is an atom, or the small
 * number of an open_error. */
const ErlDrvEntry *library_file_open(const char *path, const char *name, void **handle, Term *why);
/* Calls `finish`; the entry is not there any more then. */
void library_file_close(const ErlDrvEntry *entry, void *handle);
/* What an open_error says. */
const char *library_open_error_text(int64_t number);

#endif

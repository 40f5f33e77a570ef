/*
 * The end of the runtime, as ports see it: what their drivers have queued is written first. Source: erlang(3) halt/2,
 * `flush`.
 *
 * Each port is told by a signal, behind those that the caller has sent it before. One with an empty queue has done its
 * part; others take no more bytes, and have when theirs is empty, or when they end.
 */
#ifndef VIV_PORT_HALT_H
#define VIV_PORT_HALT_H

#include "base/defs.h"

/* By one thread that runs no port, once. Sleeps until all have, or until that time (clock_monotonic; negative: for as
 * long as it takes). False: not all have. */
bool ports_write_all(int64_t until);
/* By the one thread that goes on when the runtime crashes: drivers that have said so undo what must not be left behind.
 * Source: driver_entry(3), emergency_close. */
void ports_emergency_close(void);

#endif

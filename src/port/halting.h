/*
 * How many ports still write, of those that were told that the runtime ends (port/halt.h).
 *
 * Each is counted by who tells it, before he does, and counted out once, by the thread that runs it.
 */
#ifndef VIV_PORT_HALTING_H
#define VIV_PORT_HALTING_H

#include "port/port.h"

void halting_count(void);
void halting_count_out(void);
/* By one thread. Until all are counted out; false: it is that time (clock_monotonic; negative: none). */
bool halting_wait(int64_t until);

/* By the thread that runs the port: its queue may be empty now, or it has ended. */
void port_halt_look(Port *port, bool has_ended);

#endif

/*
 * driver_select: ports that wait for descriptors. Source: erl_driver(3).
 *
 * The entry of a descriptor (process/fd_table.h) says which port has it, and what that waits for. The descriptor is
 * armed for what is waited for and not on its way: when something has come, the poller sends the port a signal,
 * which lies in the entry; the port calls its driver, and arms the descriptor again if it is still waited for. So a
 * port that does not get to read costs nothing: its descriptor is not armed meanwhile.
 *
 * A port's list of its descriptors is under one lock for all (LOCK_PORT_SELECT_LISTS), as others steal them. A port
 * gives up all that it has before it goes, so what the poller finds there is alive. Of a signal that is on its way
 * when the port gives the descriptor up nothing comes; `stop_select` is called at once, as the poller never
 * touches a descriptor.
 */
#ifndef VIV_PORT_SELECT_H
#define VIV_PORT_SELECT_H

#include "port/port.h"

/* By the port's callback. As driver_select says: 0, or -1; errno is EBADF where it is none and this has been reported,
 * else why the system watches it not (epoll_ctl(2)): the port has given it up then, in both directions. */
int port_select(Port *port, ErlDrvEvent event, int mode, int on);
/* By the port's callback for what can be read, of a descriptor that it has selected: it has not read all that there
 * is. It is called again without the system's being asked. */
void port_select_more(const Port *port, ErlDrvEvent event);
/* Descriptors that ports have selected now. */
size_t port_select_count(void);
/* By the port, at its end: gives up what it still has. */
void port_select_end(Port *port);

/* By who waits for descriptors: what has happened to one armed here (sys/fd_poll.h). */
void port_select_ready(uint64_t key, unsigned events);

#endif

/*
 * Port data locks: with one, other threads may use the queue of a port, too, which hold it meanwhile. So does the
 * runtime, whatever it does with the queue itself. Source: erl_driver(3) ErlDrvPDL, driver_pdl_create.
 *
 * The port has one count until it is gone, and drivers theirs; so has who holds the lock, and each driver_async from
 * its call to its end. As long as there is one the port's memory is held: a driver's thread that has a count finds of a
 * port that is gone that it is so, and may ask nothing else of it. Without a rank: what is taken while the lock is held
 * is the driver's affair, and the runtime takes nothing then.
 */
#ifndef VIV_PORT_DATA_LOCK_H
#define VIV_PORT_DATA_LOCK_H

#include "port/port.h"

/* Bytes in the queue, by the port. */
size_t port_queue_bytes(const Port *port);
/* The same, and its arrays. */
size_t port_queue_memory(const Port *port);
/* The binary of each part of the queue, by the port: it may look at it, no more. */
void port_queue_each(const Port *port, void (*each)(RefcBinary *binary, void *data), void *data);
/* When the port is gone: frees what is in it, and gives the port's count of the lock back. */
void port_queue_release(Port *port);

#endif

/*
 * The drivers `spawn`, `fd` and `vanilla` (a file): a port that reads one descriptor and writes another, or the same.
 * Source: erlang(3) open_port/2; that a name alone opens a file is told nowhere, and used by the stock runtime's tests.
 */
#ifndef VIV_PORT_FD_DRIVER_H
#define VIV_PORT_FD_DRIVER_H

#include "port/child_end.h"

/* With what they are started. */
struct PortStart {
    int read_fd, write_fd; /* -1: none */
    ChildId child;         /* CHILD_NONE: it runs no program */
    int64_t pid;
    int child_status;      /* the same: with what that would have ended */
};

/* A packet of these bytes, written at once: for the one thread that goes on when the runtime crashes. Nothing, where
 * the port is of no driver of these, or something is queued. */
void fd_driver_tell_now(const Port *port, const uint8_t *bytes, size_t count);

extern const ErlDrvEntry spawn_driver, fd_driver, file_driver;

#endif

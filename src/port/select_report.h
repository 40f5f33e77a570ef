/*
 * What is reported of drivers that select descriptors as they should not, in the words of the stock runtime. By the
 * thread that runs the port, no lock held, but for the first.
 */
#ifndef VIV_PORT_SELECT_REPORT_H
#define VIV_PORT_SELECT_REPORT_H

#include "port/port.h"
#include "process/fd_table.h"

/* A call of driver_select. */
typedef struct {
    const Port *port;
    int fd, mode, on;
} SelectCall;

/* Who had it. Under the lock of the descriptor, whose this port is. `events`: FD_READ, FD_WRITE. */
void select_put_loser(Text *to, const Port *port, unsigned events);
/* Nothing, if nothing was. */
void select_report_stolen(const SelectCall *call, FdLoss *loss);
void select_report_too_large(const SelectCall *call);
void select_report_bad(const Port *port, int fd, unsigned events);
void select_report_no_callback(const Port *port, bool is_input);
void select_report_no_stop(int fd);
/* The port has ended. */
void select_report_left(const Port *port);

#endif

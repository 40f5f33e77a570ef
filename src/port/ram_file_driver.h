/*
 * The driver ram_file_drv: a file in memory, which the process that has the port reads and writes. Source: what the
 * module ram_file asks of it (file(3) open/2, mode `ram`).
 *
 * A command is a byte that says what is wanted, and arguments, integers of 32 bits, the highest byte first. Each is
 * answered, as a message to the port's owner: done, a number, data, or the name of an error. Commands that are unknown
 * are not answered.
 */
#ifndef VIV_PORT_RAM_FILE_DRIVER_H
#define VIV_PORT_RAM_FILE_DRIVER_H

#include "port/driver.h"

extern const ErlDrvEntry ram_file_driver;

#endif

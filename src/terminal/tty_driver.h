/*
 * The driver tty_sl, which the shell of OTP 25 edits its lines with. Source: what user_drv asks of it.
 *
 * Commands begin with a byte: characters to put, to insert, to delete, to move by; a beep; or characters to put of
 * which the answer {Port, ok} says that they have been written. port_control tells the window's size, and whether the
 * terminal's characters are Unicode. Input comes as UTF-8. One port at a time; the terminal is this one's until it
 * ends.
 */
#ifndef VIV_TERMINAL_TTY_DRIVER_H
#define VIV_TERMINAL_TTY_DRIVER_H

#include "port/driver.h"

extern const ErlDrvEntry tty_driver;

#endif

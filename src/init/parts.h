/*
 * The start of the runtime's parts, in order of their floors, and the one place where the hook tables are filled.
 *
 * In this order, by the main thread: parts_init; modules are loaded; the first processes are spawned; parts_start.
 */
#ifndef VIV_INIT_PARTS_H
#define VIV_INIT_PARTS_H

#include "init/settings.h"

/* Until the first module. `root`: of OTP, or NULL. */
void parts_init(const Settings *settings, const char *root);
/* The threads begin, and the door is opened. The main thread has nothing more to do (schedulers_wait). */
void parts_start(const Settings *settings);

#endif

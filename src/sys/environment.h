/*
 * C's environment variables have no lock of their own. Ours guards them among the runtime's own calls: getenv, setenv,
 * unsetenv, environ and what they lead to are touched under it only.
 */
#ifndef VIV_SYS_ENVIRONMENT_H
#define VIV_SYS_ENVIRONMENT_H

#include "sys/thread.h"

extern Mutex environment_lock;

#endif

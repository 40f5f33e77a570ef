/*
 * Monitors of resources on processes.
 *
 * A monitor is active from enif_monitor_process until the process ends, enif_demonitor_process, or the end of the
 * resource, whichever takes it out of the resource's list first, under the list's lock: so `down` is called once at
 * most, and never after a demonitor that succeeded. It is counted by the list (while active) and by the watched process
 * (process/monitor.h: NativeWatch). While `down` runs it holds a count of the resource.
 */
#ifndef VIV_NIF_MONITOR_H
#define VIV_NIF_MONITOR_H

#include "nif/resource.h"

/* The resource's last count is gone: none of its monitors is active any more. Any thread. The destructor may still end
 * them, in vain, and make some. */
void nif_monitors_end(NifResource *resource);
/* After the destructor: with those that it has made, which cannot have fired. */
void nif_monitors_release(NifResource *resource);

#endif

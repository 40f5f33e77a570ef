#include "port/watch.h"

#include <string.h>

#include "port/callback.h"
#include "port/trace.h"
#include "process/message.h"
#include "process/monitor.h"

static void describe(ErlDrvMonitor *to, uint64_t key) {
    memset(to, 0, sizeof *to);
    memcpy(to->data, &key, sizeof key);
}

uint64_t port_watch_key(const ErlDrvMonitor *monitor) {
    uint64_t key;
    memcpy(&key, monitor->data, sizeof key);
    return key;
}

/* The monitor is there while the callback runs: the driver may ask who it was. */
void port_watch_down(Port *port, Message *down) {
    ErlDrvMonitor monitor;
    uint64_t key = down->key;
    message_free(down);
    if (!port_is_served(port) || !is_value(monitor_target(&port->actor, key)))
        return;
    describe(&monitor, key);
    port_trace_in(port, PORT_OWN_WORK);
    port_callback_begin(port);
    port->driver->entry->process_exit(port->data, &monitor);
    port_callback_end(port);
    port_trace_out(port, PORT_OWN_WORK);
    (void)monitor_remove(&port->actor, key);
}

int driver_monitor_process(ErlDrvPort handle, ErlDrvTermData pid, ErlDrvMonitor *monitor) {
    Port *port = (Port *)handle;
    if (port->driver->entry->process_exit == NULL)
        return -1;
    uint64_t key = monitor_by_actor(&port->actor, pid);
    if (key != 0)
        describe(monitor, key);
    return key != 0 ? 0 : 1;
}

int driver_demonitor_process(ErlDrvPort handle, const ErlDrvMonitor *monitor) {
    return monitor_remove(&((Port *)handle)->actor, port_watch_key(monitor)) != MONITOR_ABSENT ? 0 : 1;
}

ErlDrvTermData driver_get_monitored_process(ErlDrvPort handle, const ErlDrvMonitor *monitor) {
    Term pid = monitor_target(&((Port *)handle)->actor, port_watch_key(monitor));
    return is_value(pid) ? pid : NIL;
}

int driver_compare_monitors(const ErlDrvMonitor *a, const ErlDrvMonitor *b) { return memcmp(a, b, sizeof *a); }

#include "port/driver_use.h"

#include "port/library.h"
#include "port/port.h"

/* With the lock. */
static Driver *used(Driver *d, bool is_port) {
    if (d == NULL)
        return NULL;
    atomic_fetch_add(&d->count, 1);
    if (d->library != NULL)
        library_use_locked(d->library, is_port);
    return d;
}

Driver *driver_find(const char *name) {
    mutex_lock(&drivers_lock);
    Driver *d = driver_named(name);
    d = d == NULL || d->is_condemned ? NULL : used(d, true);
    mutex_unlock(&drivers_lock);
    return d;
}

Driver *driver_find_inner(const ErlDrvEntry *entry) {
    mutex_lock(&drivers_lock);
    Driver *d = used(driver_inner(entry), true);
    mutex_unlock(&drivers_lock);
    return d;
}

void driver_retain(Driver *d) {
    mutex_lock(&drivers_lock);
    (void)used(d, true);
    mutex_unlock(&drivers_lock);
}

bool driver_join(Port *port) { return port->driver->library == NULL || library_join(port); }

void driver_leave_for_good(Port *port) {
    if (port->driver->library != NULL)
        library_leave(port);
}

void driver_use_again(Driver *d) {
    if (d->library == NULL)
        return;
    mutex_lock(&drivers_lock);
    library_use_locked(d->library, false);
    mutex_unlock(&drivers_lock);
}

void driver_disuse(Driver *d, bool is_port) {
    if (d->library != NULL)
        library_disuse(d->library, is_port);
}

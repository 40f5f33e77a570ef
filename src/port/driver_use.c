#include "port/driver_use.h"

#include "port/library.h"

/* With the lock. */
static Driver *used(Driver *d) {
    if (d == NULL)
        return NULL;
    atomic_fetch_add(&d->count, 1);
    if (d->library != NULL)
        library_use_locked(d->library, true);
    return d;
}

Driver *driver_find(const char *name) {
    mutex_lock(&drivers_lock);
    Driver *d = used(driver_named(name));
    mutex_unlock(&drivers_lock);
    return d;
}

Driver *driver_find_inner(const ErlDrvEntry *entry) {
    mutex_lock(&drivers_lock);
    Driver *d = used(driver_inner(entry));
    mutex_unlock(&drivers_lock);
    return d;
}

void driver_retain(Driver *d) {
    mutex_lock(&drivers_lock);
    (void)used(d);
    mutex_unlock(&drivers_lock);
}

void driver_disuse(Driver *d) {
    if (d->library != NULL)
        library_disuse(d->library, true);
}

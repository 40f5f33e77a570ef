#include "port/driver.h"

#include <string.h>

#include "alloc/alloc.h"

Mutex drivers_lock = MUTEX_INITIALIZER(LOCK_DRIVERS);
static Driver *drivers;

Driver *driver_create(const ErlDrvEntry *entry, struct DriverLibrary *library) {
    Driver *d = mem_calloc(ALLOC_PORT, sizeof *d);
    d->entry = entry;
    d->library = library;
    d->flags = entry->driver_flags;
    d->locks_itself = (entry->driver_flags & ERL_DRV_FLAG_USE_PORT_LOCKING) != 0;
    d->drops_bits = entry->outputv == NULL || (entry->driver_flags & DRIVER_AS_OUTPUT) != 0;
    atomic_init(&d->count, 1);
    mutex_init(&d->lock, LOCK_DRIVER);
    return d;
}

void driver_release(Driver *d) {
    if (atomic_fetch_sub(&d->count, 1) == 1) {
        mutex_release(&d->lock);
        mem_free(ALLOC_PORT, d);
    }
}

void driver_put(Driver *d) {
    Driver **at = &drivers;
    while (*at != NULL)
        at = &(*at)->next;
    *at = d;
}

void driver_take_out(Driver *d) {
    Driver **at = &drivers;
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    d->next = NULL;
    driver_release(d);
}

Driver *driver_named(const char *name) {
    Driver *d = drivers;
    while (d != NULL && (d->is_inner || strcmp(d->entry->driver_name, name) != 0))
        d = d->next;
    return d;
}

Driver *driver_inner(const ErlDrvEntry *entry) {
    Driver *d = drivers;
    while (d->entry != entry)
        d = d->next;
    return d;
}

void drivers_each(void (*each)(const Driver *, void *), void *data) {
    for (const Driver *d = drivers; d != NULL; d = d->next)
        if (!d->is_inner)
            each(d, data);
}

void driver_add(const ErlDrvEntry *entry, bool is_inner) {
    Driver *d = driver_create(entry, NULL);
    d->is_inner = is_inner;
    if (entry->init != NULL)
        (void)entry->init();
    mutex_lock(&drivers_lock);
    driver_put(d);
    mutex_unlock(&drivers_lock);
}

int driver_remove(const ErlDrvEntry *entry) {
    mutex_lock(&drivers_lock);
    Driver *d = drivers;
    while (d != NULL && d->entry != entry)
        d = d->next;
    int result = d == NULL ? 0 : d->library != NULL ? -1 : 1;
    if (result == 1)
        driver_take_out(d);
    mutex_unlock(&drivers_lock);
    return result;
}

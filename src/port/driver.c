#include "port/driver.h"

#include <string.h>

#include "alloc/alloc.h"

static Mutex lock = MUTEX_INITIALIZER(LOCK_DRIVERS);
static Driver *drivers;

void driver_add(const ErlDrvEntry *entry) {
    Driver *d = mem_calloc(ALLOC_PORT, sizeof *d);
    d->entry = entry;
    d->locks_itself = (entry->driver_flags & ERL_DRV_FLAG_USE_PORT_LOCKING) != 0;
    atomic_init(&d->count, 1);
    mutex_init(&d->lock, LOCK_DRIVER);
    mutex_lock(&lock);
    d->next = drivers;
    drivers = d;
    mutex_unlock(&lock);
    if (entry->init != NULL)
        (void)entry->init();
}

void driver_retain(Driver *d) { atomic_fetch_add(&d->count, 1); }

Driver *driver_find(const char *name) {
    mutex_lock(&lock);
    Driver *d = drivers;
    while (d != NULL && strcmp(d->entry->driver_name, name) != 0)
        d = d->next;
    if (d != NULL)
        driver_retain(d);
    mutex_unlock(&lock);
    return d;
}

void driver_release(Driver *d) {
    if (atomic_fetch_sub(&d->count, 1) == 1)
        mem_free(ALLOC_PORT, d);
}

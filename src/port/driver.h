/*
 * Drivers: what a port's body does. An entry of erl_driver.h, its lock, and how many use it.
 *
 * The list of drivers is under LOCK_DRIVERS. A driver is freed with its last count: the list has one, and each port.
 * While one of its callbacks runs the driver's lock is held, unless it says ERL_DRV_FLAG_USE_PORT_LOCKING.
 */
#ifndef VIV_PORT_DRIVER_H
#define VIV_PORT_DRIVER_H

#include <stdatomic.h>

/* What a driver of the runtime's own is started with beside its command. */
typedef struct PortStart SysDriverOpts;
typedef struct _erl_drv_event *ErlDrvEvent; /* a descriptor */
#define ERL_SYS_DRV
#include "erl_driver.h"
#include "sys/thread.h"

typedef struct Driver {
    const ErlDrvEntry *entry;
    struct Driver *next; /* in the list */
    _Atomic uint32_t count;
    bool locks_itself; /* callbacks of several ports at once */
    Mutex lock;
} Driver;

/* Puts one of the runtime's own into the list. At the start. */
void driver_add(const ErlDrvEntry *entry);
/* One count; NULL: there is none of that name. */
Driver *driver_find(const char *name);
void driver_retain(Driver *driver);
void driver_release(Driver *driver);

static inline void driver_enter(Driver *d) {
    if (!d->locks_itself)
        mutex_lock(&d->lock);
}
static inline void driver_leave(Driver *d) {
    if (!d->locks_itself)
        mutex_unlock(&d->lock);
}

#endif

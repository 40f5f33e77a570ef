/*
 * Drivers: what a port's body does. An entry of erl_driver.h, its lock, and how many use it.
 *
 * The list of drivers is under drivers_lock. A Driver is freed with its last count: the list has one, and each port
 * until its memory goes. That of a library (port/library.h) has *uses* beside that, each of which may call its code: a
 * port's begins when the driver is found, and ends when `stop` has come back. After that, and where others look at a
 * port, nothing is read through `entry`: the library may have been closed. While one of its callbacks runs the driver's
 * lock is held, unless it says ERL_DRV_FLAG_USE_PORT_LOCKING.
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

struct DriverLibrary;
struct Port;

/* Among the flags of the runtime's own: it is told bytes as those are that have no `outputv`, which it has. */
#define DRIVER_AS_OUTPUT (1 << 30)

typedef struct Driver {
    const ErlDrvEntry *entry;
    struct Driver *next;           /* in the list */
    struct DriverLibrary *library; /* NULL: it is the runtime's own, or was added by one */
    struct Port *ports;            /* of a library's: those that nobody kills yet (port/library.h) */
    bool is_condemned;             /* its ports are killed, and it is opened no more; under drivers_lock, both */
    _Atomic uint32_t count;
    int flags;         /* of the entry */
    bool is_inner;     /* nobody opens it by its name */
    bool locks_itself; /* callbacks of several ports at once */
    bool drops_bits;   /* a bitstring of less than a byte in a command is nothing, as on the stock runtime's OTP 25 */
    Mutex lock;
} Driver;

extern Mutex drivers_lock;

/* One count, in no list. */
Driver *driver_create(const ErlDrvEntry *entry, struct DriverLibrary *library);
/* With the lock: into the list, which has that count then, and out of it, which gives it back. */
void driver_put(Driver *driver);
void driver_take_out(Driver *driver);
/* With the lock: one that may be opened by that name unless it is condemned, or NULL; the inner one that there is. */
Driver *driver_named(const char *name);
Driver *driver_inner(const ErlDrvEntry *entry);
/* With the lock: of all that are listed, but inner ones. */
void drivers_each(void (*each)(const Driver *driver, void *data), void *data);

/* Puts one of the runtime's own into the list. At the start. */
void driver_add(const ErlDrvEntry *entry, bool is_inner);
/* Takes one out that was put in so; as remove_driver_entry says it. */
int driver_remove(const ErlDrvEntry *entry);

/* Gives a count back. */
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

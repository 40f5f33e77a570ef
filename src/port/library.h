/*
 * Libraries of drivers: which are loaded, by whom, and who waits for what of them. Source: erl_ddll(3).
 *
 * A library is LOADED; UNLOADING, when it has no user any more and is used still; or RELOADING, when a user wants it
 * anew. The last two are over when the last use is (port/driver.h): whoever ends that closes the library, calls and
 * opens no lock held, and what comes of it is told to those who wait. Meanwhile it is `in_transit`: its driver is in no
 * list, and who wants to know its state waits, which only threads do that may (library_load and others: dirty ones). A
 * user who ends in that time is taken out, and who brings the library back sees it.
 *
 * Where its ports are killed (kill_ports) its driver is condemned: nobody opens it until a user loads it again, or it
 * is unloaded once more without ports. The ports are taken from its driver's list at once, and told one by one, no lock
 * held: one that joins later is refused, or is of those who have opened it anew.
 *
 * All fields are under drivers_lock. A library that is in no list is freed, unless it is in transit: then by who brings
 * it back.
 */
#ifndef VIV_PORT_LIBRARY_H
#define VIV_PORT_LIBRARY_H

#include "port/driver.h"
#include "process/process.h"

typedef enum { LIBRARY_LOADED, LIBRARY_UNLOADING, LIBRARY_RELOADING } LibraryState;
typedef enum { AWAIT_LOADED, AWAIT_UNLOADED, AWAIT_UNLOADED_ONLY } LibraryAwait;

typedef struct LibraryUser {
    struct LibraryUser *next;
    Term pid;
    size_t loads;
} LibraryUser;

typedef struct LibraryMonitor {
    struct LibraryMonitor *next; /* the newest first */
    Term pid;
    uint64_t key; /* of the reference */
    LibraryAwait await;
} LibraryMonitor;

typedef struct DriverLibrary {
    struct DriverLibrary *next;
    char *name, *path;
    char *new_path; /* of one that is reloading */
    Driver *driver; /* in the list; NULL in transit */
    void *handle;
    LibraryState state;
    bool in_transit, is_permanent, kills_ports;
    size_t uses, ports; /* those that are ports */
    LibraryUser *users;
    LibraryMonitor *monitors;
} DriverLibrary;

typedef enum { WHEN_NEVER, WHEN_PENDING_DRIVER, WHEN_PENDING } LibraryWhen;

typedef struct {
    Term pid; /* who asks */
    const char *path, *name;
    bool kills_ports;
    LibraryWhen monitors, reloads;
} LibraryRequest;

/* An atom, or in `error` an atom, or the small number of an open_error. */
typedef struct {
    Term status;  /* NON_VALUE: refused */
    Term error;
    uint64_t key; /* of a monitor that was made; 0: none */
} LibraryAnswer;

/* By a dirty thread, not online. */
LibraryAnswer library_load(const LibraryRequest *request);
LibraryAnswer library_unload(const LibraryRequest *request);
/* `status` is how a monitor is answered at once; NON_VALUE: it was made, with the key. `error`: how it says that. */
LibraryAnswer library_monitor(Term pid, const char *name, LibraryAwait await);
/* One of info/2; NON_VALUE: there is no such driver or item. */
Term library_info(const char *name, Term item, Area *area);
/* By any thread. */
void library_demonitor(Term pid, uint64_t key);
/* The names of all drivers, as lists of characters. */
Term library_names(Area *area);

/* Of those that were ever loaded from a file: atoms, in front of `tail`. */
Term library_ever_loaded(Area *area, Term tail);

/* An exit handler (process/exit.h). */
bool library_process_exit(Process *p, int64_t *reductions);

/* With the lock, by who uses it or finds it listed: one more use, a port's or another's. */
void library_use_locked(DriverLibrary *library, bool is_port);
void library_disuse(DriverLibrary *library, bool is_port);
/* The same of a port, as driver_join and driver_leave_for_good have it. */
must_check bool library_join(struct Port *port);
void library_leave(struct Port *port);
/* By a driver's callback: it is never unloaded. */
void library_keep(DriverLibrary *library);

#endif

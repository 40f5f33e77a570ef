#include "port/library.h"

#include <string.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/race_window.h"
#include "base/visitor.h"
#include "port/closing.h"
#include "port/hold.h"
#include "port/library_file.h"
#include "port/library_tell.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/signal.h"
#include "term/atom.h"
#include "term/iolist.h"
#include "term/node.h"

static DriverLibrary *libraries;
static Condition came_back = {PTHREAD_COND_INITIALIZER};

static void lock(void) { mutex_lock(&drivers_lock); }
static void unlock(void) { mutex_unlock(&drivers_lock); }

static char *copied(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(ALLOC_PORT, bytes), text, bytes);
}

/* One that stays as it is while the lock is held. Waits. */
static DriverLibrary *library_named(const char *name) {
    for (;;) {
        DriverLibrary *l = libraries;
        while (l != NULL && strcmp(l->name, name) != 0)
            l = l->next;
        if (l == NULL || !l->in_transit)
            return l;
        condition_wait(&came_back, &drivers_lock);
    }
}

static DriverLibrary *library_create(const LibraryRequest *r) {
    DriverLibrary *l = mem_calloc(ALLOC_PORT, sizeof *l);
    l->name = copied(r->name);
    l->path = copied(r->path);
    l->kills_ports = r->kills_ports;
    l->next = libraries;
    libraries = l;
    return l;
}

static void library_free(DriverLibrary *l) {
    DriverLibrary **at = &libraries;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    for (LibraryUser *u = l->users, *next; u != NULL; u = next) {
        next = u->next;
        mem_free(ALLOC_PORT, u);
    }
    mem_free(ALLOC_PORT, l->name);
    mem_free(ALLOC_PORT, l->path);
    mem_free(ALLOC_PORT, l->new_path);
    mem_free(ALLOC_PORT, l);
}

/* --- users -------------------------------------------------------------------------------------------------------- */

/* A process that has none of these bits is no user, nor does it monitor anything: most that end. */
static _Atomic uint64_t known_bits;
static uint64_t bit_of(Term pid) { return UINT64_C(1) << pid_number(pid) % 64; }
static void note(Term pid) { atomic_fetch_or(&known_bits, bit_of(pid)); }

static LibraryUser **user_place(DriverLibrary *l, Term pid) {
    LibraryUser **at = &l->users;
    while (*at != NULL && (*at)->pid != pid)
        at = &(*at)->next;
    return at;
}

static bool is_user(DriverLibrary *l, Term pid) { return *user_place(l, pid) != NULL; }

static void user_add(DriverLibrary *l, Term pid) {
    LibraryUser *u = *user_place(l, pid);
    if (u == NULL) {
        u = mem_alloc(ALLOC_PORT, sizeof *u);
        *u = (LibraryUser){l->users, pid, 0};
        l->users = u;
    }
    u->loads++;
    note(pid);
}

/* `loads` of them, or all that it has. */
static void user_take_out(DriverLibrary *l, Term pid, size_t loads) {
    LibraryUser **at = user_place(l, pid), *u = *at;
    if (u == NULL)
        return;
    if (u->loads > loads) {
        u->loads -= loads;
        return;
    }
    *at = u->next;
    mem_free(ALLOC_PORT, u);
}

static size_t loads_of_all(const DriverLibrary *l) {
    size_t loads = 0;
    for (const LibraryUser *u = l->users; u != NULL; u = u->next)
        loads += u->loads;
    return loads;
}

static uint64_t monitor_add(DriverLibrary *l, Term pid, LibraryAwait await) {
    LibraryMonitor *m = mem_alloc(ALLOC_PORT, sizeof *m);
    *m = (LibraryMonitor){l->monitors, pid, reference_next(), await};
    l->monitors = m;
    note(pid);
    return m->key;
}

/* --- ports -------------------------------------------------------------------------------------------------------- */

/* One that writes still does so no more. */
static void take_kill(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    if (port_has_status(port, PORT_CLOSING))
        port_close_writes_no_more(port);
    else
        port_close(port, am_driver_unloaded, false);
    mem_free(ALLOC_PORT, call);
}

static void kill_port(Port *port) {
    CallSignal *call = mem_alloc(ALLOC_PORT, sizeof *call);
    signal_init(&call->signal, SIGNAL_CALL);
    call->handle = take_kill;
    visitor_enter();
    bool is_told = signal_push(&port->actor, &call->signal);
    visitor_leave();
    if (!is_told)
        mem_free(ALLOC_PORT, call);
}

/* With the lock. */
static void put_into(Port **list, Port *port) {
    port->driver_next = *list;
    port->driver_link = list;
    if (*list != NULL)
        (*list)->driver_link = &port->driver_next;
    *list = port;
}

static void take_out(Port *port) {
    if (port->driver_link == NULL)
        return;
    *port->driver_link = port->driver_next;
    if (port->driver_next != NULL)
        port->driver_next->driver_link = port->driver_link;
    port->driver_next = NULL;
    port->driver_link = NULL;
}

/* Held; NULL: there is none left. */
static Port *next_doomed(Port **doomed) {
    lock();
    Port *port = *doomed;
    if (port != NULL) {
        take_out(port);
        port_hold(port);
    }
    unlock();
    return port;
}

/* No lock held. Those that end meanwhile take themselves out. */
static void kill_ports(Port **doomed) {
    for (Port *port; (port = next_doomed(doomed)) != NULL;) {
        race_window("a driver's port is to be killed, and is not yet told");
        kill_port(port);
        port_release(port);
    }
}

/* With the lock, of one that is in no transit: its ports are the caller's then, who kills them, if they are to go. As
 * with the stock runtime one that has no ports can be opened still, for as long as others use it. */
static void condemn(DriverLibrary *l, bool kills_ports, Port **doomed) {
    Driver *d = l->driver;
    d->is_condemned = kills_ports && l->ports > 0;
    if (!d->is_condemned || d->ports == NULL)
        return;
    *doomed = d->ports;
    d->ports->driver_link = doomed;
    d->ports = NULL;
}

bool library_join(Port *port) {
    Driver *d = port->driver;
    lock();
    bool is_good = !d->is_condemned;
    if (is_good)
        put_into(&d->ports, port);
    unlock();
    return is_good;
}

/* --- in transit --------------------------------------------------------------------------------------------------- */

/* Takes the driver out of the list; it is the caller's. */
static void leave(DriverLibrary *l, const ErlDrvEntry **entry, void **handle) {
    *entry = l->driver->entry;
    *handle = l->handle;
    l->in_transit = true;
    driver_take_out(l->driver);
    l->driver = NULL;
}

/* Atoms: under the lock. */
static Term *ever_loaded;
static size_t ever_count;

static void note_name(Term name) {
    for (size_t i = 0; i < ever_count; i++)
        if (ever_loaded[i] == name)
            return;
    ALLOC_FOR_ALL;
    ever_loaded = mem_realloc(ALLOC_PORT, ever_loaded, (ever_count + 1) * sizeof *ever_loaded);
    ever_loaded[ever_count++] = name;
}

Term library_ever_loaded(Area *area, Term tail) {
    lock();
    for (size_t i = 0; i < ever_count; i++)
        tail = area_cons(area, ever_loaded[i], tail);
    unlock();
    return tail;
}

/* With the lock, which is given up meanwhile. False: it could not be opened. */
static bool open_again(DriverLibrary *l, Term *why) {
    unlock();
    race_window("a library is opened, and not yet there");
    const ErlDrvEntry *entry = library_file_open(l->path, l->name, &l->handle, why);
    lock();
    if (entry == NULL)
        return false;
    l->driver = driver_create(entry, l);
    driver_put(l->driver);
    note_name(atom_from_cstring(l->name));
    l->state = l->users == NULL ? LIBRARY_UNLOADING : LIBRARY_LOADED;
    return true;
}

static void come_back(DriverLibrary *l) {
    l->in_transit = false;
    condition_broadcast(&came_back);
}

static void take_new_path(DriverLibrary *l) {
    mem_free(ALLOC_PORT, l->path);
    l->path = l->new_path;
    l->new_path = NULL;
}

/* Of one in transit, that is closed: what is to come of it. False: nothing, it is gone. */
static bool go_on_closed(DriverLibrary *l) {
    Term why = NON_VALUE;
    bool reloads = l->state == LIBRARY_RELOADING && l->users != NULL;
    if (reloads)
        take_new_path(l);
    bool is_open = reloads && open_again(l, &why);
    library_tell(l, AWAIT_UNLOADED, am_DOWN, am_unloaded);
    if (is_open)
        library_tell(l, AWAIT_LOADED, am_UP, am_loaded);
    else if (is_value(why))
        library_tell_failure(l, why);
    else
        library_tell(l, AWAIT_LOADED, am_DOWN, am_load_cancelled);
    come_back(l);
    if (!is_open)
        library_free(l);
    return is_open;
}

/* With the lock: what has waited for the last use is done. The library may be gone afterwards. */
static void go_on(DriverLibrary *l) {
    bool is_there = true;
    while (is_there && !l->in_transit && l->uses == 0 && l->state != LIBRARY_LOADED) {
        const ErlDrvEntry *entry;
        void *handle;
        leave(l, &entry, &handle);
        unlock();
        race_window("a library is in no list, and not yet closed");
        library_file_close(entry, handle);
        lock();
        is_there = go_on_closed(l);
    }
}

void library_use_locked(DriverLibrary *l, bool is_port) {
    l->uses++;
    l->ports += is_port;
}

/* With the lock, which may be given up meanwhile. */
static void disuse_locked(DriverLibrary *l, bool is_port) {
    l->uses--;
    l->ports -= is_port;
    go_on(l);
}

void library_disuse(DriverLibrary *l, bool is_port) {
    lock();
    disuse_locked(l, is_port);
    unlock();
}

void library_leave(Port *port) {
    lock();
    take_out(port);
    disuse_locked(port->driver->library, true);
    unlock();
}

/* One user less. The last: it is unloaded, as soon as it is not used; its ports are the caller's to kill where that is
 * wanted. */
static void user_has_left(DriverLibrary *l, bool kills_ports, Port **doomed) {
    if (l->in_transit || l->users != NULL || l->is_permanent)
        return;
    if (l->state == LIBRARY_RELOADING)
        library_tell(l, AWAIT_LOADED, am_DOWN, am_load_cancelled);
    mem_free(ALLOC_PORT, l->new_path);
    l->new_path = NULL;
    l->state = LIBRARY_UNLOADING;
    condemn(l, kills_ports, doomed);
    go_on(l);
}

void library_keep(DriverLibrary *l) {
    lock();
    l->is_permanent = true;
    mem_free(ALLOC_PORT, l->new_path);
    l->new_path = NULL;
    l->state = LIBRARY_LOADED;
    l->driver->is_condemned = false;
    library_tell(l, AWAIT_LOADED, am_UP, am_permanent);
    library_tell(l, AWAIT_UNLOADED, am_UP, am_permanent);
    unlock();
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

static LibraryAnswer refused(Term error) { return (LibraryAnswer){NON_VALUE, error, 0}; }
static LibraryAnswer answer(Term status) { return (LibraryAnswer){status, NON_VALUE, 0}; }

static LibraryAnswer pending(DriverLibrary *l, const LibraryRequest *r, Term status, LibraryAwait await) {
    bool is_wanted = r->monitors == WHEN_PENDING || (r->monitors == WHEN_PENDING_DRIVER && status == am_pending_driver);
    return (LibraryAnswer){status, NON_VALUE, is_wanted ? monitor_add(l, r->pid, await) : 0};
}

/* Others who want it meanwhile wait. */
static LibraryAnswer load_first(const LibraryRequest *r) {
    Term why;
    DriverLibrary *l = library_create(r);
    user_add(l, r->pid);
    l->in_transit = true;
    bool is_open = open_again(l, &why);
    come_back(l);
    if (is_open)
        go_on(l);
    else
        library_free(l);
    return is_open ? answer(am_loaded) : refused(why);
}

static bool is_consistent(const DriverLibrary *l, const LibraryRequest *r) {
    const char *path = l->state == LIBRARY_RELOADING ? l->new_path : l->path;
    return strcmp(path, r->path) == 0 && l->kills_ports == r->kills_ports;
}

/* Who wants one that is reloading always gets a monitor, as with the stock runtime. */
static LibraryAnswer load_more(DriverLibrary *l, const LibraryRequest *r) {
    if (!is_consistent(l, r))
        return refused(am_inconsistent);
    user_add(l, r->pid);
    if (l->state == LIBRARY_RELOADING)
        return (LibraryAnswer){am_pending_driver, NON_VALUE, monitor_add(l, r->pid, AWAIT_LOADED)};
    if (l->state == LIBRARY_UNLOADING)
        library_tell_cancelled(l);
    l->state = LIBRARY_LOADED;
    l->driver->is_condemned = false;
    return answer(am_already_loaded);
}

static Term why_not_reload(DriverLibrary *l, const LibraryRequest *r) {
    if (l->state == LIBRARY_RELOADING)
        return am_pending_reload;
    if (!is_user(l, r->pid))
        return am_not_loaded_by_this_process;
    if (l->kills_ports != r->kills_ports)
        return am_inconsistent;
    return r->reloads == WHEN_PENDING_DRIVER && loads_of_all(l) > 1 ? am_pending_process : NON_VALUE;
}

/* As on the stock runtime it is pending even where nothing has to be waited for, and it is done. */
static LibraryAnswer reload(DriverLibrary *l, const LibraryRequest *r, Port **doomed) {
    Term why = why_not_reload(l, r);
    if (is_value(why))
        return refused(why);
    l->new_path = copied(r->path);
    l->state = LIBRARY_RELOADING;
    Term status = r->reloads == WHEN_PENDING ? am_pending_process : am_pending_driver;
    LibraryAnswer a = pending(l, r, status, AWAIT_LOADED);
    condemn(l, l->kills_ports, doomed);
    go_on(l);
    return a;
}

/* NON_VALUE: it is a library's, or nobody's. */
static Term why_not_touch(const char *name, const DriverLibrary *l) {
    if (l == NULL)
        return driver_named(name) != NULL ? am_linked_in_driver : NON_VALUE;
    return l->is_permanent ? am_permanent : NON_VALUE;
}

static LibraryAnswer load_locked(const LibraryRequest *r, Port **doomed) {
    DriverLibrary *l = library_named(r->name);
    Term why = why_not_touch(r->name, l);
    if (is_value(why))
        return refused(why);
    if (l != NULL)
        return r->reloads == WHEN_NEVER ? load_more(l, r) : reload(l, r, doomed);
    return r->reloads == WHEN_NEVER ? load_first(r) : refused(am_not_loaded);
}

static bool has_ended(Term pid) {
    visitor_enter();
    const Process *p = process_find(pid);
    bool has = p == NULL || process_is_exiting(p);
    visitor_leave();
    return has;
}

static void forget(Term pid);

/* A process may end while its dirty call goes on: its exit handler was too early then for what this has noted. */
LibraryAnswer library_load(const LibraryRequest *r) {
    Port *doomed = NULL;
    lock();
    LibraryAnswer a = load_locked(r, &doomed);
    unlock();
    kill_ports(&doomed);
    if (has_ended(r->pid))
        forget(r->pid);
    return a;
}

static LibraryAnswer unload_locked(const LibraryRequest *r, Port **doomed) {
    DriverLibrary *l = library_named(r->name);
    Term why = why_not_touch(r->name, l);
    if (is_value(why) || l == NULL)
        return refused(l == NULL && !is_value(why) ? am_not_loaded : why);
    if (l->users != NULL && !is_user(l, r->pid))
        return refused(am_not_loaded_by_this_process);
    user_take_out(l, r->pid, 1);
    if (l->users != NULL)
        return pending(l, r, am_pending_process, AWAIT_UNLOADED);
    LibraryAnswer a = pending(l, r, am_pending_driver, AWAIT_UNLOADED);
    user_has_left(l, r->kills_ports || l->kills_ports, doomed);
    return a;
}

LibraryAnswer library_unload(const LibraryRequest *r) {
    Port *doomed = NULL;
    lock();
    LibraryAnswer a = unload_locked(r, &doomed);
    unlock();
    kill_ports(&doomed);
    if (a.key != 0 && has_ended(r->pid))
        forget(r->pid);
    return a;
}

/* --- monitors, questions ------------------------------------------------------------------------------------------ */

static LibraryAnswer monitor_locked(Term pid, const char *name, LibraryAwait await) {
    DriverLibrary *l = library_named(name);
    if (is_value(why_not_touch(name, l)))
        return (LibraryAnswer){am_permanent, am_UP, reference_next()};
    if (l == NULL)
        return (LibraryAnswer){am_unloaded, am_DOWN, reference_next()};
    if (await == AWAIT_LOADED && l->state == LIBRARY_LOADED)
        return (LibraryAnswer){am_loaded, am_UP, reference_next()};
    if (await == AWAIT_LOADED && l->state == LIBRARY_UNLOADING)
        return (LibraryAnswer){am_load_cancelled, am_DOWN, reference_next()};
    return (LibraryAnswer){NON_VALUE, NON_VALUE, monitor_add(l, pid, await)};
}

LibraryAnswer library_monitor(Term pid, const char *name, LibraryAwait await) {
    lock();
    LibraryAnswer a = monitor_locked(pid, name, await);
    unlock();
    if (has_ended(pid))
        forget(pid);
    return a;
}

void library_demonitor(Term pid, uint64_t key) {
    lock();
    for (DriverLibrary *l = libraries; l != NULL; l = l->next)
        library_forget_monitors(l, pid, key);
    unlock();
}

static Term users_list(const DriverLibrary *l, Area *area) {
    Term list = NIL;
    for (const LibraryUser *u = l->users; u != NULL; u = u->next)
        list = area_cons(area, area_tuple2(area, u->pid, small_make((int64_t)u->loads)), list);
    return list;
}

static Term item_of(const DriverLibrary *l, Term item, Area *area) {
    switch (item) {
    case am_processes: return users_list(l, area);
    case am_driver_options: return l->kills_ports ? area_cons(area, am_kill_ports, NIL) : NIL;
    case am_port_count: return small_make((int64_t)l->ports);
    case am_linked_in_driver:
    case am_permanent: return am_false;
    case am_awaiting_load: return library_awaiting(l, true, area);
    case am_awaiting_unload: return library_awaiting(l, false, area);
    default: return NON_VALUE;
    }
}

static bool is_item(Term t) {
    return t == am_processes || t == am_driver_options || t == am_port_count || t == am_linked_in_driver ||
           t == am_permanent || t == am_awaiting_load || t == am_awaiting_unload;
}

Term library_info(const char *name, Term item, Area *area) {
    lock();
    DriverLibrary *l = library_named(name);
    Term kind = why_not_touch(name, l), info = NON_VALUE;
    if (l != NULL &&
        (!is_value(kind) || item == am_driver_options)) /* a permanent one's as well, as on the stock runtime */
        info = item_of(l, item, area);
    else if (is_value(kind))
        info = !is_item(item)                                        ? NON_VALUE
               : item == am_linked_in_driver || item == am_permanent ? bool_term(item == kind)
                                                                     : kind;
    unlock();
    return info;
}

typedef struct {
    Area *area;
    Term list;
} Names;

static void add_name(const Driver *d, void *data) {
    Names *to = data;
    const char *name = d->entry->driver_name;
    to->list = area_cons(to->area, list_from_bytes(to->area, name, strlen(name), NIL), to->list);
}

Term library_names(Area *area) {
    Names to = {area, NIL};
    lock();
    drivers_each(add_name, &to);
    unlock();
    return to.list;
}

/* --- the end of a process ----------------------------------------------------------------------------------------- */

/* With the lock: the first that `pid` has something of and that could be put in order, or NULL. */
static DriverLibrary *next_of_user(Term pid) {
    for (DriverLibrary *l = libraries; l != NULL; l = l->next)
        if (is_user(l, pid))
            return l;
    return NULL;
}

/* False: it has nothing left of any. */
static bool forget_next(Term pid) {
    Port *doomed = NULL;
    lock();
    DriverLibrary *l = next_of_user(pid);
    if (l != NULL) {
        user_take_out(l, pid, SIZE_MAX);
        user_has_left(l, l->kills_ports, &doomed);
    }
    unlock();
    kill_ports(&doomed);
    return l != NULL;
}

static void forget(Term pid) {
    library_demonitor(pid, 0);
    while (forget_next(pid)) {
    }
}

bool library_process_exit(Process *p, int64_t *reductions) {
    if (unlikely((atomic_load(&known_bits) & bit_of(p->pid)) != 0)) {
        forget(p->pid);
        *reductions -= 100;
    }
    return true;
}

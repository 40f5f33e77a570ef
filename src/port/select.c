#include "port/select.h"

#include <errno.h>
#include <sys/stat.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/race_window.h"
#include "port/callback.h"
#include "port/select_report.h"
#include "port/trace.h"
#include "port/work.h"
#include "process/fd_table.h"
#include "process/signal.h"
#include "sys/fd_poll.h"

/* One direction's signal. */
typedef struct {
    CallSignal call; /* must be first */
    int fd;
    bool is_under_way;
} Ready;

/* What the table has of a descriptor for ports. */
typedef struct FdUse {
    struct FdUse *next, **link; /* among the port's */
    FdEntry *entry;
    Port *port;      /* NULL: no port's */
    unsigned wanted; /* FD_READ, FD_WRITE */
    bool is_kept;    /* until the port says that it uses it no more (ERL_DRV_USE), though it wants nothing */
    Ready input, output;
} FdUse;

static void take_input(Process *receiver, CallSignal *call);
static void take_output(Process *receiver, CallSignal *call);

static void ready_init(Ready *r, int fd, void handle(Process *, CallSignal *)) {
    signal_init(&r->call.signal, SIGNAL_CALL);
    r->call.handle = handle;
    r->fd = fd;
}

static FdUse *use_create(int fd, FdEntry *e) {
    ALLOC_FOR_ALL;
    FdUse *u = mem_calloc(ALLOC_PORT, sizeof *u);
    u->entry = e;
    ready_init(&u->input, fd, take_input);
    ready_init(&u->output, fd, take_output);
    return u;
}

/* NULL: no descriptor. */
static FdUse *use_of(int fd) {
    FdEntry *e = fd_entry(fd);
    if (e == NULL)
        return NULL;
    void *u = atomic_load_explicit(&e->uses[FD_OF_PORTS], memory_order_acquire);
    if (u == NULL) {
        FdUse *fresh = use_create(fd, e);
        if (atomic_compare_exchange_strong(&e->uses[FD_OF_PORTS], &u, (void *)fresh))
            u = fresh;
        else
            mem_free(ALLOC_PORT, fresh);
    }
    return u;
}

static void send_events(FdUse *u, unsigned events);

/* Which is no less ready than a regular file; but the stock runtime sees nothing come from one. */
static bool is_directory(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Under the lock. 0, or an error number. One that is always ready (a regular file) is ready now. */
static int arm(int fd, FdUse *u) {
    unsigned events = u->wanted & ~((u->input.is_under_way ? FD_READ : 0u) | (u->output.is_under_way ? FD_WRITE : 0u));
    int error = fd_entry_arm(fd, u->entry, events);
    if (error != EPERM)
        return error;
    if (!is_directory(fd))
        send_events(u, u->wanted);
    return 0;
}

/* Under the lock: a port's signals end where its list is closed, and it gives this up before. */
static void send(FdUse *u, Ready *r) {
    r->is_under_way = true;
    if (!signal_push(&u->port->actor, &r->call.signal))
        r->is_under_way = false;
}

/* Output first, as on the stock runtime: what ends a connection is told to who waits to write, if anybody does. */
static void send_events(FdUse *u, unsigned events) {
    if (events & u->wanted & FD_WRITE && !u->output.is_under_way)
        send(u, &u->output);
    if (events & u->wanted & FD_READ && !u->input.is_under_way)
        send(u, &u->input);
}

void port_select_ready(uint64_t key, unsigned events) {
    int fd = fd_of_key(key);
    FdUse *u = use_of(fd);
    if (events & FD_PROBLEM) /* whoever reads or writes finds out */
        events |= FD_READ | FD_WRITE;
    fd_entry_lock(fd);
    if (fd_entry_is_current(u->entry, key) && u->port != NULL) {
        send_events(u, events);
        if (u->wanted & ~events)
            (void)arm(fd, u);
    }
    fd_entry_unlock(fd);
}

/* The signal has come. Is it still waited for, by this port? */
static bool is_wanted(const Port *port, FdUse *u, Ready *r, unsigned event) {
    fd_entry_lock(r->fd);
    r->is_under_way = false;
    bool is = u->port == port && (u->wanted & event) != 0;
    if (!is && u->port != NULL && u->wanted != 0) /* it is another's, who is to hear of it */
        (void)arm(r->fd, u);
    fd_entry_unlock(r->fd);
    return is;
}

static void arm_again(const Port *port, FdUse *u, int fd) {
    fd_entry_lock(fd);
    if (u->port == port) {
        bool is_armed = (u->wanted & ~(u->input.is_under_way ? FD_READ : 0u)) != 0;
        if (is_armed)
            (void)arm(fd, u);
    }
    fd_entry_unlock(fd);
}

/* It is sent at once, and handled when the port runs next, after what has come meanwhile. */
void port_select_more(const Port *port, ErlDrvEvent event) {
    int fd = (int)(intptr_t)event;
    FdUse *u = use_of(fd);
    if (u == NULL)
        return;
    fd_entry_lock(fd);
    if (u->port == port)
        send_events(u, FD_READ);
    fd_entry_unlock(fd);
}

static void take(Process *receiver, Ready *r, unsigned event) {
    Port *port = port_of(receiver);
    FdUse *u = use_of(r->fd);
    if (!is_wanted(port, u, r, event) || !port_is_served(port))
        return;
    const ErlDrvEntry *entry = port->driver->entry;
    void (*ready)(ErlDrvData, ErlDrvEvent) = event == FD_READ ? entry->ready_input : entry->ready_output;
    if (ready == NULL) { /* it is told once, as it were */
        select_report_no_callback(port, event == FD_READ);
        (void)port_select(port, (ErlDrvEvent)(intptr_t)r->fd, event == FD_READ ? ERL_DRV_READ : ERL_DRV_WRITE, 0);
        return;
    }
    port_trace_in(port, PORT_OWN_WORK);
    int64_t begun = port_work_begin();
    port_callback_begin(port);
    ready(port->data, (ErlDrvEvent)(intptr_t)r->fd);
    port_callback_end(port);
    port_work_end(port, event == FD_READ ? am_input : am_output, begun);
    port_trace_out(port, PORT_OWN_WORK);
    arm_again(port, u, r->fd);
}

static void take_input(Process *receiver, CallSignal *call) { take(receiver, (Ready *)call, FD_READ); }
static void take_output(Process *receiver, CallSignal *call) { take(receiver, (Ready *)call, FD_WRITE); }

static _Atomic size_t selected;
size_t port_select_count(void) { return atomic_load_explicit(&selected, memory_order_relaxed); }

/* The lists of all ports: a port that steals another's descriptor changes that one's. */
static Mutex lists = MUTEX_INITIALIZER(LOCK_PORT_SELECT_LISTS);

static void lose(int fd, FdEntry *e, FdLoss *loss);
static const FdUser user = {FD_OF_PORTS, lose};

static void join(Port *port, FdUse *u) {
    atomic_fetch_add_explicit(&selected, 1, memory_order_relaxed);
    mutex_lock(&lists);
    u->entry->user = &user;
    u->port = port;
    u->next = port->fds;
    u->link = &port->fds;
    if (u->next != NULL)
        u->next->link = &u->next;
    port->fds = u;
    mutex_unlock(&lists);
}

/* Under the lock. Was it open? */
static bool give_up(int fd, FdUse *u) {
    atomic_fetch_sub_explicit(&selected, 1, memory_order_relaxed);
    mutex_lock(&lists);
    *u->link = u->next;
    if (u->next != NULL)
        u->next->link = u->link;
    u->port = NULL;
    mutex_unlock(&lists);
    u->wanted = 0;
    u->is_kept = false;
    return fd_entry_give_up(fd, u->entry);
}

static void lose(int fd, FdEntry *e, FdLoss *loss) {
    FdUse *u = atomic_load(&e->uses[FD_OF_PORTS]);
    select_put_loser(&loss->from, u->port, u->wanted);
    (void)give_up(fd, u);
}

/* It is somebody else's, who loses it. */
static void steal(const Port *port, int fd, FdUse *u, FdLoss *loss) {
    if (u->entry->user != NULL && u->port != port)
        fd_entry_steal(fd, u->entry, loss);
}

static int want(Port *port, int fd, FdUse *u, unsigned events, bool keeps, FdLoss *loss) {
    fd_entry_lock(fd);
    steal(port, fd, u, loss);
    if (u->port == NULL)
        join(port, u);
    u->wanted |= events;
    u->is_kept |= keeps;
    int error = arm(fd, u);
    if (error != 0)
        (void)give_up(fd, u);
    fd_entry_unlock(fd);
    return error;
}

/* What is wanted no more may stay armed: it comes once, and is nobody's. So one who waits anew for each packet pays one
 * system call for each. True: it is nobody's now, and the driver is to hear of it. */
static bool want_no_more(const Port *port, int fd, FdUse *u, unsigned events, bool gives_up, FdLoss *loss) {
    fd_entry_lock(fd);
    steal(port, fd, u, loss);
    if (u->port == port) {
        u->wanted &= ~events;
        if (gives_up || (u->wanted == 0 && !u->is_kept))
            (void)give_up(fd, u);
        else if (u->wanted != 0)
            (void)arm(fd, u);
    }
    fd_entry_unlock(fd);
    return gives_up;
}

static int select_on(Port *port, int fd, FdUse *u, unsigned events, bool keeps, FdLoss *loss) {
    int error = events == 0 ? 0 : want(port, fd, u, events, keeps, loss);
    if (error == EBADF)
        select_report_bad(port, fd, events);
    errno = error;
    return error == 0 ? 0 : -1;
}

static void select_off(Port *port, int fd, FdUse *u, int mode, unsigned events, FdLoss *loss) {
    bool gives_up = (mode & ERL_DRV_USE_NO_CALLBACK) == ERL_DRV_USE;
    if (!want_no_more(port, fd, u, events, gives_up, loss))
        return;
    if (port->driver->entry->stop_select != NULL)
        port->driver->entry->stop_select((ErlDrvEvent)(intptr_t)fd, NULL);
    else if (port->driver->library != NULL) /* the runtime's own close theirs themselves */
        select_report_no_stop(fd);
}

int port_select(Port *port, ErlDrvEvent event, int mode, int on) {
    int fd = (int)(intptr_t)event;
    FdUse *u = use_of(fd);
    SelectCall call = {port, fd, mode, on};
    unsigned events = (mode & ERL_DRV_READ ? FD_READ : 0u) | (mode & ERL_DRV_WRITE ? FD_WRITE : 0u);
    if (u == NULL) {
        select_report_too_large(&call);
        errno = EBADF;
        return -1;
    }
    int result = 0;
    FdLoss loss;
    fd_loss_init(&loss);
    if (on)
        result = select_on(port, fd, u, events, (mode & ERL_DRV_USE) != 0, &loss);
    else
        select_off(port, fd, u, mode, events, &loss);
    int error = errno;
    select_report_stolen(&call, &loss);
    errno = error;
    return result;
}

static int fd_of(const FdUse *u) { return u->input.fd; }

static FdUse *first_of(const Port *port) {
    mutex_lock(&lists);
    FdUse *first = port->fds;
    mutex_unlock(&lists);
    return first;
}

void port_select_end(Port *port) {
    for (FdUse *u; (u = first_of(port)) != NULL;) {
        int fd = fd_of(u);
        fd_entry_lock(fd);
        bool was_open = u->port == port && give_up(fd, u);
        fd_entry_unlock(fd);
        if (was_open)
            select_report_left(port);
    }
}

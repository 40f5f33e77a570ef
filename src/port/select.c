#include "port/select.h"

#include <errno.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/race_window.h"
#include "port/callback.h"
#include "port/trace.h"
#include "process/signal.h"
#include "sys/fd_poll.h"

/* One direction's signal. */
typedef struct {
    CallSignal call; /* must be first */
    int fd;
    bool is_under_way;
} Ready;

typedef struct FdUse {
    struct FdUse *next, **link; /* among the port's */
    Port *port;    /* NULL: nobody's */
    unsigned wanted; /* FD_READ, FD_WRITE */
    uint32_t key;    /* of the last arming */
    Ready input, output;
} FdUse;

/* Entries are made in blocks, never moved or freed. A block is published by a compare and swap. */
#define BLOCK_ENTRIES 64
#define BLOCKS 16384
#define PARTS 16
static _Atomic(FdUse *) blocks[BLOCKS];
#define PART MUTEX_INITIALIZER(LOCK_PORT_SELECT)
static Mutex parts[PARTS] = {PART, PART, PART, PART, PART, PART, PART, PART,
                             PART, PART, PART, PART, PART, PART, PART, PART};

/* Those of native libraries and of waits have this bit clear: nif/select.c, process/fd_wait.c. */
#define OURS ((uint64_t)1 << 30)
#define FD_MASK ((uint64_t)OURS - 1)

bool port_select_is_key(uint64_t key) { return (key & OURS) != 0; }

static Mutex *lock_of(int fd) { return &parts[fd % PARTS]; }

static void take_input(Process *receiver, CallSignal *call);
static void take_output(Process *receiver, CallSignal *call);

static void ready_init(Ready *r, int fd, void handle(Process *, CallSignal *)) {
    signal_init(&r->call.signal, SIGNAL_CALL);
    r->call.handle = handle;
    r->fd = fd;
}

static FdUse *block_create(int first) {
    uint64_t owner = alloc_for_all();
    FdUse *block = mem_calloc(ALLOC_PORT, BLOCK_ENTRIES * sizeof *block);
    alloc_owner = owner;
    for (int i = 0; i < BLOCK_ENTRIES; i++) {
        ready_init(&block[i].input, first + i, take_input);
        ready_init(&block[i].output, first + i, take_output);
    }
    return block;
}

/* NULL: no descriptor. */
static FdUse *use_of(int fd) {
    if (fd < 0 || fd >= BLOCKS * BLOCK_ENTRIES)
        return NULL;
    _Atomic(FdUse *) *place = &blocks[fd / BLOCK_ENTRIES];
    FdUse *block = atomic_load_explicit(place, memory_order_acquire);
    if (block == NULL) {
        FdUse *fresh = block_create(fd - fd % BLOCK_ENTRIES);
        if (atomic_compare_exchange_strong(place, &block, fresh))
            block = fresh;
        else
            mem_free(ALLOC_PORT, fresh);
    }
    return &block[fd % BLOCK_ENTRIES];
}

/* Under the lock. 0, or an error number; EPERM: it is always ready. */
static int arm(int fd, FdUse *u) {
    unsigned events = u->wanted & ~((u->input.is_under_way ? FD_READ : 0u) | (u->output.is_under_way ? FD_WRITE : 0u));
    u->key++;
    return fd_poll_arm(fd, events, (uint64_t)u->key << 32 | OURS | (uint32_t)fd);
}

/* Under the lock: a port's signals end where its list is closed, and it gives this up before. */
static void send(FdUse *u, Ready *r) {
    r->is_under_way = true;
    if (!signal_push(&u->port->actor, &r->call.signal))
        r->is_under_way = false;
}

static void send_events(FdUse *u, unsigned events) {
    if (events & u->wanted & FD_READ && !u->input.is_under_way)
        send(u, &u->input);
    if (events & u->wanted & FD_WRITE && !u->output.is_under_way)
        send(u, &u->output);
}

void port_select_ready(uint64_t key, unsigned events) {
    int fd = (int)(key & FD_MASK);
    FdUse *u = use_of(fd);
    if (events & FD_PROBLEM) /* whoever reads or writes finds out */
        events |= FD_READ | FD_WRITE;
    mutex_lock(lock_of(fd));
    if (u->key == key >> 32 && u->port != NULL) {
        send_events(u, events);
        if (u->wanted & ~events)
            (void)arm(fd, u);
    }
    mutex_unlock(lock_of(fd));
}

/* The signal has come. Is it still waited for, by this port? */
static bool is_wanted(const Port *port, FdUse *u, Ready *r, unsigned event) {
    mutex_lock(lock_of(r->fd));
    r->is_under_way = false;
    bool is = u->port == port && (u->wanted & event) != 0;
    if (!is && u->port != NULL && u->wanted != 0) /* it is another's, who is to hear of it */
        (void)arm(r->fd, u);
    mutex_unlock(lock_of(r->fd));
    return is;
}

static void arm_again(const Port *port, FdUse *u, int fd) {
    mutex_lock(lock_of(fd));
    if (u->port == port && u->wanted != 0 && arm(fd, u) == EPERM)
        send_events(u, u->wanted);
    mutex_unlock(lock_of(fd));
}

static void take(Process *receiver, Ready *r, unsigned event) {
    Port *port = port_of(receiver);
    FdUse *u = use_of(r->fd);
    if (!is_wanted(port, u, r, event))
        return;
    const ErlDrvEntry *entry = port->driver->entry;
    void (*ready)(ErlDrvData, ErlDrvEvent) = event == FD_READ ? entry->ready_input : entry->ready_output;
    if (ready == NULL) { /* it is told once, as it were */
        (void)port_select(port, (ErlDrvEvent)(intptr_t)r->fd, event == FD_READ ? ERL_DRV_READ : ERL_DRV_WRITE, 0);
        return;
    }
    port_trace_in(port, PORT_OWN_WORK);
    port_callback_begin(port);
    ready(port->data, (ErlDrvEvent)(intptr_t)r->fd);
    port_callback_end(port);
    port_trace_out(port, PORT_OWN_WORK);
    arm_again(port, u, r->fd);
}

static void take_input(Process *receiver, CallSignal *call) { take(receiver, (Ready *)call, FD_READ); }
static void take_output(Process *receiver, CallSignal *call) { take(receiver, (Ready *)call, FD_WRITE); }

static _Atomic size_t selected;
size_t port_select_count(void) { return atomic_load_explicit(&selected, memory_order_relaxed); }

/* The lists of all ports: a port that steals another's descriptor changes that one's. */
static Mutex lists = MUTEX_INITIALIZER(LOCK_PORT_SELECT_LISTS);

static void join(Port *port, FdUse *u) {
    atomic_fetch_add_explicit(&selected, 1, memory_order_relaxed);
    mutex_lock(&lists);
    u->port = port;
    u->next = port->fds;
    u->link = &port->fds;
    if (u->next != NULL)
        u->next->link = &u->next;
    port->fds = u;
    mutex_unlock(&lists);
}

/* Under the lock. */
static void give_up(int fd, FdUse *u) {
    atomic_fetch_sub_explicit(&selected, 1, memory_order_relaxed);
    mutex_lock(&lists);
    *u->link = u->next;
    if (u->next != NULL)
        u->next->link = u->link;
    u->port = NULL;
    mutex_unlock(&lists);
    u->wanted = 0;
    u->key++;
    fd_poll_forget(fd);
}

/* One that is always ready (a regular file) is ready now. */
static int want(Port *port, int fd, FdUse *u, unsigned events) {
    int result = 0;
    mutex_lock(lock_of(fd));
    if (u->port != NULL && u->port != port) /* another's: it is stolen */
        give_up(fd, u);
    if (u->port == NULL)
        join(port, u);
    u->wanted |= events;
    int error = arm(fd, u);
    if (error == EPERM)
        send_events(u, u->wanted);
    else if (error != 0)
        result = -1;
    if (result != 0)
        give_up(fd, u);
    mutex_unlock(lock_of(fd));
    return result;
}

/* True: it is nobody's now, and the driver is to hear of it. */
static bool want_no_more(const Port *port, int fd, FdUse *u, unsigned events, bool gives_up) {
    bool is_free = false;
    mutex_lock(lock_of(fd));
    if (u->port == port) {
        u->wanted &= ~events;
        is_free = gives_up;
        if (gives_up || u->wanted == 0)
            give_up(fd, u);
        else
            (void)arm(fd, u);
    } else {
        is_free = gives_up && u->port == NULL;
    }
    mutex_unlock(lock_of(fd));
    return is_free;
}

int port_select(Port *port, ErlDrvEvent event, int mode, int on) {
    int fd = (int)(intptr_t)event;
    FdUse *u = use_of(fd);
    unsigned events = (mode & ERL_DRV_READ ? FD_READ : 0u) | (mode & ERL_DRV_WRITE ? FD_WRITE : 0u);
    if (u == NULL)
        return -1;
    if (on)
        return events == 0 ? 0 : want(port, fd, u, events);
    bool gives_up = (mode & ERL_DRV_USE_NO_CALLBACK) == ERL_DRV_USE;
    if (want_no_more(port, fd, u, events, gives_up) && port->driver->entry->stop_select != NULL)
        port->driver->entry->stop_select(event, NULL);
    return 0;
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
        mutex_lock(lock_of(fd));
        if (u->port == port)
            give_up(fd, u);
        mutex_unlock(lock_of(fd));
    }
}

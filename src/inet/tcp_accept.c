#include "inet/tcp_accept.h"

#include <errno.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "inet/address.h"
#include "inet/tell.h"
#include "inet/timers.h"
#include "port/watch.h"
#include "term/atom.h"

typedef struct TcpAcceptor {
    KeyNode watched; /* must be first */
    struct TcpAcceptor *next, **link;
    InetWait wait;
    ErlDrvMonitor monitor;
} TcpAcceptor;

static void accept_due(Inet *d, uint64_t key);

Term tcp_listen(Inet *d, Reader *r, Text *answer) {
    if (d->fd < 0)
        return am_exbadport;
    unsigned backlog = reader_u16(r);
    if (r->bad)
        return am_einval;
    if (listen(d->fd, (int)backlog) != 0)
        return inet_error(errno);
    d->state |= INET_LISTENS;
    return am_ok;
}

/* --- who waits ---------------------------------------------------------------------------------------------------- */

static void none_waits(Tcp *t) {
    t->inet.state &= ~(unsigned)INET_ACCEPTS;
    inet_deselect(&t->inet, ERL_DRV_READ);
}

/* One that is monitored. */
static void put_last(Tcp *t, TcpAcceptor *a) {
    a->watched.key = port_watch_key(&a->monitor);
    key_table_add(&t->acceptors_watched, &a->watched);
    a->link = t->acceptors == NULL ? &t->acceptors : t->acceptors_end;
    *a->link = a;
    t->acceptors_end = &a->next;
}

/* Out of the list, and freed. */
static InetWait take_out(Tcp *t, TcpAcceptor *a) {
    inet_timer_cancel(&t->inet, &a->wait.timer);
    InetWait wait = a->wait;
    *a->link = a->next;
    if (a->next != NULL)
        a->next->link = a->link;
    else
        t->acceptors_end = a->link;
    (void)key_table_remove(&t->acceptors_watched, a->watched.key);
    (void)driver_demonitor_process(t->inet.port, &a->monitor);
    mem_free(ALLOC_PORT, a);
    if (t->acceptors == NULL)
        none_waits(t);
    return wait;
}

static void wait_for_one(Tcp *t, const InetWait *wait, uint32_t timeout) {
    TcpAcceptor *a = mem_calloc(ALLOC_PORT, sizeof *a);
    a->wait = *wait;
    if (driver_monitor_process(t->inet.port, wait->pid, &a->monitor) != 0) {
        mem_free(ALLOC_PORT, a);
        return;
    }
    put_last(t, a);
    if (timeout != UINT32_MAX)
        a->wait.timer = inet_timer_set(&t->inet, timeout, accept_due, (uintptr_t)a);
    t->inet.state |= INET_ACCEPTS;
    inet_select(&t->inet, ERL_DRV_READ);
}

static void accept_due(Inet *d, uint64_t key) {
    TcpAcceptor *a = (TcpAcceptor *)(uintptr_t)key; /* its timer goes before it does */
    a->wait.timer = NULL;
    InetWait wait = take_out(tcp_of(d), a);
    inet_tell_async(d, &wait, am_timeout);
}

void tcp_acceptor_gone(Tcp *t, const ErlDrvMonitor *monitor) {
    KeyNode *a = key_table_find(&t->acceptors_watched, port_watch_key(monitor));
    if (a != NULL)
        (void)take_out(t, (TcpAcceptor *)a);
}

void tcp_acceptors_end(Tcp *t) {
    while (t->acceptors != NULL) {
        InetWait wait = take_out(t, t->acceptors);
        inet_tell_async(&t->inet, &wait, am_closed);
    }
}

/* --- new ones ----------------------------------------------------------------------------------------------------- */

/* Options of the driver's go over; the system's do by themselves, or prim_inet sets them. */
static Tcp *copy_of(const Tcp *from) {
    Tcp *t = mem_calloc(ALLOC_PORT, sizeof *t);
    *t = *from;
    Inet *d = &t->inet;
    d->wait = (InetWait){.pid = NON_VALUE};
    t->blocked = INET_SENDER_NONE;
    t->blocked_timer = NULL;
    t->late_send = t->late_receive = t->late_error = NON_VALUE;
    d->name = d->peer = NULL;
    d->network_space = NULL;
    d->timers = NULL;
    d->timer_at = 0;
    d->subscribers = NULL;
    d->last_id = d->selected = 0;
    d->active = INET_PASSIVE;
    d->active_count = 0;
    d->in = d->out = (InetTraffic){0};
    t->buffer = NULL;
    t->start = t->end = 0;
    t->acceptors = NULL;
    t->acceptors_watched = (KeyTable){0};
    t->file = NULL;
    return t;
}

static void copy_limits(ErlDrvPort from, ErlDrvPort to) {
    ErlDrvSizeT low = ERL_DRV_BUSY_MSGQ_READ_ONLY, high = ERL_DRV_BUSY_MSGQ_READ_ONLY;
    erl_drv_busy_msgq_limits(from, &low, &high);
    erl_drv_busy_msgq_limits(to, &low, &high);
}

/* NON_VALUE: there are as many ports as there may be, or he has gone. */
static Term port_for(Tcp *listener, int fd, Term owner) {
    Tcp *t = copy_of(listener);
    ErlDrvPort port = driver_create_port(listener->inet.port, owner, (char *)"tcp_inet", (ErlDrvData)t);
    if (port == (ErlDrvPort)-1) {
        mem_free(ALLOC_PORT, t);
        close(fd);
        return NON_VALUE;
    }
    t->inet.port = port;
    t->inet.id = driver_mk_port(port);
    inet_take_fd(&t->inet, fd, listener->inet.domain, listener->inet.type);
    t->inet.state |= INET_CONNECTED;
    copy_limits(listener->inet.port, port);
    return t->inet.id;
}

static void give(Tcp *t, const InetWait *wait, int fd) {
    Term port = port_for(t, fd, wait->pid);
    if (is_value(port))
        inet_tell_async_value(&t->inet, wait, port);
    else
        inet_tell_async(&t->inet, wait, am_system_limit);
}

/* Nothing is lost by waiting on: there is none, or it was gone before it was taken. */
static bool is_to_wait(int error) { return error == EAGAIN || error == ECONNABORTED || error == EINTR; }

static int accept_one(const Tcp *t) { return accept4(t->inet.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

static void accept_at_once(Tcp *t, const InetWait *wait, uint32_t timeout) {
    int fd = t->acceptors == NULL ? accept_one(t) : -1, error = t->acceptors == NULL ? errno : EAGAIN;
    if (fd >= 0)
        give(t, wait, fd);
    else if (!is_to_wait(error))
        inet_tell_async(&t->inet, wait, inet_error(error));
    else if (timeout == 0)
        inet_tell_async(&t->inet, wait, am_timeout);
    else
        wait_for_one(t, wait, timeout);
}

Term tcp_accept(Inet *d, Reader *r, Text *answer) {
    if (!(d->state & INET_LISTENS) || reader_left(r) != 4)
        return am_einval;
    InetWait wait = {inet_caller(d), inet_next_id(d, answer), REQUEST_ACCEPT, NULL};
    accept_at_once(tcp_of(d), &wait, reader_u32(r));
    return am_ok;
}

void tcp_accept_ready(Tcp *t) {
    while (t->acceptors != NULL) {
        int fd = accept_one(t), error = errno;
        if (fd < 0 && is_to_wait(error))
            return;
        InetWait wait = take_out(t, t->acceptors);
        if (fd >= 0)
            give(t, &wait, fd);
        else
            inet_tell_async(&t->inet, &wait, inet_error(error));
    }
}

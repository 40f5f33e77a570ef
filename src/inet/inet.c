#include "inet/inet.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "inet/subscribe.h"
#include "inet/timers.h"
#include "port/select.h"
#include "sys/errno_name.h"
#include "sys/network_space.h"
#include "term/atom.h"

void inet_init(Inet *d, ErlDrvPort port, const InetDriver *driver) {
    d->port = port;
    d->id = driver_mk_port(port);
    d->driver = driver;
    d->fd = -1;
    d->wait.pid = NON_VALUE;
    d->deliver = INET_AS_TERM;
    d->exits_on_close = true;
    d->line_delimiter = '\n';
    d->reads_ahead = true;
    d->buffer_size = INET_BUFFER_DEFAULT;
}

void inet_release(Inet *d) {
    inet_timers_release(d);
    inet_subscribers_release(d);
    mem_free(ALLOC_PORT, d->network_space);
    mem_free(ALLOC_PORT, d->name);
    mem_free(ALLOC_PORT, d->peer);
}

void inet_select(Inet *d, unsigned events) {
    if ((d->selected & events) == events)
        return;
    if (d->ignores_fd || driver_select(d->port, inet_event(d), (int)events | ERL_DRV_USE, 1) == 0)
        d->selected |= events; /* else whoever waits next tries again */
}

void inet_deselect(Inet *d, unsigned events) {
    if ((d->selected & events) == 0)
        return;
    d->selected &= ~events;
    if (!d->ignores_fd)
        (void)driver_select(d->port, inet_event(d), (int)events, 0);
}

/* Whoever selects it next does not take it away from this port. */
static void give_up_fd(Inet *d) {
    (void)driver_select(d->port, inet_event(d), ERL_DRV_READ | ERL_DRV_WRITE | ERL_DRV_USE, 0);
}

void inet_ignore_fd(Inet *d, bool ignores) {
    if (ignores)
        give_up_fd(d);
    else if (d->selected != 0)
        (void)driver_select(d->port, inet_event(d), (int)d->selected | ERL_DRV_USE, 1);
    d->ignores_fd = ignores;
}

void inet_read_on(Inet *d) {
    if (!d->ignores_fd && d->fd >= 0 && d->selected & ERL_DRV_READ)
        port_select_more((const Port *)d->port, inet_event(d));
}

void inet_close_fd(Inet *d) {
    if (d->fd >= 0) {
        give_up_fd(d);
        close(d->fd);
    }
    d->fd = -1;
    d->selected = 0;
    d->state = 0;
    d->ignores_fd = false;
}

static int open_in_space(const Inet *d, int domain, int type) {
    NetworkSpace space;
    int protocol = domain == AF_LOCAL ? 0 : d->driver->protocol;
    if (d->network_space == NULL)
        return socket(domain, type, protocol);
    if (!network_space_enter(&space, d->network_space))
        return -1;
    int fd = socket(domain, type, protocol), error = errno;
    network_space_leave(&space);
    errno = error;
    return fd;
}

int inet_open_fd(Inet *d, int domain, int type) {
    int fd = open_in_space(d, domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return errno;
    inet_take_fd(d, fd, domain, type);
    return 0;
}

void inet_take_fd(Inet *d, int fd, int domain, int type) {
    d->fd = fd;
    d->domain = domain;
    d->type = type;
    d->state = INET_OPEN;
}

Term inet_error(int number) { return atom_from_cstring(errno_name(number)); }

unsigned inet_next_id(Inet *d, Text *answer) {
    unsigned id = d->last_id++ & 0xffff;
    inet_put_u16(answer, id);
    return id;
}

void inet_wait_begin(Inet *d, unsigned request, Text *answer) {
    d->wait = (InetWait){((Port *)d->port)->caller, inet_next_id(d, answer), request, NULL};
}

static void put(Text *answer, uint64_t value, unsigned bytes) {
    while (bytes-- > 0)
        text_byte(answer, (char)(value >> 8 * bytes));
}

void inet_put_u16(Text *answer, unsigned value) { put(answer, value, 2); }
void inet_put_u32(Text *answer, uint32_t value) { put(answer, value, 4); }
void inet_put_u64(Text *answer, uint64_t value) { put(answer, value, 8); }

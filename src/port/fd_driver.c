#include "port/fd_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "port/line.h"
#include "port/output.h"
#include "sys/standard_input.h"
#include "term/atom.h"

#define READ_BYTES 65536
#define READ_IN_PIECES 4096 /* where each byte may be a message: others have their turns */
#define BUSY_BYTES 8192 /* in the queue, by default; and not busy any more at half of it */
#define PARTS_AT_ONCE 64

/* A packet that has come in part. */
typedef struct {
    uint8_t header[4];
    unsigned header_size;
    RefcBinary *body; /* NULL while the header is not whole */
    size_t size;      /* of the body that has come */
} Packet;

typedef struct {
    Port *port;
    int read_fd, write_fd; /* -1: none, or no more */
    bool owns_read_fd, owns_write_fd; /* to be closed */
    bool writes_socket;
    ChildId child;         /* that it watches */
    bool has_ended;        /* the program: with `status` */
    bool is_at_end;        /* of what is read */
    int status;
    Packet packet;
} FdData;

static FdData *data_of(ErlDrvData d) { return (FdData *)d; }
static ErlDrvData as_data(FdData *d) { return (ErlDrvData)d; }
static ErlDrvEvent event_of(int fd) { return (ErlDrvEvent)(intptr_t)fd; }
static ErlDrvPort as_port(Port *port) { return (ErlDrvPort)port; }

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static void set_busy_limits(PortOptions *o) {
    if (o->port_high == 0) {
        o->port_high = BUSY_BYTES;
        o->port_low = BUSY_BYTES / 2;
    }
}

/* False: the system has no room to watch it (errno), and nothing would come of it. One that is no descriptor has been
 * reported, and the port goes on, as on the stock runtime. */
static bool watch(ErlDrvPort port, int fd, int direction) {
    return driver_select(port, event_of(fd), direction | ERL_DRV_USE, 1) == 0 || errno == EBADF;
}

/* NULL: what it reads cannot be watched. */
static FdData *begin(ErlDrvPort port, const SysDriverOpts *start, bool is_own) {
    if (start->read_fd >= 0 && !watch(port, start->read_fd, ERL_DRV_READ))
        return NULL;
    FdData *d = mem_calloc(ALLOC_PORT, sizeof *d);
    d->port = (Port *)port;
    d->read_fd = start->read_fd;
    d->write_fd = start->write_fd;
    d->owns_read_fd = d->owns_write_fd = is_own;
    set_busy_limits(&d->port->options);
    return d;
}

static void tell_end(FdData *d) {
    if (d->port->options.tells_status)
        port_tell_value(d->port, am_exit_status, small_make(d->status));
    (void)driver_failure_eof(as_port(d->port));
}

/* The status is told when all has been read, however long that takes. */
static void program_ended(Port *port, int status) {
    FdData *d = data_of(port->data);
    if (!port->is_started)
        return;
    d->child = CHILD_NONE;
    d->has_ended = true;
    d->status = status;
    if (d->is_at_end || d->read_fd < 0)
        tell_end(d);
}

static ErlDrvData spawn_start(ErlDrvPort port, char *command, SysDriverOpts *start) {
    FdData *d = begin(port, start, true);
    if (d == NULL)
        return ERL_DRV_ERROR_ERRNO;
    erl_drv_set_os_pid(port, start->pid);
    if (start->child == CHILD_NONE) {
        d->has_ended = true;
        d->status = start->child_status;
    } else if (d->port->options.tells_status) {
        d->child = start->child;
        child_watch(d->child, d->port, program_ended);
    } else {
        child_forget(start->child);
    }
    return as_data(d);
}

/*
 * What others have open, too, must not be made non-blocking: that would be so for them. A pipe or a terminal is opened
 * anew for writing, to the port alone; what is written to a socket is told not to wait, each time. Files do not wait.
 */
static void write_without_waiting(FdData *d) {
    struct stat s;
    char path[64];
    if (d->write_fd < 0 || fstat(d->write_fd, &s) != 0)
        return;
    d->writes_socket = S_ISSOCK(s.st_mode);
    if (!S_ISFIFO(s.st_mode) && !S_ISCHR(s.st_mode))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", d->write_fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own < 0)
        return;
    d->write_fd = own;
    d->owns_write_fd = true;
}

static ErlDrvData fd_start(ErlDrvPort port, char *command, SysDriverOpts *start) {
    FdData *d = begin(port, start, false);
    if (d == NULL)
        return ERL_DRV_ERROR_ERRNO;
    write_without_waiting(d);
    return as_data(d);
}

static ErlDrvData file_start(ErlDrvPort port, char *command, SysDriverOpts *start) {
    FdData *d = begin(port, start, true);
    return d == NULL ? ERL_DRV_ERROR_ERRNO : as_data(d);
}

static void give_up(FdData *d, int *fd, bool is_own) {
    if (*fd >= 0)
        (void)driver_select(as_port(d->port), event_of(*fd), ERL_DRV_READ | ERL_DRV_WRITE | ERL_DRV_USE, 0);
    if (*fd >= 0 && is_own)
        close(*fd);
    *fd = -1;
}

static void stop(ErlDrvData data) {
    FdData *d = data_of(data);
    if (d->read_fd == d->write_fd)
        d->write_fd = -1;
    give_up(d, &d->read_fd, d->owns_read_fd);
    give_up(d, &d->write_fd, d->owns_write_fd);
    if (d->child != CHILD_NONE)
        child_forget(d->child);
    if (d->packet.body != NULL)
        refc_binary_release(d->packet.body);
    mem_free(ALLOC_PORT, d);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static size_t packet_length(const Packet *p) {
    size_t length = 0;
    for (unsigned i = 0; i < p->header_size; i++)
        length = length << 8 | p->header[i];
    return length;
}

static void packet_is_whole(FdData *d) {
    Packet *p = &d->packet;
    port_tell_data(d->port, NULL, 0, (char *)p->body->bytes, p->size, p->body);
    refc_binary_release(p->body);
    *p = (Packet){.body = NULL};
}

/* Takes what belongs to the packet that has begun; how many bytes. 0: there is no memory for it. */
static size_t packet_take(FdData *d, const uint8_t *bytes, size_t size) {
    Packet *p = &d->packet;
    size_t taken = 0;
    while (p->header_size < d->port->options.packet_bytes && taken < size)
        p->header[p->header_size++] = bytes[taken++];
    if (p->header_size < d->port->options.packet_bytes)
        return taken;
    if (p->body == NULL && (p->body = refc_binary_try_create(packet_length(p))) == NULL)
        return 0;
    size_t left = p->body->size - p->size, part = size - taken < left ? size - taken : left;
    memcpy(p->body->bytes + p->size, bytes + taken, part);
    p->size += part;
    if (p->size == p->body->size)
        packet_is_whole(d);
    return taken + part;
}

static void take(FdData *d, const uint8_t *bytes, size_t size) {
    if (d->port->options.packet_bytes == 0) {
        port_tell_data(d->port, NULL, 0, (const char *)bytes, size, NULL);
        return;
    }
    for (size_t taken; size > 0; bytes += taken, size -= taken) {
        taken = packet_take(d, bytes, size);
        if (taken == 0) {
            (void)driver_failure_posix(as_port(d->port), ENOMEM);
            return;
        }
    }
}

/* Nothing more comes: the program has ended, or it is waited for if its status is to be told. */
static void at_end(FdData *d, int error) {
    (void)driver_select(as_port(d->port), event_of(d->read_fd), ERL_DRV_READ, 0);
    d->is_at_end = true;
    if (error != 0)
        (void)driver_failure_posix(as_port(d->port), error);
    else if (!d->port->options.tells_status || d->has_ended)
        tell_end(d);
}

/* How much is read at once: of a packet or a line that is long already as much as of a stream. */
static size_t bytes_at_once(const FdData *d) {
    const Port *port = d->port;
    const Packet *p = &d->packet;
    size_t begun = line_size(port->line), left = p->body == NULL ? 0 : p->body->size - p->size;
    if ((port->options.packet_bytes == 0 && port->options.line == 0) || begun >= READ_IN_PIECES)
        return READ_BYTES;
    return left <= READ_IN_PIECES ? READ_IN_PIECES : left < READ_BYTES ? left : READ_BYTES;
}

static void ready_input(ErlDrvData data, ErlDrvEvent event) {
    uint8_t bytes[READ_BYTES]; /* schedulers have room for it; as their own data it would take that from all threads */
    FdData *d = data_of(data);
    ssize_t size = input_read(d->read_fd, bytes, bytes_at_once(d));
    if (size > 0)
        take(d, bytes, (size_t)size);
    else if (size == 0 || (errno != EAGAIN && errno != EINTR))
        at_end(d, size == 0 || errno == EIO ? 0 : errno); /* a terminal that is gone says EIO */
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void check_busy(FdData *d) {
    const PortOptions *o = &d->port->options;
    size_t queued = d->port->queue.bytes;
    if (queued >= o->port_high && !port_has_status(d->port, PORT_BUSY))
        set_busy_port(as_port(d->port), 1);
    else if (queued < o->port_low && port_has_status(d->port, PORT_BUSY))
        set_busy_port(as_port(d->port), 0);
}

/* Bytes written; -1: none can be now. An error ends the port. */
static ssize_t write_some(FdData *d, const SysIOVec *iov, int count) {
    struct msghdr message = {.msg_iov = (struct iovec *)iov,
                             .msg_iovlen = count < PARTS_AT_ONCE ? (size_t)count : PARTS_AT_ONCE};
    ssize_t written = d->writes_socket ? sendmsg(d->write_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL)
                                       : writev(d->write_fd, message.msg_iov, (int)message.msg_iovlen);
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        (void)driver_failure_posix(as_port(d->port), errno);
    return written;
}

static void put_header(uint8_t *header, unsigned bytes, size_t length) {
    for (unsigned i = 0; i < bytes; i++)
        header[i] = (uint8_t)(length >> 8 * (bytes - 1 - i));
}

static bool fits(size_t length, unsigned packet_bytes) {
    return packet_bytes == 0 || packet_bytes > 4 || length >> 8 * packet_bytes == 0;
}

/* The free place in front is the header's. */
static void outputv(ErlDrvData data, ErlIOVec *v) {
    FdData *d = data_of(data);
    uint8_t header[4];
    unsigned header_size = d->port->options.packet_bytes;
    if (!fits(v->size, header_size)) {
        (void)driver_failure_posix(as_port(d->port), EINVAL);
        return;
    }
    put_header(header, header_size, v->size);
    v->iov[0] = (SysIOVec){(char *)header, header_size};
    v->size += header_size;
    ssize_t written = d->port->queue.bytes == 0 ? write_some(d, v->iov, v->vsize) : 0;
    if (is_value(d->port->close_reason) || (size_t)(written < 0 ? 0 : written) == v->size)
        return;
    (void)driver_enqv(as_port(d->port), v, (size_t)(written < 0 ? 0 : written));
    if (!watch(as_port(d->port), d->write_fd, ERL_DRV_WRITE)) {
        (void)driver_failure_posix(as_port(d->port), errno);
        return;
    }
    check_busy(d);
}

static void ready_output(ErlDrvData data, ErlDrvEvent event) {
    FdData *d = data_of(data);
    int count;
    const SysIOVec *iov = driver_peekq(as_port(d->port), &count);
    ssize_t written = iov == NULL ? 0 : write_some(d, iov, count);
    if (written > 0)
        (void)driver_deq(as_port(d->port), (size_t)written);
    if (driver_sizeq(as_port(d->port)) == 0)
        (void)driver_select(as_port(d->port), event, ERL_DRV_WRITE, 0);
    check_busy(d);
}

void fd_driver_tell_now(const Port *port, const uint8_t *bytes, size_t count) {
    if (!port->is_started || port->driver->entry->outputv != outputv || port->queue.bytes > 0)
        return;
    const FdData *d = data_of(port->data);
    uint8_t header[4];
    unsigned header_size = port->options.packet_bytes;
    if (d->write_fd < 0 || !fits(count, header_size))
        return;
    put_header(header, header_size, count);
    struct iovec parts[] = {{header, header_size}, {(void *)bytes, count}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t ignored =
        d->writes_socket ? sendmsg(d->write_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) : writev(d->write_fd, parts, 2);
    (void)ignored;
}

#define COMMON(flags)                                                                                                  \
    .stop = stop, .ready_input = ready_input, .ready_output = ready_output, .outputv = outputv,                        \
    .extended_marker = (int)ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,                  \
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION, .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING | (flags)

const ErlDrvEntry spawn_driver = {.driver_name = (char *)"spawn", .start = spawn_start, COMMON(DRIVER_AS_OUTPUT)};
const ErlDrvEntry fd_driver = {.driver_name = (char *)"fd", .start = fd_start, COMMON(0)};
const ErlDrvEntry file_driver = {.driver_name = (char *)"vanilla", .start = file_start, COMMON(0)};

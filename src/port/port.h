/*
 * A port: an actor (process/actor.h) whose body is a driver.
 *
 * What somebody wants of a port is a signal to it, and is done by the thread that runs the port at the time: so of a
 * port's callbacks one runs at a time, and signals of one sender take effect in order. Who finds the port at rest runs
 * it himself, for the moment that it takes (port_tell). Nobody locks a port from outside; all fields belong to the
 * thread that runs it, but for those that are said to be shared. A driver that asks for it has a lock over all its
 * ports; it is held while a callback runs (port/driver.h).
 *
 * A port can be found before its driver is started; RUNNING all the time, so that what comes waits in its list. It is
 * OPEN when the driver has started. It is CLOSING from the moment that a reason is known: it has no
 * name, whoever was linked to it or monitors it is told, no command is taken any more, and only what the driver has
 * queued is still written. When that is out, or at once where there is nothing or nobody to write it, the
 * driver is told to stop, the port leaves its table, and its memory goes through thread progress.
 *
 * Source: erlang(3) open_port/2, port_command/3 and others; driver_entry(3).
 */
#ifndef VIV_PORT_PORT_H
#define VIV_PORT_PORT_H

#include "heap/kept.h"
#include "port/driver.h"
#include "port/io_vector.h"
#include "process/actor.h"
#include "process/port_table.h"

struct PortWaiting;
struct KeptBack;
struct FdUse;
struct PortValue;
struct Timer;

/* Bits of `status`: written by the thread that runs the port, others may look. */
enum {
    PORT_CLOSING = 1u << 0,
    PORT_BUSY = 1u << 1,       /* the driver says so */
    PORT_QUEUE_BUSY = 1u << 2, /* too many bytes wait in its signals */
    PORT_GONE = 1u << 3,       /* the driver has stopped; set under the data lock, if there is one */
    PORT_ENDS = 1u << 4,       /* closing, with nothing left to write: erlang:ports/0 does not name it any more */
};

typedef struct {
    bool is_binary; /* data comes as binaries */
    bool tells_eof, tells_status, hides, is_parallel;
    bool reads, writes; /* neither is both */
    bool uses_stdio, merges_stderr;
    unsigned packet_bytes; /* 0: a stream; 1, 2, 4 */
    size_t line;           /* 0: no lines; else the longest */
    size_t queue_low, queue_high; /* busy_limits_msgq, as it is opened with */
    size_t port_low, port_high;   /* busy_limits_port; 0: none */
} PortOptions;

/*
 * Who has a port to himself: a connection to another node. He gets what its driver would tell the connected process,
 * and writes by it (port_send_vector). By the thread that runs the port; `input` may be called in a callback. One hold
 * is the port's, until it is gone (`leave`).
 */
typedef struct PortPeer {
    /* One packet; `shared`, if not NULL, holds the bytes. */
    void (*input)(struct PortPeer *peer, const uint8_t *bytes, size_t size, RefcBinary *shared);
    /* False: what he has is enough for now. The driver, if it can leave what comes to the system, reads no more, and
     * says how it is to go on (`read_on`), which he will ask for (port/read_on.h). */
    bool (*takes_more)(struct PortPeer *peer);
    void (*read_on)(ErlDrvData data); /* the driver's; NULL: it never stops */
    /* It is not busy any more. */
    void (*is_free)(struct PortPeer *peer);
    void (*leave)(struct PortPeer *peer);
} PortPeer;

/* Where nothing else is said; set before anything starts (+spp), then constant. */
extern PortOptions port_defaults;

typedef enum {
    CLOSE_LINKS,
    CLOSE_WATCHERS,
    CLOSE_MONITORS,
    CLOSE_WAITING,
    CLOSE_FLUSH,
    CLOSE_WRITE,
    CLOSE_STOP
} CloseStep;

typedef struct Port {
    Process actor; /* must be first */
    Driver *driver; /* one count */
    struct Port *driver_next, **driver_link; /* among those of a library's driver (port/library.h); NULL: in no list */
    ErlDrvData data;
    char *name; /* that it was opened with */
    PortOptions options;
    int control_flags;
    int64_t os_pid; /* -1: none */
    IoVector queue; /* the driver's, */
    ErlDrvPDL data_lock; /* under this where there is one (port/data_lock.h) */
    struct LineBuffer *line; /* the beginning of one that has not ended; NULL: there is none */
    struct PortWaiting *waiting, **waiting_end; /* who waits until it is not busy, oldest first (port/busy.h) */
    struct KeptBack *kept_back; /* commands that came when it had become busy (port/kept_back.h); NULL: none */
    struct FdUse *fds; /* descriptors that it has selected (port/select.h) */
    struct Timer *timer; /* that its driver has set; NULL: none */
    struct Port *created; /* by its driver, in the callback that runs: this thread runs them as well */
    struct Port *created_next; /* in the list of those */
    PortPeer *peer; /* NULL: it has none, as nearly all */
    bool more_follows; /* behind the bytes that the driver is given: its peer has said so */
    Term opener; /* who waits until the driver says that it has begun: a pid */
    uint64_t open_request; /* by which he waits; 0: he does not */
    ErlDrvData acknowledged; /* what it has said, while it starts; NULL: nothing */
    Term caller; /* whose signal is being handled, or NON_VALUE */
    Term told_closed; /* who hears when it is gone that it is closed; NON_VALUE: nobody */
    struct Signal *late; /* links and monitors that are refused after that, newest first */
    Term close_reason; /* an atom: what the callback that runs closes it with; NON_VALUE: it does not */
    bool close_flushes; /* the same: what is in the queue is written first */
    bool is_started; /* `start` has come back well: `stop` is to be called */
    bool is_in_slice; /* a scheduler runs it, and not who asks it something */
    bool is_told_in; /* the same, and it has done something: it is over when the slice is (port/trace.h) */
    bool halts, takes_no_more; /* the runtime waits until its queue is empty (port/halt.h) */
    CloseStep step; /* of one that is closing */
    Kept reason; /* the same */
    ProgressNode progress; /* the way out */

    /* Shared. */
    _Atomic uint32_t status; /* written by the port */
    _Atomic Term connected; /* the process that gets its data: a pid; the same */
    _Atomic size_t queue_low, queue_high; /* busy_limits_msgq; SIZE_MAX: none, for ever; the same */
    _Atomic uint64_t bytes_in, bytes_out; /* the same */
    _Atomic uint32_t holders; /* of its memory: 1 until all have seen that it is gone, 1 for each driver_async, and 1
                                 * of its data lock */
    struct PortValue *_Atomic value; /* erlang:port_set_data/2 (port/value.h); NULL: nothing; exchanged by all */
    _Atomic size_t bytes_waiting; /* in commands that it has not handled: written by all */
} Port;

/* What all ports have told and were told so far. */
extern _Atomic uint64_t ports_bytes_in, ports_bytes_out;

static inline Port *port_of(Process *actor) { return (Port *)actor; }
static inline Term port_id(const Port *port) { return port->actor.pid; }
static inline bool port_has_status(const Port *port, uint32_t bits) {
    return (atomic_load_explicit(&port->status, memory_order_acquire) & bits) != 0;
}
/* May it tell anything? One that had nothing left to write at its close tells its last, in `stop`, as on stock. */
static inline bool port_is_heard(const Port *port) {
    return !port_has_status(port, PORT_CLOSING) || port_has_status(port, PORT_ENDS);
}
/* Has the callback that runs ended it? Its driver is heard no more then, until `stop`: as on the stock runtime, which
 * ends it at once. By the thread that runs it. */
static inline bool port_is_over(const Port *port) {
    return is_value(port->close_reason) && !port_has_status(port, PORT_CLOSING);
}
/* May its driver be called for what it waited for: an end, a time, a job, a descriptor? No more when all is written:
 * who is told of the port's end hears nothing of it behind that. */
static inline bool port_is_served(const Port *port) { return port->is_started && !port_has_status(port, PORT_ENDS); }
static inline Term port_connected(const Port *port) {
    return atomic_load_explicit(&port->connected, memory_order_acquire);
}
/* One that can be found; NULL: none. As process_find. */
static inline Port *port_at(Term id) { return is_local_port(id) ? port_of(port_find(id)) : NULL; }
/* The same by name, too. */
Port *port_at_name(Term id_or_name);

#endif

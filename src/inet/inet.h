/*
 * The socket of a port of the drivers `tcp_inet` and `udp_inet`: what both have.
 *
 * It belongs to the thread that runs the port (port/port.h), which is the only one to read or write it: nothing here is
 * locked. `fd` is -1 until it is opened, and again when it has been closed; the port may go on then, and says what
 * became of it. What the system is asked never waits: descriptors are non-blocking, and who waits is told by a message.
 *
 * A driver's own structure begins with an Inet. What a driver does its own way stands in its InetDriver.
 */
#ifndef VIV_INET_INET_H
#define VIV_INET_INET_H

#include <sys/socket.h>

#include "base/reader.h"
#include "inet/protocol.h"
#include "port/port.h"
#include "term/text.h"

/* Bits of `state`, as prim_inet:getstatus/1 has them. */
enum {
    INET_OPEN = 0x01,
    INET_BOUND = 0x02,
    INET_CONNECTED = 0x04,
    INET_LISTENS = 0x08,
    INET_CONNECTS = 0x10,
    INET_ACCEPTS = 0x20,
    INET_BUSY = 0x80,
};

typedef enum { INET_PASSIVE, INET_ACTIVE, INET_ACTIVE_ONCE, INET_ACTIVE_COUNTED } InetActive;
enum { INET_RECEIVES_TOS = 1, INET_RECEIVES_TTL = 2, INET_RECEIVES_TCLASS = 4 };
enum { INET_LISTS, INET_BINARIES };  /* `mode` */
enum { INET_AS_PORT, INET_AS_TERM }; /* `deliver`: {Port, {data, Data}}, or {tcp, Port, Data} and the like */

typedef struct Inet Inet;
struct InetTimer;

/* What was asked for by somebody who waits for {inet_async, Port, Id, Result}. */
typedef struct {
    Term pid;          /* NON_VALUE: nobody waits */
    unsigned id;       /* 16 bits */
    unsigned request;  /* its number */
    struct InetTimer *timer; /* that ends it (inet/timers.h); NULL: there is none */
} InetWait;

/* A request takes its arguments apart and appends to the answer: am_ok, or the name of an error. */
typedef Term InetRequest(Inet *d, Reader *arguments, Text *answer);
/* A value of 32 bits that an option has here. Setting one: am_ok, or the name of an error. */
typedef int32_t InetGet(const Inet *d);
typedef Term InetSet(Inet *d, int32_t value);

/* An option that is the driver's, not the system's. */
typedef struct {
    InetGet *get; /* NULL: it cannot be asked for */
    InetSet *set; /* NULL: there is no such option */
} InetLocalOption;

typedef struct {
    int type;                           /* SOCK_STREAM, SOCK_DGRAM */
    int protocol;                       /* IPPROTO_UDP; 0: whatever belongs to the type, which may be no other */
    bool keeps_kind;                    /* what it was is told when it has been closed */
    Term passive_tag;                   /* says that `active` has counted to its end: {tcp_passive, Port} */
    InetRequest *const *requests;       /* of its own, by number; REQUESTS of them */
    const InetLocalOption *options;     /* the same; OPTIONS of them */
    void (*activity_changed)(Inet *d, int32_t before); /* the option `active` was set */
    void (*opened)(Inet *d);            /* NULL: nothing is to be done */
    void (*close)(Inet *d);             /* the descriptor, and what waits for it; the port goes on */
} InetDriver;

typedef struct {
    uint64_t count, bytes, max;
    double average, deviation;
} InetTraffic;

struct InetSubscriber;

struct Inet {
    ErlDrvPort port;
    Term id; /* of the port */
    const InetDriver *driver;
    int fd;
    int domain; /* AF_INET, ... */
    int type;   /* SOCK_STREAM, ... */
    unsigned state;
    unsigned selected; /* ERL_DRV_READ, ERL_DRV_WRITE */
    unsigned last_id;  /* of an InetWait */
    InetWait wait;     /* for a connection, or for data */
    /* options */
    int32_t active;       /* an InetActive; any other number is as INET_ACTIVE */
    int16_t active_count; /* of messages that are still to come, where they are counted */
    bool ignores_fd;      /* what is selected is not watched: somebody else reads and writes */
    bool shows_reset, is_debug, reads_ahead;
    uint8_t controls; /* bits INET_RECEIVES_...: which were asked for to come with data */
    bool has_own_buffer_size; /* that was set: `recbuf` leaves it as it is */
    uint8_t line_delimiter;
    int32_t mode, deliver, packet, exits_on_close; /* as they were set */
    uint32_t header, packet_size, buffer_size;
    char *network_space;       /* a file's name; NULL: none */
    struct InetAddress *name, *peer; /* that it is said to have; NULL: those that the system tells */
    InetTraffic in, out;
    struct InetTimer *timers; /* the first that is due; the others hang on it */
    uint64_t timers_set;      /* ever */
    int64_t timer_at; /* of the port: inet/timers.c; 0: it is not set */
    struct InetSubscriber *subscribers;
};

#define INET_BUFFER_DEFAULT 1460
#define INET_BUFFER_MAX (64 * 1024 * 1024) /* of what is read at once, whatever the option says */

void inet_init(Inet *d, ErlDrvPort port, const InetDriver *driver);
/* The descriptor is closed already. */
void inet_release(Inet *d);

/* Waits for ERL_DRV_READ, ERL_DRV_WRITE, or does so no more; of one that ignores its descriptor when it does not. */
void inet_select(Inet *d, unsigned events);
void inet_deselect(Inet *d, unsigned events);
/* Of one that does the other now. */
void inet_ignore_fd(Inet *d, bool ignores);
/* It is waited for what can be read: there is more, for another turn. */
void inet_read_on(Inet *d);
/* Gives the descriptor up; what the port keeps is as before it was opened. */
void inet_close_fd(Inet *d);
/* Opens the descriptor, non-blocking. 0, or an error number. */
must_check int inet_open_fd(Inet *d, int domain, int type);
/* Takes one over that the system has made. */
void inet_take_fd(Inet *d, int fd, int domain, int type);

/* The name of an error number. */
Term inet_error(int number);
/* A new number for who waits, appended to the answer. */
unsigned inet_next_id(Inet *d, Text *answer);
/* d->wait is free: the caller waits by it. */
void inet_wait_begin(Inet *d, unsigned request, Text *answer);
static inline bool inet_is_waited_for(const Inet *d, unsigned request) {
    return is_value(d->wait.pid) && d->wait.request == request;
}
/* Is its owner told of what comes? Of a port that closes he has heard the last, but for its `stop`. */
static inline bool inet_is_active(const Inet *d) {
    return d->active != INET_PASSIVE && port_is_heard((const Port *)d->port);
}
static inline ErlDrvEvent inet_event(const Inet *d) { return (ErlDrvEvent)(intptr_t)d->fd; }

void inet_put_u16(Text *answer, unsigned value);
void inet_put_u32(Text *answer, uint32_t value);
void inet_put_u64(Text *answer, uint64_t value);

#endif

/*
 * A socket: a resource that holds a descriptor, and who waits for it.
 *
 * Its two directions are apart. `read_lock` guards all that is said of reading and accepting, `write_lock` all of
 * writing and connecting; who takes both takes read_lock first. Under one of them nobody waits for anything but memory
 * and the short locks of nif/select.h, nif/monitor.h and of signals. What both directions read (fd, `closing`, the
 * owner, the sizes of buffers) is written under both, so it may be read under either. Domain, type and protocol never
 * change.
 *
 * The descriptor is used under a lock only, and only while `closing` is not set; so it is never used when it has been
 * closed, and its number may be another's. A socket ends in two steps. socket_begin_close sets `closing`, once: those
 * who wait are told, who closes becomes the owner, the descriptor waits for nothing any more (nif/select.h: at once).
 * Then exactly one takes the descriptor out (socket_take_fd) and closes it: who closes, on a dirty thread, since that
 * may linger; or the thread that hears of the owner's end or drops the last reference, which does not linger. So who is
 * killed between the two leaves nothing open.
 *
 * `readers`, `writers` and `acceptors` (socket/wait.h) are under the lock of their direction.
 */
#ifndef VIV_SOCKET_SOCKET_H
#define VIV_SOCKET_SOCKET_H

#include "heap/kept.h"
#include "nif/resource.h"
#include "sys/thread.h"

struct Process;
struct SocketRequest;

/* What socket:info/1 shows, in this order. */
enum {
    SOCKET_BOUND = 1,
    SOCKET_LISTENING = 2,
    SOCKET_ACCEPTING = 4,
    SOCKET_CONNECTING = 8,
    SOCKET_CONNECTED = 16,
    SOCKET_SELECTED = 32,
    SOCKET_CLOSING = 64,
    SOCKET_CLOSED = 128,
};

/* Of one direction. `most` is that of a package, `most_now` of the one that is on its way. */
typedef struct {
    uint64_t packages, bytes, tries, waits, fails, most, most_now;
} SocketCounts;
typedef struct {
    uint64_t successes, tries, waits, fails;
} AcceptCounts;

/* Of sendfile: `calls` of the system, `most_call` of one of those. */
typedef struct {
    bool are_any;
    uint64_t calls, packages, bytes, tries, waits, fails, most, most_call;
} FileCounts;

/* Those who wait, in order: the first one is the current one, for whom the descriptor is armed. */
typedef struct {
    struct SocketRequest *first;
    bool keeps_reference; /* who asks again is told by the new reference, but gives up by its first one */
} SocketQueue;

typedef struct Socket {
    int domain, type, protocol;
    int opened_from; /* a descriptor that was given; -1: none. SOCKET_LENT: it was taken as it is, and is not closed */
    Mutex read_lock, write_lock;
    /* both */
    int fd; /* -1: it has been taken out */
    bool closing, is_counted, is_registered;
    Term owner; /* NON_VALUE: none */
    ErlNifMonitor owner_monitor;
    Kept meta;
    bool debug, counts_wraps;
    size_t read_room, read_control_room, write_control_room;
    /* read_lock */
    unsigned read_state; /* but for `accepting` */
    unsigned reads_most, reads_now; /* of the buffers that one recv of any length reads */
    SocketCounts read;
    AcceptCounts accept;
    SocketQueue readers, acceptors;
    /* write_lock */
    unsigned write_state; /* but for `connecting` */
    SocketCounts write;
    SocketQueue writers, connectors;
    int file; /* that sendfile goes on to send from; -1: none */
    Term file_sender; /* its process, the current writer; NON_VALUE: it is so no more, and the file is to be closed */
    unsigned files_deferred; /* how many closings the registry has been asked for */
    FileCounts files;
} Socket;

#define SOCKET_LENT (-2)
#define SOCKET_READ_ROOM 8192
#define SOCKET_CONTROL_ROOM 1024

void socket_init(void);
/* What the stock module gives as it loads its natives: #{registry => Pid, ...}. */
void socket_settings(Term extra);

/* For a descriptor that does not block; p is its owner. *term: its reference. With `is_registered` the registry hears
 * of it. NULL: p is on its way out. */
Socket *socket_create(struct Process *p, int fd, int domain, int type, int protocol, bool is_registered, Term *term);
/* NULL when it is no socket. */
Socket *socket_of(Term reference);

static inline void socket_lock_both(Socket *s) {
    mutex_lock(&s->read_lock);
    mutex_lock(&s->write_lock);
}
static inline void socket_unlock_both(Socket *s) {
    mutex_unlock(&s->write_lock);
    mutex_unlock(&s->read_lock);
}

/* True for the one who began it. Those who wait are told. `closer` is to take the descriptor out; NON_VALUE, or one
 * that does not live: it is closed. No lock held. */
bool socket_begin_close(Socket *s, Term closer);
/* After that: the descriptor is the caller's, to be closed; there is no owner. -1: another has it. No lock held. */
int socket_take_fd(Socket *s);
/* Closes it, unless it is whoever's who has lent it. 0, or an error number. */
int socket_close_fd(const Socket *s, int fd);
/* Another process becomes the owner. Under both locks. False: it does not live. */
bool socket_set_owner(Socket *s, Term pid);
/* The registry hears of it from now on. Under both locks. */
void socket_register(Socket *s);

/* A counter that passes the end says so to the owner, where that was asked for. Under the counter's lock. */
void socket_count(Socket *s, uint64_t *counter, uint64_t by, Term name);

/* socket:info/0 */
typedef struct {
    Term name;
    _Atomic(int64_t) *count;
} SocketTotal;
extern const SocketTotal socket_totals[];
extern const size_t socket_total_count;
extern _Atomic bool socket_debug, socket_debug_new, socket_counts_wraps, socket_uses_registry;

#endif

#include "socket/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "base/visitor.h"
#include "process/message.h"
#include "process/process.h"
#include "socket/message.h"
#include "socket/registry.h"
#include "socket/wait.h"
#include "term/atom.h"
#include "term/map.h"
#include "term/node.h"

_Atomic bool socket_debug, socket_debug_new, socket_counts_wraps, socket_uses_registry = true;

/* --- All of them --- */

static _Atomic(int64_t) total, streams, datagrams, sequenced, locals, inet, inet6, ip, sctp, tcp, udp;
const SocketTotal socket_totals[] = {
    {am_num_sockets, &total}, {am_num_tstreams, &streams}, {am_num_tdgrams, &datagrams}, {am_num_tseqpkgs, &sequenced},
    {am_num_dlocal, &locals}, {am_num_dinet, &inet},       {am_num_dinet6, &inet6},      {am_num_pip, &ip},
    {am_num_psctp, &sctp},    {am_num_ptcp, &tcp},         {am_num_pudp, &udp},
};
const size_t socket_total_count = array_length(socket_totals);

static _Atomic(int64_t) *of_type(int type) {
    switch (type) {
    case SOCK_STREAM: return &streams;
    case SOCK_DGRAM: return &datagrams;
    case SOCK_SEQPACKET: return &sequenced;
    default: return NULL;
    }
}

static _Atomic(int64_t) *of_domain(int domain) {
    switch (domain) {
    case AF_LOCAL: return &locals;
    case AF_INET: return &inet;
    case AF_INET6: return &inet6;
    default: return NULL;
    }
}

static _Atomic(int64_t) *of_protocol(int protocol) {
    switch (protocol) {
    case IPPROTO_IP: return &ip;
    case IPPROTO_SCTP: return &sctp;
    case IPPROTO_TCP: return &tcp;
    case IPPROTO_UDP: return &udp;
    default: return NULL;
    }
}

static void count_all(const Socket *s, int by) {
    _Atomic(int64_t) *counts[] = {&total, of_type(s->type), of_domain(s->domain), of_protocol(s->protocol)};
    for (size_t i = 0; i < array_length(counts); i++)
        if (counts[i] != NULL)
            atomic_fetch_add_explicit(counts[i], by, memory_order_relaxed);
}

/* --- Messages --- */

void socket_register(Socket *s) {
    if (s->is_registered)
        return;
    s->is_registered = true;
    socket_tell_registry(s, am_add);
}

static bool flag_of(Term map, Term name, bool otherwise) {
    const Term *value = map_get(map, name);
    return value != NULL ? *value == am_true : otherwise;
}

void socket_settings(Term extra) {
    if (!is_flat_map(extra))
        return;
    const Term *pid = map_get(extra, am_registry);
    if (pid != NULL && is_local_pid(*pid))
        socket_registry_is(*pid);
    atomic_store(&socket_counts_wraps, flag_of(extra, am_iow, false));
    atomic_store(&socket_debug, flag_of(extra, am_debug, false));
    atomic_store(&socket_debug_new, flag_of(extra, am_socket_debug, false));
    atomic_store(&socket_uses_registry, flag_of(extra, am_use_registry, true));
}

void socket_count(Socket *s, uint64_t *counter, uint64_t by, Term name) {
    uint64_t before = *counter;
    *counter += by;
    if (likely(*counter >= before) || !s->counts_wraps || !is_value(s->owner))
        return;
    FragmentArea built;
    fragment_area_init(&built, 32);
    socket_tell(s->owner, socket_message(&built.area, socket_reference(&built.area, s), am_counter_wrap, name));
    fragment_area_drop(&built);
}

/* --- The end --- */

static void end_waits(Socket *s) {
    socket_abort(s, &s->readers, am_closed);
    socket_abort(s, &s->acceptors, am_closed);
    socket_abort(s, &s->writers, am_closed);
    socket_abort(s, &s->connectors, am_closed);
}

static void let_go_of_owner(Socket *s) {
    if (is_value(s->owner))
        (void)enif_demonitor_process(NULL, s, &s->owner_monitor);
    s->owner = NON_VALUE;
}

bool socket_set_owner(Socket *s, Term pid) {
    ErlNifMonitor monitor;
    ErlNifPid who = {pid};
    if (enif_monitor_process(NULL, s, &who, &monitor) != 0)
        return false;
    let_go_of_owner(s);
    s->owner = pid;
    s->owner_monitor = monitor;
    return true;
}

int socket_take_fd(Socket *s) {
    socket_lock_both(s);
    int fd = s->fd;
    bool was_counted = s->is_counted, was_registered = s->is_registered;
    s->fd = -1;
    let_go_of_owner(s);
    s->read_state |= SOCKET_CLOSED;
    s->write_state |= SOCKET_CLOSED;
    s->is_counted = s->is_registered = false;
    socket_unlock_both(s);
    if (was_counted)
        count_all(s, -1);
    if (was_registered)
        socket_tell_registry(s, am_del);
    return fd;
}

int socket_close_fd(const Socket *s, int fd) { return s->opened_from == SOCKET_LENT || close(fd) == 0 ? 0 : errno; }

/* Nobody waits for what is still to be sent: the system sends it. */
static void close_at_once(const Socket *s, int fd) {
    if (fd < 0 || s->opened_from == SOCKET_LENT)
        return;
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){0}, sizeof(struct linger));
    (void)socket_close_fd(s, fd);
}

/* True for the one who began it. *has_closer: there is one who takes the descriptor out. */
static bool begin_close(Socket *s, Term closer, bool *has_closer) {
    socket_lock_both(s);
    bool begins = !s->closing;
    *has_closer = begins && is_value(closer) && socket_set_owner(s, closer);
    if (begins) {
        s->closing = true;
        s->read_state = socket_read_state(s) | SOCKET_CLOSING;
        s->write_state = socket_write_state(s) | SOCKET_CLOSING;
        if (!*has_closer)
            let_go_of_owner(s);
        (void)enif_select(NULL, s->fd, ERL_NIF_SELECT_STOP, s, NULL, NIL);
        end_waits(s);
    }
    socket_unlock_both(s);
    return begins;
}

bool socket_begin_close(Socket *s, Term closer) {
    bool has_closer, begins = begin_close(s, closer, &has_closer);
    race_window("closing has begun, the descriptor is still open");
    if (begins && !has_closer)
        close_at_once(s, socket_take_fd(s));
    return begins;
}

static void forget_all(Socket *s, Term pid) {
    socket_lock_both(s);
    socket_forget(s, &s->readers, SOCKET_TO_READ, pid);
    socket_forget(s, &s->acceptors, SOCKET_TO_READ, pid);
    socket_forget(s, &s->writers, SOCKET_TO_WRITE, pid);
    socket_forget(s, &s->connectors, SOCKET_TO_WRITE, pid);
    socket_unlock_both(s);
}

static void process_down(ErlNifEnv *env, void *object, ErlNifPid *pid, ErlNifMonitor *monitor) {
    Socket *s = object;
    socket_lock_both(s);
    bool was_owner = s->owner == pid->pid && enif_compare_monitors(&s->owner_monitor, monitor) == 0;
    bool was_closer = was_owner && s->closing;
    if (was_owner)
        s->owner = NON_VALUE;
    socket_unlock_both(s);
    if (was_closer)
        close_at_once(s, socket_take_fd(s));
    else if (was_owner)
        (void)socket_begin_close(s, NON_VALUE);
    else
        forget_all(s, pid->pid);
}

/* The last reference has gone: nobody waits, and nobody can be told anything. */
static void destroy(ErlNifEnv *env, void *object) {
    Socket *s = object;
    close_at_once(s, s->fd);
    if (s->file >= 0)
        (void)close(s->file);
    s->file = -1;
    if (s->is_counted)
        count_all(s, -1);
    SocketQueue *queues[] = {&s->readers, &s->acceptors, &s->writers, &s->connectors};
    for (size_t i = 0; i < array_length(queues); i++)
        socket_drop_requests(s, queues[i]);
    kept_release(&s->meta);
    mutex_release(&s->read_lock);
    mutex_release(&s->write_lock);
}

/* What must be done is done by who stops the selects. */
static void stop(ErlNifEnv *env, void *object, ErlNifEvent event, int is_direct_call) {}

/* --- The beginning --- */

static NifResourceType *type;

void socket_init(void) {
    static const ErlNifResourceTypeInit callbacks = {.dtor = destroy, .stop = stop, .down = process_down, .members = 3};
    type = nif_type_create(am_prim_socket, am_socket, &callbacks);
}

static Socket *init(Socket *s, int fd, int domain, int type_of_it, int protocol) {
    *s = (Socket){.domain = domain,
                  .type = type_of_it,
                  .protocol = protocol,
                  .opened_from = -1,
                  .fd = fd,
                  .owner = NON_VALUE,
                  .meta = kept_make(am_undefined),
                  .debug = atomic_load(&socket_debug_new),
                  .counts_wraps = atomic_load(&socket_counts_wraps),
                  .read_room = SOCKET_READ_ROOM,
                  .read_control_room = SOCKET_CONTROL_ROOM,
                  .write_control_room = SOCKET_CONTROL_ROOM,
                  .is_counted = true,
                  .acceptors.keeps_reference = true,
                  .file = -1,
                  .file_sender = NON_VALUE};
    mutex_init(&s->read_lock, LOCK_SOCKET_READ);
    mutex_init(&s->write_lock, LOCK_SOCKET_WRITE);
    return s;
}

Socket *socket_create(Process *p, int fd, int domain, int type_of_it, int protocol, bool is_registered, Term *term) {
    Socket *s = init(enif_alloc_resource(type, sizeof(Socket)), fd, domain, type_of_it, protocol);
    count_all(s, 1);
    *term = socket_reference(process_area(p), s);
    enif_release_resource(s);
    socket_lock_both(s);
    (void)socket_set_owner(s, p->pid); /* one that is ending: its heap goes, and this with it */
    if (is_registered)
        socket_register(s);
    socket_unlock_both(s);
    return s;
}

Socket *socket_of(Term reference) {
    void *object;
    return enif_get_resource(NULL, reference, type, &object) ? object : NULL;
}

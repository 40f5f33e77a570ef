#include "port/command.h"

#include "alloc/alloc.h"
#include "code/export.h"
#include "port/busy.h"
#include "port/callback.h"
#include "port/close.h"
#include "port/hold.h"
#include "port/output.h"
#include "port/signal.h"
#include "port/trace.h"
#include "process/link.h"
#include "process/message.h"
#include "process/report.h"
#include "process/request.h"
#include "process/saved_calls.h"
#include "process/system_monitor.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/text.h"

/* {Owner, ...}: when the owner is another, who that is hears so. */
typedef struct {
    PortCall call; /* must be first */
    Term owner;    /* that the sender thinks it has; NON_VALUE: it does not matter */
    Term pid;      /* of connect */
    IoVector bytes;
    bool more_follows;
} Order;

static Order *order_create(Term from, Term owner, void handle(Process *, CallSignal *)) {
    Order *o = port_call_create(sizeof *o, from, handle);
    o->owner = owner;
    return o;
}

/* As on the stock runtime its owner hears that something was sent which it does not take, whoever did it. */
static void refuse(const Port *port) {
    Message *m = exit_signal_create(SIGNAL_EXIT, port_id(port), am_badsig);
    signal_send_or_drop(port_connected(port), &m->signal);
}

/* May it be done? */
static bool is_allowed(const Port *port, const Order *o) {
    if (port_has_status(port, PORT_CLOSING))
        return false;
    bool is_owner = !is_value(o->owner) || o->owner == port_connected(port);
    if (!is_owner)
        refuse(port);
    return is_owner;
}

/* As he names himself. */
static Term sender_of(const Order *o) { return is_value(o->owner) ? o->owner : o->call.from; }

static void done(Order *o, Term answer) {
    io_vector_release(&o->bytes);
    port_answer_with(&o->call, answer);
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static void count_out(Port *port, size_t bytes) {
    uint64_t before = atomic_load_explicit(&port->bytes_out, memory_order_relaxed);
    atomic_store_explicit(&port->bytes_out, before + bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&ports_bytes_out, bytes, memory_order_relaxed);
}

static void call_output(Port *port, IoVector *bytes) {
    char *joined = mem_alloc(ALLOC_TEMP, bytes->bytes + 1);
    io_vector_copy(bytes, bytes->bytes, joined);
    port->driver->entry->output(port->data, joined, bytes->bytes);
    mem_free(ALLOC_TEMP, joined);
}

static void give_bytes(Port *port, Order *o) {
    const ErlDrvEntry *entry = port->driver->entry;
    count_out(port, o->bytes.bytes);
    port->caller = o->call.from;
    port->more_follows = o->more_follows;
    port_callback_begin(port);
    if (entry->outputv != NULL) {
        ErlIOVec v = io_vector_for_driver(&o->bytes);
        entry->outputv(port->data, &v);
    } else if (entry->output != NULL) {
        call_output(port, &o->bytes);
    }
    port_callback_end(port);
    port->caller = NON_VALUE;
    port->more_follows = false;
}

static Term binary_of(Area *area, const void *bytes) {
    const IoVector *v = bytes;
    uint8_t *to;
    Term binary = binary_make(area, v->bytes, &to);
    io_vector_copy(v, v->bytes, (char *)to);
    return binary;
}

/* As a driver with outputv gets them: several are a list. */
static Term binaries_of(Area *area, const void *bytes) {
    const IoVector *v = bytes;
    if (v->end - v->first <= 1)
        return binary_of(area, bytes);
    Term list = NIL;
    for (size_t i = v->end; i-- > v->first;)
        list = area_cons(area, binary_from_bytes(area, v->iov[i].iov_base, v->iov[i].iov_len), list);
    return list;
}

static void trace_bytes(Port *port, const Order *o) {
    bool as_parts = port->driver->entry->outputv != NULL && !port->driver->is_inner; /* as stock's own take them */
    port_trace_received(port, sender_of(o), am_command, as_parts ? binaries_of : binary_of, &o->bytes);
}

/* One that does nothing now: what its sender is told. True: it is to be done. */
static bool is_to_be_done(const Port *port, const Order *o, Term *answer) {
    bool is_closing = port_has_status(port, PORT_CLOSING);
    *answer = is_closing ? am_badarg : am_false;
    return !is_closing && likely(!o->call.is_now_or_not || !port_has_status(port, PORT_BUSY));
}

static void take_bytes(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Order *o = (Order *)call;
    size_t bytes = o->bytes.bytes;
    Term answer;
    if (unlikely(!is_to_be_done(port, o, &answer))) {
        port_bytes_gone(port, bytes);
        done(o, answer);
        return;
    }
    port_trace_in(port, am_command);
    if (is_allowed(port, o) && likely(!port->takes_no_more)) {
        if (port_trace_tells_received(port))
            trace_bytes(port, o);
        give_bytes(port, o);
    }
    port_bytes_gone(port, bytes);
    port_trace_out(port, am_command);
    done(o, am_true);
}

static void release_bytes(PortCall *call) { io_vector_release(&((Order *)call)->bytes); }

static Order *bytes_order(Process *p, Port *port, Term owner, IoVector *bytes, bool waits) {
    Order *o = order_create(p->pid, owner, take_bytes);
    o->call.waits = waits;
    o->call.release = release_bytes;
    o->bytes = *bytes;
    port_bytes_come(port, bytes->bytes);
    return o;
}

/* The port may have gone meanwhile: then the bytes are lost, as those that come to it later. */
static void send_bytes(Process *p, Port *port, Term owner, IoVector *bytes, bool waits) {
    Order *o = bytes_order(p, port, owner, bytes, waits);
    if (!port_tell_call(p, port, &o->call))
        done(o, am_true);
}

bool port_send_bytes(Term from, Term id, Term data) {
    IoVector bytes;
    if (!io_vector_of_iolist(&bytes, data, false))
        return false;
    Port *port = port_at(id);
    if (port == NULL || port_has_status(port, PORT_CLOSING)) {
        io_vector_release(&bytes);
        return false;
    }
    Order *o = order_create(from, NON_VALUE, take_bytes);
    o->bytes = bytes;
    port_bytes_come(port, bytes.bytes);
    bool is_sent = signal_push(&port->actor, &o->call.call.signal);
    if (!is_sent)
        done(o, am_true);
    return is_sent;
}

bool port_send_vector(Port *port, IoVector *bytes, bool more_follows) {
    if (port_has_status(port, PORT_CLOSING))
        return false;
    Order *o = order_create(NON_VALUE, NON_VALUE, take_bytes);
    o->bytes = *bytes;
    o->more_follows = more_follows;
    port_bytes_come(port, bytes->bytes);
    if (!port_tell_call(NULL, port, &o->call))
        done(o, am_true);
    return true;
}

/* What is no command: the port runs for it, as it may be told to who traces it. */
static void take_nonsense(Process *actor, Order *o, Term what) {
    Port *port = port_of(actor);
    port_trace_in(port, what);
    if (is_value(o->owner) && !port_has_status(port, PORT_CLOSING))
        refuse(port);
    port_trace_out(port, what);
    done(o, am_true);
}

static void take_no_command(Process *actor, CallSignal *call) { take_nonsense(actor, (Order *)call, am_command); }
static void take_no_connect(Process *actor, CallSignal *call) { take_nonsense(actor, (Order *)call, am_connect); }

static void tell_order(Process *p, Port *port, Order *o) {
    if (!port_tell_call(p, port, &o->call))
        done(o, am_true);
}

static void report_bad_value(Process *p, const Port *port) {
    TEXT(text);
    text_format(&text, "Bad value on output port '%s'\n", port->name);
    report_text(p, text_cstring(&text));
}

static bool drops_bits(const Port *port) { return port->driver->drops_bits && !release_has(RELEASE_WHOLE_BYTES); }

/* The port is held: the bytes may be long work, in an open section. */
static bool send_iolist(Process *p, Port *port, Term owner, Term data, bool waits) {
    IoVector bytes;
    port_hold(port);
    bool is_good = io_vector_of_iolist(&bytes, data, drops_bits(port));
    if (is_good)
        send_bytes(p, port, owner, &bytes, waits);
    else
        report_bad_value(p, port);
    port_release(port);
    return is_good;
}

static void wait_until_free(Process *actor, CallSignal *call) {
    PortCall *c = (PortCall *)call;
    port_wait(port_of(actor), c->from, c->request);
    mem_free(ALLOC_PORT, c);
}

/* The process waits until it is worth looking again: it is suspended, as the stock runtime has it. */
static Term wait(Process *p, Port *port) {
    PortCall *c = port_call_create(sizeof *c, p->pid, wait_until_free);
    c->request = request_begin(p);
    p->request->is_suspension = true;
    system_monitor_busy_port(p, port_id(port));
    if (signal_push_asking(&port->actor, &c->call.signal, process_priority(p)))
        return request_wait(p);
    request_end(p);
    mem_free(ALLOC_PORT, c);
    return am_badarg;
}

/* The same, and its answer; NON_VALUE: he waits for that. */
static Term ask_iolist(Process *p, Port *port, Term data, bool waits, bool is_now_or_not) {
    IoVector bytes;
    Term answer = am_badarg;
    port_hold(port);
    if (io_vector_of_iolist(&bytes, data, drops_bits(port))) {
        Order *o = bytes_order(p, port, NON_VALUE, &bytes, waits);
        o->call.is_now_or_not = is_now_or_not;
        answer = port_ask(p, port, &o->call, am_badarg);
    } else {
        report_bad_value(p, port);
        tell_order(p, port, order_create(p->pid, NON_VALUE, take_no_command));
    }
    port_release(port);
    return answer;
}

Term port_command(Process *p, Port *port, Term data, bool forced, bool not_suspended) {
    Term told;
    if (request_goes_on(p, &told) && told != am_ready)
        return told;
    if (port == NULL || port_has_status(port, PORT_CLOSING))
        return am_badarg;
    if (forced && !(port->driver->flags & ERL_DRV_FLAG_SOFT_BUSY))
        return am_notsup;
    if (port_is_busy(port) && !forced)
        return not_suspended ? am_false : wait(p, port);
    return ask_iolist(p, port, data, !forced && !not_suspended, !forced && not_suspended);
}

/* --- owner and end ------------------------------------------------------------------------------------------------ */

static void take_close(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Order *o = (Order *)call;
    bool is_open = !port_has_status(port, PORT_CLOSING), is_told = is_value(o->owner);
    port_trace_in(port, am_close);
    if (is_allowed(port, o)) {
        if (port_trace_tells_received(port))
            port_trace_received(port, sender_of(o), am_close, NULL, NULL);
        if (is_told)
            port->told_closed = port_connected(port);
        port_close(port, am_normal, true);
        port_close_tell(port);
    }
    port_trace_out(port, am_close);
    done(o, is_open ? am_true : am_badarg);
}

/* The old owner stays linked to it; the new one gets so by the function, and not by a message. Who says it by a message
 * may name one that is no more. */
static bool is_connected_to(Port *port, Term pid, bool by_message) {
    if (!is_local_pid(pid) || (!by_message && process_find(pid) == NULL))
        return false;
    if (!by_message && !link_make(&port->actor, pid, false))
        return false;
    atomic_store_explicit(&port->connected, pid, memory_order_release);
    return true;
}

static Term the_pid(Area *area, const void *pid) { return *(const Term *)pid; }

static void take_connect(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Order *o = (Order *)call;
    bool is_done = false, is_told = is_value(o->owner);
    Term before = port_connected(port);
    port_trace_in(port, am_connect);
    if (is_allowed(port, o)) {
        is_done = is_connected_to(port, o->pid, is_told);
        if (is_done && port_trace_tells_received(port))
            port_trace_received(port, sender_of(o), am_connect, the_pid, &o->pid);
        if (is_told && is_done)
            port_tell(port, before, am_connected);
        else if (is_done) /* as if it were told so */
            port_trace_answer(port, o->call.from, am_connected, NULL, NULL);
        else if (is_told)
            refuse(port);
    }
    port_trace_out(port, am_connect);
    done(o, is_done ? am_true : am_badarg);
}

Term port_shut(Process *p, Port *port) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    return port_ask(p, port, &order_create(p->pid, NON_VALUE, take_close)->call, am_badarg);
}

Term port_connect(Process *p, Port *port, Term pid) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    Order *o = order_create(p->pid, NON_VALUE, take_connect);
    o->pid = pid;
    return port_ask(p, port, &o->call, am_badarg);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static bool is_kind(Term what, Term kind) { return is_tuple_arity(what, 2) && tuple_elements(what)[0] == kind; }

/* False: it is none of those that there are. */
static bool send_order(Process *p, Port *port, Term owner, Term what, bool waits) {
    if (what == am_close) {
        tell_order(p, port, order_create(p->pid, owner, take_close));
        return true;
    }
    if (!is_tuple_arity(what, 2))
        return false;
    Term kind = tuple_elements(what)[0], value = tuple_elements(what)[1];
    if (kind == am_connect && is_pid(value)) {
        Order *o = order_create(p->pid, owner, take_connect);
        o->pid = value;
        tell_order(p, port, o);
        return true;
    }
    return kind == am_command && send_iolist(p, port, owner, value, waits);
}

static bool is_command(Term message) {
    return is_tuple_arity(message, 2) && is_kind(tuple_elements(message)[1], am_command);
}

static void send(Process *p, Port *port, Term message, bool may_wait) {
    const Term *e = is_tuple_arity(message, 2) ? tuple_elements(message) : NULL;
    bool is_from = e != NULL && is_pid(e[0]);
    if (is_from && send_order(p, port, e[0], e[1], may_wait))
        return;
    bool is_connect = is_from && is_kind(e[1], am_connect);
    tell_order(p, port, order_create(p->pid, p->pid, is_connect ? take_no_connect : take_no_command));
}

static bool waits(const Port *port, Term message) { return unlikely(port_is_busy(port)) && is_command(message); }

bool port_send_waits(Term id, Term message) {
    const Port *port = port_at(id);
    return port != NULL && !port_has_status(port, PORT_CLOSING) && waits(port, message);
}

/* As on the stock runtime a slice that is over is so after a message to a port, too: of many of them in a row nothing
 * else would end it. */
static Term sent(Process *p, Term message) {
    return unlikely(process_reductions_left(p) <= 0) ? bif_return_later(p, message) : message;
}

Term port_send_now(Process *p, Term id, Term message) {
    Port *port = port_at(id);
    if (port != NULL && !port_has_status(port, PORT_CLOSING))
        send(p, port, message, false);
    return sent(p, message);
}

/* The sender waits elsewhere: in a BIF that may. */
Term port_send(Process *p, Term id, Term message) {
    Port *port = port_at(id);
    if (port == NULL || port_has_status(port, PORT_CLOSING))
        return message;
    if (waits(port, message))
        return bif_trap(p, export_internal(am_erts_internal, am_port_send_when_free, 3), 3,
                        (Term[]){id, message, message});
    send(p, port, message, true);
    return sent(p, message);
}

Term port_send_when_free(Process *p, Term id, Term message) {
    Term told;
    if (request_answer(p, &told) == REQUEST_PENDING)
        return request_wait(p);
    Port *port = port_at(id);
    if (port == NULL || port_has_status(port, PORT_CLOSING))
        return message;
    if (port_is_busy(port) && !is_value(wait(p, port)))
        return NON_VALUE;
    send(p, port, message, true);
    return message;
}

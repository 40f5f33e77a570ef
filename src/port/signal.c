#include "port/signal.h"

#include "alloc/alloc.h"
#include "port/close.h"
#include "port/closing.h"
#include "port/kept_back.h"
#include "port/trace.h"
#include "port/watch.h"
#include "process/link.h"
#include "process/message.h"
#include "process/monitor.h"
#include "process/request.h"
#include "process/saved_calls.h"
#include "term/atom.h"

/* One that is linked to it and ends with `normal` is its end only when that is its connected process; `kill` shows as
 * `killed`, and nothing is written any more. Source: erlang(3) exit/2, open_port/2. */
static void take_exit(Port *port, Message *m) {
    Term from = tuple_elements(m->term)[1], reason = tuple_elements(m->term)[2];
    bool is_kill = m->signal.kind == SIGNAL_EXIT && reason == am_kill;
    bool is_linked = m->signal.kind == SIGNAL_EXIT_LINKED;
    bool is_ignored = is_linked && reason == am_normal && from != port_connected(port);
    bool holds = !is_linked || link_broken_by(&port->actor, m, &(bool){false});
    if (holds && !is_ignored) {
        port_trace_in(port, am_close);
        if (port_trace_tells_received(port))
            port_trace_received(port, m->from, am_close, NULL, NULL);
        port_close(port, is_kill ? am_killed : reason, !is_kill);
        port_trace_out(port, am_close);
        port_close_tell(port); /* to send the reason may have used up the slice of who runs it */
    } else if (is_ignored) {
        port_trace_in(port, PORT_OWN_WORK);
        port_trace_out(port, PORT_OWN_WORK);
    }
    message_free(m);
}

/* What is asked by a signal of its own kind, as it is told. */
static Term name_of(SignalKind kind) {
    switch (kind) {
    case SIGNAL_LINK: return am_link;
    case SIGNAL_UNLINK: return am_unlink;
    case SIGNAL_MONITOR: return am_monitor;
    default: return am_demonitor;
    }
}

static void take_link(Port *port, Signal *s) {
    Term what = name_of((SignalKind)s->kind);
    bool is_told = s->kind != SIGNAL_UNLINK_ACK;
    if (is_told)
        port_trace_in(port, what);
    link_handle(&port->actor, (LinkSignal *)s);
    if (is_told)
        port_trace_out(port, what);
}

static void take_monitor(Port *port, Signal *s) {
    Term what = name_of((SignalKind)s->kind);
    port_trace_in(port, what);
    monitor_handle(&port->actor, (MonitorSignal *)s);
    port_trace_out(port, what);
}

/* By an actor key; 0: it is nobody's whose signals have an order here. */
static uint64_t sender_of(const Signal *s) {
    switch ((SignalKind)s->kind) {
    case SIGNAL_LINK:
    case SIGNAL_UNLINK:
    case SIGNAL_UNLINK_ACK: return ((const LinkSignal *)s)->from;
    case SIGNAL_MONITOR:
    case SIGNAL_DEMONITOR: return ((const MonitorSignal *)s)->origin;
    case SIGNAL_EXIT:
    case SIGNAL_EXIT_LINKED: return tuple_elements(((const Message *)s)->term)[1];
    default: return 0;
    }
}

/* Of one that is closing. A native watch that comes when the others have been told is told now. */
static void refuse_monitor(Port *port, MonitorSignal *s) {
    monitor_refuse(&port->actor, s);
    if (port->step > CLOSE_WATCHERS)
        while (watcher_down_next(&port->actor, kept_term(&port->reason))) {
        }
}

/* What its driver has done for others uses the slice up: what else has come is for the next (port/kept_back.h). */
static bool is_slice_over(const Port *port) { return port->is_in_slice && port->actor.reductions <= 0; }

static void keep_back(Port *port, uint64_t from, Signal *s, KeptAs as) {
    port_keep_back(port, from, s, as);
    if (is_slice_over(port))
        atomic_fetch_or(&port->actor.state, STATE_ACTIVE);
}

/* Behind a command of the same sender, or for the next slice? */
static bool is_kept_back(Port *port, Signal *s) {
    uint64_t from = sender_of(s);
    if (from == 0 || !(port_keeps_back(port, from) || is_slice_over(port)))
        return false;
    keep_back(port, from, s, KEPT_BEHIND);
    return true;
}

/* Of one that is closing nobody hears anything any more but that it is not there. */
static void handle(Process *actor, Signal *s) {
    Port *port = port_of(actor);
    bool is_closing = port_has_status(port, PORT_CLOSING);
    if (unlikely(port->kept_back != NULL || is_slice_over(port)) && !is_closing && is_kept_back(port, s))
        return;
    if (unlikely(is_closing) && port_close_is_told_first(port, s))
        return;
    switch ((SignalKind)s->kind) {
    case SIGNAL_LINK:
    case SIGNAL_UNLINK:
    case SIGNAL_UNLINK_ACK:
        if (is_closing)
            link_refuse(actor, (LinkSignal *)s);
        else
            take_link(port, s);
        break;
    case SIGNAL_MONITOR:
    case SIGNAL_DEMONITOR:
        if (is_closing)
            refuse_monitor(port, (MonitorSignal *)s);
        else
            take_monitor(port, s);
        break;
    case SIGNAL_EXIT:
    case SIGNAL_EXIT_LINKED: take_exit(port, (Message *)s); break;
    case SIGNAL_DOWN: port_watch_down(port, (Message *)s); break;
    case SIGNAL_CALL:
    case SIGNAL_TRACE: ((CallSignal *)s)->handle(actor, (CallSignal *)s); break;
    default: signal_free(s);
    }
}

static ActorNext go_on(Process *actor) {
    Port *port = port_of(actor);
    if (!port_has_status(port, PORT_CLOSING) && !port_kept_back_goes_on(port))
        return ACTOR_GOES_ON;
    return port_has_status(port, PORT_CLOSING) ? port_close_goes_on(actor) : ACTOR_WAITS;
}

static bool is_call_kept_back(const Port *port, const PortCall *c) {
    bool is_busy = unlikely(port_has_status(port, PORT_BUSY));
    bool waits =
        is_busy ? c->waits || (!c->is_now_or_not && port_keeps_back(port, c->from)) : port_keeps_back(port, c->from);
    bool is_late = is_slice_over(port) && is_pid(c->from);
    return unlikely(waits || is_late) && !port_has_status(port, PORT_CLOSING);
}

static KeptAs kept_as(const PortCall *c) {
    if (c->waits)
        return KEPT_UNTIL_FREE;
    return c->is_now_or_not ? KEPT_UNLESS_BUSY : KEPT_BEHIND;
}

/* In a slice it uses that up, so that whoever has sent thousands is not heard all at once; who asks it himself has
 * other measures. What was kept back is counted there. */
static void take_call(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    PortCall *c = (PortCall *)call;
    if (is_call_kept_back(port, c)) {
        keep_back(port, c->from, &call->signal, kept_as(c));
        return;
    }
    if (port->is_in_slice && !port_has_kept_back(port))
        actor->reductions -= COST_OF_PORT_SIGNAL;
    c->take(actor, call);
}

void *port_call_create(size_t size, Term from, void handle(Process *port, CallSignal *call)) {
    PortCall *c = mem_calloc(ALLOC_PORT, size);
    signal_init(&c->call.signal, SIGNAL_CALL);
    c->call.handle = take_call;
    c->take = handle;
    c->from = from;
    return c;
}

void port_answer(PortCall *c, Term (*build)(const PortCall *c, void *data, Area *area), void *data) {
    if (c->here != NULL) {
        c->answer = build(c, data, process_area(c->here));
        return;
    }
    if (c->request != 0) {
        FragmentArea built;
        fragment_area_init(&built, 16);
        request_reply(c->from, c->request, build(c, data, &built.area));
        fragment_area_drop(&built);
    }
    mem_free(ALLOC_PORT, c);
}

static Term immediate(const PortCall *c, void *data, Area *area) { return *(const Term *)data; }

void port_answer_with(PortCall *c, Term term) { port_answer(c, immediate, &term); }

/* The option `parallelism`: the caller goes on, and a scheduler runs the port beside him. */
static bool own(Port *port) { return !port->options.is_parallel && actor_own(&port->actor); }

static bool is_process(const Process *by) { return by != NULL && by->body == NULL; }

/* He is out meanwhile, as others see it. */
static void tell_out(Process *by) {
    if (is_process(by))
        trace_event(by, TRACE_RUNNING_PROCS, EVENT_OUT_FOR_PORT, NON_VALUE, NON_VALUE);
}
static void tell_in(Process *by) {
    if (is_process(by))
        trace_event(by, TRACE_RUNNING_PROCS, EVENT_IN_FROM_PORT, NON_VALUE, NON_VALUE);
}

/* What is left of the slice of who runs it; whoever has none gives it one. */
static int64_t visit(Process *actor, const Process *by) {
    return actor->reductions = is_process(by) ? process_reductions_left(by) : REDUCTIONS_PER_SLICE;
}

/* What was used is his, also where the port has gone: it is there until his thread's next quiescent point. Long work of
 * others is put off: he has his own slice. */
static void leave(Process *actor, Process *by, int64_t had) {
    ActorNext next = ACTOR_WAITS;
    if (atomic_load_explicit(&actor->state, memory_order_relaxed) & STATE_ACTIVE)
        next = actor->body->run(actor);
    int64_t used = had - actor->reductions;
    if (next != ACTOR_IS_GONE)
        actor_give_back(actor, next == ACTOR_GOES_ON);
    if (is_process(by))
        process_bump(by, used);
}

static bool tell(Process *actor, Process *by, Signal *s) {
    if (!own(port_of(actor)))
        return signal_push(actor, s);
    tell_out(by);
    int64_t had = visit(actor, by);
    handle(actor, s);
    leave(actor, by, had);
    tell_in(by);
    return true;
}

static void slice(Process *actor, bool begins) { port_trace_slice(port_of(actor), begins); }

static bool is_ending(const Process *actor) { return port_has_status((const Port *)actor, PORT_CLOSING); }

const ActorBody port_body = {.handle = handle, .run = go_on, .tell = tell, .slice = slice, .is_ending = is_ending};

/* One of whom something is kept back waits as well. `here`: he waits for the answer. */
static bool runs_here(Port *port, PortCall *c, Process *by, Process *here) {
    Process *actor = &port->actor;
    if (!own(port))
        return false;
    bool is_now = !is_call_kept_back(port, c);
    Process *told = is_now && !c->is_silent ? by : NULL;
    tell_out(told);
    int64_t had = visit(actor, is_now ? by : NULL);
    if (likely(is_now)) {
        c->here = here;
        c->take(actor, &c->call);
    }
    leave(actor, is_now ? by : NULL, had);
    tell_in(told);
    return is_now;
}

bool port_tell_call(Process *by, Port *port, PortCall *c) {
    return runs_here(port, c, by, NULL) || signal_push(&port->actor, &c->call.signal);
}

Term port_ask(Process *p, Port *port, PortCall *c, Term gone) {
    if (runs_here(port, c, p, p)) {
        Term answer = c->answer;
        mem_free(ALLOC_PORT, c);
        return answer;
    }
    c->request = request_begin(p);
    if (signal_push_asking(&port->actor, &c->call.signal, process_priority(p)))
        return request_wait(p);
    request_end(p);
    if (c->release != NULL)
        c->release(c);
    mem_free(ALLOC_PORT, c);
    return gone;
}

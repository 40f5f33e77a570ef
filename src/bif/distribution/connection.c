/*
 * Connections to other nodes, as kernel's net_kernel and dist_util make them: erts_internal:new_connection/1,
 * abort_pending_connection/2, create_dist_channel/3.
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "distribution/alive.h"
#include "distribution/connect.h"
#include "distribution/lose.h"
#include "port/signal.h"
#include "process/process_table.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/integer.h"

Term erts_internal_new_connection_1(Process *p, const Term *a) {
    Channel *c = is_atom(a[0]) ? connect_by_kernel(a[0]) : NULL;
    if (c == NULL)
        return fail_badarg(p);
    Term handle = channel_handle(process_area(p), c);
    channel_release(c);
    return handle;
}

/* False: it is up, or over, or another one. */
Term erts_internal_abort_pending_connection_2(Process *p, const Term *a) {
    Channel *c = channel_of_handle(a[1]);
    if (!is_atom(a[0]) || c == NULL || channel_node(c) != a[0])
        return fail_badarg(p);
    return bool_term(channel_give_up(c));
}

typedef struct {
    Term node, controller;
    uint64_t capabilities;
    uint32_t creation;
    bool is_new; /* there was no channel: net_kernel knows nothing of it */
} Peer;

static bool peer_decode(const Term *a, Peer *peer) {
    if (!is_atom(a[0]) || (!is_local_pid(a[1]) && !is_local_port(a[1])) || !is_tuple_arity(a[2], 2))
        return false;
    const Term *e = tuple_elements(a[2]);
    uint64_t creation;
    *peer = (Peer){.node = a[0], .controller = a[1]};
    if (!integer_to_uint64(e[0], &peer->capabilities) || !integer_to_uint64(e[1], &creation) || creation > UINT32_MAX)
        return false;
    peer->creation = (uint32_t)creation;
    return (peer->capabilities & CAPABILITIES_MANDATORY) == CAPABILITIES_MANDATORY;
}

/* An attempt that nobody would go on with is given up, else orders waited for it for ever. */
static void leave(Channel *c, const Peer *peer, bool is_up) {
    if (!is_up && peer->is_new)
        (void)channel_give_up(c);
    channel_release(c);
}

static Term ok_handle(Area *area, Channel *c) { return area_tuple2(area, am_ok, channel_handle(area, c)); }

/* --- a port as the controller ------------------------------------------------------------------------------------- */

typedef struct {
    PortCall call; /* must be first */
    Channel *channel; /* held */
    Peer peer;
} TakePort;

static Term answer_of(const PortCall *call, void *is_up, Area *area) {
    return *(bool *)is_up ? ok_handle(area, ((const TakePort *)call)->channel) : am_badarg;
}

static void release(PortCall *call) {
    const TakePort *t = (TakePort *)call;
    leave(t->channel, &t->peer, false);
}

static void take(Process *actor, CallSignal *call) {
    TakePort *t = (TakePort *)call;
    Port *port = port_of(actor);
    Channel *c = t->channel;
    Peer peer = t->peer;
    bool is_up = !port_has_status(port, PORT_CLOSING) && port->peer == NULL &&
                 connect_up(c, t->peer.capabilities, t->peer.creation, t->peer.controller, t->call.from);
    port_answer(&t->call, answer_of, &is_up);
    leave(c, &peer, is_up);
}

static Term by_port(Process *p, Channel *c, const Peer *peer) {
    Port *port = port_at(peer->controller);
    if (port == NULL) {
        leave(c, peer, false);
        return am_badarg;
    }
    TakePort *t = port_call_create(sizeof *t, p->pid, take);
    t->call.release = release;
    t->channel = c;
    t->peer = *peer;
    return port_ask(p, port, &t->call, am_badarg);
}

static Term by_process(Process *p, Channel *c, const Peer *peer) {
    bool is_up = process_find(peer->controller) != NULL &&
                 connect_up(c, peer->capabilities, peer->creation, peer->controller, p->pid);
    Term answer = is_up ? ok_handle(process_area(p), c) : am_badarg;
    leave(c, peer, is_up);
    return answer;
}

/* {ok, Handle}, or what is wrong. Who has waited for the end of the connection before it was told `true`. */
Term erts_internal_create_dist_channel_3(Process *p, const Term *a) {
    Term told;
    Peer peer;
    RequestStatus status = request_answer(p, &told);
    if (status == REQUEST_PENDING)
        return request_wait(p);
    if (status == REQUEST_ANSWERED && told != am_true)
        return told;
    Channel *c = peer_decode(a, &peer) ? connect_pending(peer.node, &peer.is_new) : NULL;
    if (c == NULL)
        return am_badarg;
    if (connect_must_wait(c, p)) {
        leave(c, &peer, false); /* he asks anew */
        return request_wait(p);
    }
    return is_local_port(peer.controller) ? by_port(p, c, &peer) : by_process(p, c, &peer);
}

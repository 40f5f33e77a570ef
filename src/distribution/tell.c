#include "distribution/tell.h"

#include "base/long_work.h"
#include "code/export.h"
#include "distribution/connect.h"
#include "distribution/lose.h"
#include "distribution/output.h"
#include "process/report.h"
#include "process/request.h"
#include "process/seq_trace.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/print.h"
#include "term/text.h"

#include "alloc/alloc.h"

/* --- orders ------------------------------------------------------------------------------------------------------- */

static bool connects(FarKind kind) {
    return kind != FAR_UNLINK && kind != FAR_UNLINK_ACK && kind != FAR_EXIT_LINKED && kind != FAR_DEMONITOR;
}

static ControlOp send_op(const FarOrder *order, bool has_token) {
    if (is_atom(order->to))
        return has_token ? CONTROL_REG_SEND_TT : CONTROL_REG_SEND;
    if (is_ref(order->to))
        return has_token ? CONTROL_ALIAS_SEND_TT : CONTROL_ALIAS_SEND;
    return has_token ? CONTROL_SEND_SENDER_TT : CONTROL_SEND_SENDER;
}

static ControlOp op_of(const FarOrder *order) {
    bool has_token = !is_nil(order->token);
    switch (order->kind) {
    case FAR_SEND: return send_op(order, has_token);
    case FAR_LINK: return CONTROL_LINK;
    case FAR_UNLINK: return CONTROL_UNLINK_ID;
    case FAR_UNLINK_ACK: return CONTROL_UNLINK_ID_ACK;
    case FAR_EXIT_LINKED: return has_token ? CONTROL_PAYLOAD_EXIT_TT : CONTROL_PAYLOAD_EXIT;
    case FAR_EXIT: return has_token ? CONTROL_PAYLOAD_EXIT2_TT : CONTROL_PAYLOAD_EXIT2;
    case FAR_GROUP_LEADER: return CONTROL_GROUP_LEADER;
    case FAR_MONITOR: return CONTROL_MONITOR_P;
    case FAR_DEMONITOR: return CONTROL_DEMONITOR_P;
    default: return has_token ? CONTROL_SPAWN_REQUEST_TT : CONTROL_SPAWN_REQUEST;
    }
}

static bool has_reference(FarKind kind) { return kind == FAR_MONITOR || kind == FAR_DEMONITOR || kind == FAR_SPAWN; }

static bool has_payload(FarKind kind) {
    return kind == FAR_SEND || kind == FAR_EXIT_LINKED || kind == FAR_EXIT || kind == FAR_SPAWN;
}

static void set_control(Control *m, const FarOrder *order, Area *area) {
    m->op = op_of(order);
    m->from = order->kind == FAR_GROUP_LEADER ? order->payload : order->from;
    m->to = order->to;
    m->id = order->id;
    if (!is_nil(order->token))
        m->token = seq_trace_token_without_epoch(order->token, area);
    if (has_reference(order->kind))
        m->ref = monitor_reference(area, order->id, order->is_alias_reference ? order->from : NON_VALUE);
    if (order->kind == FAR_SPAWN) {
        m->module = order->module;
        m->function = order->function;
        m->arity = (uint32_t)small_value(order->arity);
        m->group_leader = order->group_leader;
        m->options = order->options;
    }
}

/* NULL: the payload is too large for the external format. */
static Order *order_of(const Channel *c, const FarOrder *order) {
    FragmentArea fa;
    fragment_area_init(&fa, PID_REF_WORDS + (is_nil(order->token) ? 0 : SEQ_TOKEN_WORDS));
    Order *o = order_create(CHANNEL_ORDER, order->from);
    Control *m = &o->control;
    o->is_far_order = true;
    o->kind = order->kind;
    o->id = order->id;
    o->is_alias_reference = order->is_alias_reference;
    set_control(m, order, &fa.area);
    Term *const places[] = {&m->from, &m->to, &m->token, &m->ref, &m->group_leader, &m->options};
    order_keep_terms(o, places, array_length(places));
    bool by_number = channel_has_status(c, CHANNEL_UP) && channel_can(c, CAN_DIST_HDR_ATOM_CACHE);
    bool is_written = !has_payload(order->kind) || order_set_payload(o, order->payload, by_number);
    fragment_area_drop(&fa);
    if (likely(is_written))
        return o;
    order_free(o);
    return NULL;
}

typedef enum { NOT_TOLD, TOLD, TOO_LARGE } Told;

/* What it is lost with, it finds out itself. `awaited`: its number when its sender is to wait for it, else 0; NULL: he
 * cannot. */
static Told tell(Channel *c, const FarOrder *order, uint64_t *awaited) {
    Order *o = order_of(c, order);
    if (unlikely(o == NULL))
        return TOO_LARGE;
    if (order->ending != NULL)
        channel_let_end_later(c, o, order->ending);
    else if (unlikely(o->payload.bytes >= channel_busy_limit) && awaited != NULL)
        *awaited = order_await(o, ORDER_AWAITED_BYTES);
    bool is_told = channel_tell_order(c, o);
    if (!is_told)
        order_free(o);
    else if (order->connection != NULL)
        *order->connection = c->number;
    return is_told ? TOLD : NOT_TOLD;
}

static Term node_of(const FarOrder *order) { return is_value(order->node) ? order->node : ident_node_name(order->to); }

/* Who waits for an acknowledgement waits for it no longer than that connection is there. */
static bool concerns(const Channel *c, const FarOrder *order) {
    return order->kind != FAR_UNLINK_ACK || order->answered == c->number;
}

static Told tell_awaited(const FarOrder *order, uint64_t *awaited) {
    Channel *c = (connects(order->kind) ? connect_wanted : connect_there)(node_of(order));
    if (c == NULL)
        return NOT_TOLD;
    Told told = concerns(c, order) ? tell(c, order, awaited) : NOT_TOLD;
    if (unlikely(told == TOO_LARGE) && order->kind == FAR_EXIT_LINKED)
        channel_abandon(c);
    channel_release(c);
    return told;
}

bool tell_far(const FarOrder *order) { return tell_awaited(order, NULL) == TOLD; }

static Term trap_until_sent(Process *p, Term destination, uint64_t awaited, Term result) {
    Export *wait_there = export_internal(am_erts_internal, am_dsend_sent_trap, 3);
    return bif_trap(p, wait_there, 3, (Term[]){destination, small_make((SWord)awaited), result});
}

Term tell_order(Process *p, const FarOrder *order, Term result, TellPlace place) {
    uint64_t awaited = 0; /* to who cannot be reached it is lost */
    if (tell_awaited(order, channel_may_be_awaited_by(p) ? &awaited : NULL) == TOO_LARGE)
        return fail_system_limit(p);
    return awaited != 0 ? trap_until_sent(p, order->to, awaited, result) : tell_told(p, node_of(order), result, place);
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static Term node_of_destination(Term destination) {
    return is_tuple_arity(destination, 2) ? tuple_elements(destination)[1] : ident_node_name(destination);
}

static Term send(Process *p, Term destination, Term message, Term result) {
    bool is_name = is_tuple_arity(destination, 2);
    uint64_t awaited = 0; /* to who cannot be reached it is lost */
    Term token = seq_trace_send(p, destination, message);
    FarOrder order = {.kind = FAR_SEND,
                      .from = p->pid,
                      .to = is_name ? tuple_elements(destination)[0] : destination,
                      .node = is_name ? tuple_elements(destination)[1] : NON_VALUE,
                      .payload = message,
                      .token = token};
    if (tell_awaited(&order, channel_may_be_awaited_by(p) ? &awaited : NULL) == TOO_LARGE)
        return fail_system_limit(p);
    return awaited == 0 ? result : trap_until_sent(p, destination, awaited, result);
}

static bool waits(const Process *p, const Channel *c) {
    return unlikely(channel_is_busy(c)) && channel_may_be_awaited_by(p);
}

static bool node_would_wait(const Process *p, Term node) {
    const Entry *entry = entry_find(node);
    const Channel *c = entry == NULL ? NULL : entry_channel(entry);
    return c != NULL && waits(p, c);
}

bool tell_would_wait(const Process *p, Term destination) {
    return node_would_wait(p, node_of_destination(destination));
}

bool tell_is_connected(Term destination) {
    Term node = node_of_destination(destination);
    const Entry *entry = entry_find(node);
    return node == node_this_name() || (entry != NULL && entry_channel(entry) != NULL);
}

/* In the words of the stock runtime. */
static void print_discarded(Text *text, const Process *p, Term to, Term message) {
    LONG_WORK_OPEN;
    text_string(text, "Discarding message ");
    print_term(text, message);
    text_string(text, " from ");
    print_term(text, p->pid);
    text_string(text, " to ");
    print_term(text, to);
    text_format(text, " in an old incarnation (%u) of this node (%u)\n", ident_node(to)->creation,
                node_this_creation());
}

/* Who it is for was of an earlier run of this node. */
static void report_discarded(Process *p, Term to, Term message) {
    TEXT(text);
    print_discarded(&text, p, to, message);
    report_text(p, text_cstring(&text));
}

/* The sender waits elsewhere: in a BIF that may. */
Term tell_message(Process *p, Term destination, Term message) {
    if (!is_tuple(destination) && unlikely(ident_is_earlier(destination))) {
        report_discarded(p, destination, message);
        return message;
    }
    if (is_external_port(destination))
        return message;
    if (tell_would_wait(p, destination))
        return bif_trap(p, export_internal(am_erts_internal, am_dsend_continue_trap, 3), 3,
                        (Term[]){destination, message, message});
    return send(p, destination, message, message);
}

static void wait_until_free(Channel *c, ChannelCall *call) {
    channel_wake_when_free(c, call->from, call->request);
    mem_free(ALLOC_SIGNAL, call);
}

static RequestPlace place_shown(TellPlace place) {
    switch (place) {
    case TELL_CALL: return (RequestPlace){am_erlang, am_bif_return_trap, 2};
    case TELL_FLUSH: return (RequestPlace){am_erts_internal, am_flush_monitor_messages, 3};
    case TELL_SPAWN: return (RequestPlace){am_erts_internal, am_spawn_request_yield, 3};
    default: return (RequestPlace){am_erts_internal, am_dsend_continue_trap, 1};
    }
}

/* False: there is none any more, which is all right. */
static bool wait(Process *p, Channel *c, void (*handle)(Channel *, ChannelCall *), Term value, TellPlace place) {
    ChannelCall *call = channel_call_create(p->pid, handle);
    call->value = value;
    call->request = request_begin(p);
    p->request->is_suspension = true;
    p->request->place = place_shown(place);
    channel_tell_busy(c, p);
    if (channel_push(c, &call->signal))
        return true;
    request_end(p);
    mem_free(ALLOC_SIGNAL, call);
    return false;
}

/* By a BIF that may wait. True: it does. */
static bool waits_for(Process *p, Term node, TellPlace place) {
    Channel *c = connect_there(node);
    bool must_wait = c != NULL && waits(p, c) && wait(p, c, wait_until_free, NON_VALUE, place);
    if (c != NULL)
        channel_release(c);
    return must_wait;
}

Term tell_message_when_free(Process *p, Term destination, Term message, Term result) {
    Term told;
    if (request_answer(p, &told) == REQUEST_PENDING || waits_for(p, node_of_destination(destination), TELL_SEND))
        return request_wait(p);
    return send(p, destination, message, result);
}

/* --- who has told ------------------------------------------------------------------------------------------------- */

Term tell_told(Process *p, Term node, Term result, TellPlace place) {
    if (likely(!node_would_wait(p, node)))
        return result;
    Export *wait_there = export_internal(am_erts_internal, am_dsend_told_trap, 3);
    return bif_trap(p, wait_there, 3, (Term[]){node, small_make(place), result});
}

/* It waits once: what it has told has its place, and others who come meanwhile may make the connection busy again. */
Term tell_wait_until_free(Process *p, Term node, Term place) {
    Term told;
    RequestStatus status = request_answer(p, &told);
    if (status == REQUEST_ANSWERED)
        return am_true;
    bool must_wait = status == REQUEST_PENDING || waits_for(p, node, (TellPlace)small_value(place));
    return must_wait ? request_wait(p) : am_true;
}

/* A connection that was made since does not know the number, and says at once that it has not got it. */
Term tell_wait_sent(Process *p, Term to, Term number) {
    Term told;
    RequestStatus status = request_answer(p, &told);
    if (status == REQUEST_ANSWERED)
        return am_true;
    Channel *c = status == REQUEST_PENDING ? NULL : connect_there(node_of_destination(to));
    bool must_wait = c != NULL && wait(p, c, output_wait_sent, number, TELL_SEND);
    if (c != NULL)
        channel_release(c);
    return must_wait || status == REQUEST_PENDING ? request_wait(p) : am_true;
}

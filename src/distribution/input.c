#include "distribution/input.h"

#include <string.h>

#include "alloc/alloc.h"
#include "distribution/deliver.h"
#include "distribution/input_spawn.h"
#include "distribution/lose.h"
#include "distribution/output.h"
#include "distribution/watch.h"
#include "process/group_leader.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/route.h"
#include "term/atom.h"

ChannelInput *input_create(const uint8_t *bytes, size_t size, RefcBinary *shared) {
    ChannelInput *in = mem_alloc(ALLOC_SIGNAL, sizeof *in);
    signal_init(&in->signal, (SignalKind)CHANNEL_INPUT);
    in->size = size;
    in->buffer = shared;
    in->bytes = bytes;
    if (shared != NULL) {
        refc_binary_retain(shared);
    } else {
        in->buffer = refc_binary_create(size);
        if (size > 0)
            memcpy(in->buffer->bytes, bytes, size);
        in->bytes = in->buffer->bytes;
    }
    return in;
}

void input_free(ChannelInput *in) {
    refc_binary_release(in->buffer);
    mem_free(ALLOC_SIGNAL, in);
}

/* --- what each message does --------------------------------------------------------------------------------------- */

/* One of the channel's own orders, of two or three terms. In the name of a process here, which may have ended: behind
 * what that is still sending in fragments. */
static Order *answer(ControlOp op, Term from, Term to, Term ref) {
    Order *o = order_create(CHANNEL_ORDER, is_value(from) && is_local_pid(from) ? from : NON_VALUE);
    o->control.op = op;
    o->control.from = from;
    o->control.to = to;
    o->control.ref = ref;
    Term *const places[] = {&o->control.from, &o->control.to, &o->control.ref};
    order_keep_terms(o, places, array_length(places));
    return o;
}

static Delivery delivery(const Channel *c, SignalKind kind, const Control *m) {
    Term token = is_value(m->token) ? m->token : NIL;
    return (Delivery){.kind = kind, .to = m->to, .token = token, .object = NIL, .node = channel_node(c)};
}

static bool take_message(Channel *c, const Control *m, const Encoded *payload) {
    Delivery d = delivery(c, SIGNAL_MESSAGE, m);
    return !is_local_pid(m->to) || deliver(c, &d, payload);
}

/* A port gets it as from nobody: it is no command of its owner's then, and is dropped as such a one is. */
static bool take_named_message(Channel *c, const Control *m, const Encoded *payload) {
    Delivery d = delivery(c, SIGNAL_MESSAGE, m);
    d.to = registry_whereis(m->to);
    return !is_value(d.to) || !is_local_pid(d.to) || deliver(c, &d, payload);
}

static bool take_alias_message(Channel *c, const Control *m, const Encoded *payload) {
    Delivery d = delivery(c, SIGNAL_ALIAS_MESSAGE, m);
    if (!is_local_ref(m->to))
        return true;
    d.to = reference_alias_pid(m->to);
    d.key = reference_key(m->to);
    return !is_value(d.to) || deliver(c, &d, payload);
}

/* Who is not there has ended; so has who was of an earlier run of this node. */
static bool tell_link(const Channel *c, SignalKind kind, const Control *m, Far *far) {
    return is_local_pid(m->to) && link_signal_from_far(kind, m->to, far, c->number, m->id);
}

static void take_link(Channel *c, const Control *m) {
    Far *far = far_put(m->from);
    if (tell_link(c, SIGNAL_LINK, m, far)) {
        tie_linked(&c->ties, m->to, far);
    } else {
        tie_broken(&c->ties, m->to, far);
        output_answer(c, answer(CONTROL_PAYLOAD_EXIT, m->to, m->from, NIL), am_noproc);
    }
    far_release(far);
}

static void take_unlink(Channel *c, const Control *m) {
    Far *far = far_put(m->from);
    bool is_told = tell_link(c, SIGNAL_UNLINK, m, far);
    (is_told ? tie_unlinked : tie_broken)(&c->ties, m->to, far);
    if (!is_told && m->op == CONTROL_UNLINK_ID) {
        Order *o = answer(CONTROL_UNLINK_ID_ACK, m->to, m->from, NIL);
        o->control.id = m->id;
        output_answer(c, o, NON_VALUE);
    }
    far_release(far);
}

static void take_unlink_ack(Channel *c, const Control *m) {
    Far *far = is_local_pid(m->to) ? far_find(m->from) : NULL;
    if (far == NULL)
        return;
    tie_acknowledged(&c->ties, m->to, far, m->id);
    if (!link_signal_from_far(SIGNAL_UNLINK_ACK, m->to, far, c->number, m->id)) {
        /* it has ended, and its link with it */
    }
    far_release(far);
}

/* `kind`: of a link that the other's end has broken, or by exit/2. */
static bool take_exit(Channel *c, const Control *m, SignalKind kind, const Encoded *payload) {
    if (!is_local_pid(m->to))
        return true;
    Far *far = kind == SIGNAL_EXIT_LINKED ? far_find(m->from) : NULL;
    if (far != NULL) {
        tie_broken(&c->ties, m->to, far);
        far_release(far);
    }
    Delivery d = delivery(c, kind, m);
    d.object = m->from;
    if (payload != NULL)
        return deliver(c, &d, payload);
    deliver_term(&d, m->reason);
    return true;
}

static void take_monitor(Channel *c, const Control *m) {
    bool by_name = is_atom(m->to);
    Term pid = by_name ? registry_whereis(m->to) : m->to;
    bool is_there =
        is_value(pid) && is_local_pid(pid) && watch_begin(c, m->from, m->ref, pid, by_name ? m->to : NON_VALUE);
    if (!is_there)
        output_answer(c, answer(CONTROL_PAYLOAD_MONITOR_P_EXIT, m->to, m->from, m->ref), am_noproc);
}

/* Whom the process monitors: the peer need not say the same. */
static Term object_of(const Channel *c, const MonitorTie *tie, Area *area) {
    return is_value(tie->name) ? area_tuple2(area, tie->name, channel_node(c)) : actor_key_term(area, tie->far);
}

/* Of a monitor that is there no more nobody wants to hear. */
static bool take_down(Channel *c, const Control *m, Area *area, const Encoded *payload) {
    const MonitorTie *tie =
        is_local_ref(m->ref) ? tie_monitor_find(&c->ties, TIE_MONITOR, reference_key(m->ref), m->to) : NULL;
    if (tie == NULL)
        return true;
    Delivery d = delivery(c, SIGNAL_DOWN, m);
    d.object = object_of(c, tie, area);
    d.key = tie->tie.node.key;
    d.is_alias_reference = tie->is_alias_reference;
    tie_monitor_drop(&c->ties, d.key);
    if (payload != NULL)
        return deliver(c, &d, payload);
    deliver_term(&d, m->reason);
    return true;
}

/* What only the peer itself may say: who has a tie, or ends another, is a process of its own, and no third node's. */
static bool is_peers_own(const Channel *c, const Control *m) {
    switch (m->op) {
    case CONTROL_LINK:
    case CONTROL_UNLINK:
    case CONTROL_UNLINK_ID:
    case CONTROL_UNLINK_ID_ACK:
    case CONTROL_EXIT:
    case CONTROL_EXIT_TT:
    case CONTROL_PAYLOAD_EXIT:
    case CONTROL_PAYLOAD_EXIT_TT:
    case CONTROL_EXIT2:
    case CONTROL_EXIT2_TT:
    case CONTROL_PAYLOAD_EXIT2:
    case CONTROL_PAYLOAD_EXIT2_TT:
    case CONTROL_MONITOR_P:
    case CONTROL_DEMONITOR_P:
    case CONTROL_MONITOR_P_EXIT:
    case CONTROL_PAYLOAD_MONITOR_P_EXIT:
    case CONTROL_SPAWN_REQUEST:
    case CONTROL_SPAWN_REQUEST_TT: return is_atom(m->from) || ident_node_name(m->from) == channel_node(c);
    case CONTROL_SPAWN_REPLY:
    case CONTROL_SPAWN_REPLY_TT: return is_atom(m->result) || ident_node_name(m->result) == channel_node(c);
    default: return true;
    }
}

/* False: the payload is malformed. */
static bool act(Channel *c, const Control *m, Area *area, const Encoded *payload) {
    switch (m->op) {
    case CONTROL_SEND:
    case CONTROL_SEND_TT:
    case CONTROL_SEND_SENDER:
    case CONTROL_SEND_SENDER_TT: return take_message(c, m, payload);
    case CONTROL_REG_SEND:
    case CONTROL_REG_SEND_TT: return take_named_message(c, m, payload);
    case CONTROL_ALIAS_SEND:
    case CONTROL_ALIAS_SEND_TT: return take_alias_message(c, m, payload);
    case CONTROL_LINK: take_link(c, m); return true;
    case CONTROL_UNLINK: /* of an older peer, with no number: nobody is to acknowledge that */
    case CONTROL_UNLINK_ID: take_unlink(c, m); return true;
    case CONTROL_UNLINK_ID_ACK: take_unlink_ack(c, m); return true;
    case CONTROL_EXIT:
    case CONTROL_EXIT_TT: return take_exit(c, m, SIGNAL_EXIT_LINKED, NULL);
    case CONTROL_PAYLOAD_EXIT:
    case CONTROL_PAYLOAD_EXIT_TT: return take_exit(c, m, SIGNAL_EXIT_LINKED, payload);
    case CONTROL_EXIT2:
    case CONTROL_EXIT2_TT: return take_exit(c, m, SIGNAL_EXIT, NULL);
    case CONTROL_PAYLOAD_EXIT2:
    case CONTROL_PAYLOAD_EXIT2_TT: return take_exit(c, m, SIGNAL_EXIT, payload);
    case CONTROL_MONITOR_P: take_monitor(c, m); return true;
    case CONTROL_DEMONITOR_P: watch_end(c, m->ref); return true;
    case CONTROL_MONITOR_P_EXIT: return take_down(c, m, area, NULL);
    case CONTROL_PAYLOAD_MONITOR_P_EXIT: return take_down(c, m, area, payload);
    case CONTROL_GROUP_LEADER: group_leader_set_from_far(m->to, m->from); return true;
    case CONTROL_SPAWN_REQUEST:
    case CONTROL_SPAWN_REQUEST_TT: return input_spawn_request(c, m, area, payload);
    case CONTROL_SPAWN_REPLY:
    case CONTROL_SPAWN_REPLY_TT: input_spawn_reply(c, m, area); return true;
    default: return true; /* NODE_LINK: nothing */
    }
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

/* The control message, and behind it the payload. NULL, or what is wrong. */
static const char *take_message_at(Channel *c, Encoded *in) {
    FragmentArea fa;
    Control m;
    size_t used;
    const char *wrong = NULL;
    fragment_area_init(&fa, CONTROL_MAX_WORDS);
    Term control = encoded_read(in, &fa, &used);
    if (!is_value(control) || !control_read(control, &m) || !is_peers_own(c, &m)) {
        wrong = "a control message that is none";
    } else {
        in->bytes += used;
        in->size -= used;
        if (!act(c, &m, &fa.area, in))
            wrong = "a term that is none";
    }
    fragment_area_drop(&fa);
    return wrong;
}

static const char *take_whole(Channel *c, ChannelInput *in, HeaderIn *h) {
    Encoded e = {.buffer = in->buffer,
                 .bytes = in->bytes + h->size,
                 .size = in->size - h->size,
                 .has_version = h->kind == HEADER_PASS_THROUGH,
                 .atoms = h->atoms,
                 .atom_count = h->atom_count};
    return take_message_at(c, &e);
}

static const char *take_fragment(Channel *c, ChannelInput *in, HeaderIn *h) {
    Assembly *whole;
    switch (fragments_add(&c->fragments, h, in->bytes + h->size, in->size - h->size, &whole)) {
    case FRAGMENTS_MORE: return NULL;
    case FRAGMENTS_BAD: return "fragments of which one is missing";
    case FRAGMENTS_TOO_MUCH: return "too much in fragments";
    case FRAGMENTS_WHOLE: break;
    }
    Encoded e = {.buffer = whole->bytes,
                 .bytes = whole->bytes->bytes,
                 .size = whole->size,
                 .atoms = whole->atoms,
                 .atom_count = whole->atom_count};
    const char *wrong = take_message_at(c, &e);
    assembly_free(whole);
    return wrong;
}

static const char *take_packet(Channel *c, ChannelInput *in) {
    HeaderIn h;
    AtomCacheIn *atoms = header_may_have_atoms(in->bytes) ? channel_atoms_in(c) : NULL;
    switch (header_in_read(&h, atoms, in->bytes, in->size)) {
    case HEADER_READ: break;
    case HEADER_BAD: return "a header that is none";
    case HEADER_ATOMS_FULL: return "more atoms than there is room for";
    }
    return h.kind == HEADER_FIRST || h.kind == HEADER_CONTINUING ? take_fragment(c, in, &h) : take_whole(c, in, &h);
}

void input_take(Channel *c, ChannelInput *in) {
    uint64_t before = atomic_load_explicit(&c->packets_in, memory_order_relaxed);
    atomic_store_explicit(&c->packets_in, before + 1, memory_order_relaxed);
    const char *wrong = in->size == 0 ? NULL : take_packet(c, in); /* an empty one says that the other lives */
    if (wrong != NULL) {
        c->is_broken = true;
        channel_break(c, wrong);
    }
    input_free(in);
}

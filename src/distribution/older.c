#include "distribution/older.h"

#include "process/link.h"
#include "process/spawn_far.h"
#include "term/atom.h"

/* An older peer acknowledges nothing: it has undone the link when it is told to, which is as good. */
static void acknowledge_unlink(Channel *c, const Control *m) {
    Far *far = far_find(m->to);
    if (far == NULL)
        return;
    tie_acknowledged(&c->ties, m->from, far, m->id);
    if (!link_signal_from_far(SIGNAL_UNLINK_ACK, m->from, far, c->number, m->id)) {
        /* it has ended, and its link with it */
    }
    far_release(far);
}

/* For long a label was what the smallest machines have as a small integer. */
static bool is_old_label(Term label) {
    SWord limit = (SWord)1 << 27;
    return is_small(label) && small_value(label) >= -limit && small_value(label) < limit;
}

static ControlOp without_token(ControlOp op) {
    switch (op) {
    case CONTROL_SEND_SENDER_TT: return CONTROL_SEND_SENDER;
    case CONTROL_REG_SEND_TT: return CONTROL_REG_SEND;
    case CONTROL_ALIAS_SEND_TT: return CONTROL_ALIAS_SEND;
    default: return op;
    }
}

void older_form(Channel *c, Control *m) {
    if (m->op == CONTROL_UNLINK_ID && !channel_can(c, CAN_UNLINK_ID)) {
        m->op = CONTROL_UNLINK;
        acknowledge_unlink(c, m);
    }
    if (is_value(m->token) && !channel_can(c, CAN_BIG_SEQTRACE_LABELS) && !is_old_label(tuple_elements(m->token)[1]))
        m->op = without_token(m->op);
    if (m->op == CONTROL_SEND_SENDER && !channel_can(c, CAN_SEND_SENDER))
        m->op = CONTROL_SEND;
    else if (m->op == CONTROL_SEND_SENDER_TT && !channel_can(c, CAN_SEND_SENDER))
        m->op = CONTROL_SEND_TT;
}

static uint64_t needed(ControlOp op) {
    switch (op) {
    case CONTROL_SPAWN_REQUEST:
    case CONTROL_SPAWN_REQUEST_TT: return CAN_SPAWN;
    case CONTROL_ALIAS_SEND:
    case CONTROL_ALIAS_SEND_TT: return CAN_ALIAS;
    case CONTROL_MONITOR_P:
    case CONTROL_DEMONITOR_P:
    case CONTROL_MONITOR_P_EXIT:
    case CONTROL_PAYLOAD_MONITOR_P_EXIT: return CAN_DIST_MONITOR | CAN_DIST_MONITOR_NAME;
    default: return 0;
    }
}

static void tell_no_spawn(Channel *c, uint64_t key, Term from) {
    if (tie_monitor_find(&c->ties, TIE_SPAWN, key, from) == NULL)
        return;
    tie_monitor_drop(&c->ties, key);
    Kept reason = KEPT_NONE;
    if (!spawn_reply_from_far(from, key, 0, am_notsup, NIL, &reason))
        kept_release(&reason);
}

bool older_takes_not(Channel *c, const Order *o) {
    uint64_t abilities = needed(o->control.op);
    if (likely((c->capabilities & abilities) == abilities))
        return false;
    if (abilities == CAN_SPAWN)
        tell_no_spawn(c, o->id, o->from);
    return true;
}

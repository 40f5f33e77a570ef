#include "process/receive.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/receive_marker.h"
#include "process/recorder.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/route.h"
#include "process/seq_trace.h"
#include "process/signal_handle.h"
#include "process/system_monitor.h"
#include "process/trace_point.h"
#include "term/atom.h"
#include "term/node.h"

static Message *looked_at(Process *p, Message *m) {
    if (m == NULL || !(m->signal.detail || m->data))
        return m;
    if (unlikely(p->flags & FLAG_OFF_HEAP_MESSAGES)) {
        message_leave_block(p, m);
        p->matched = m;
    } else {
        message_move_in(p, m);
    }
    return m;
}

Message *receive_peek(Process *p) {
    Message *m = *p->save;
    if (likely(m != NULL))
        return looked_at(p, m);
    return signal_handle_midway(p) && likely(!process_is_suspended(p)) ? looked_at(p, *p->save) : NULL;
}

Term receive_remove(Process *p, Message *m) {
    assume(m->signal.detail == 0);
    if (unlikely(m->data != NULL))
        message_move_in(p, m);
    Message *next = (Message *)m->signal.next;
    *p->save = next;
    if (!next)
        p->messages_last = p->save;
    if (unlikely(p->markers != NULL))
        receive_markers_moved(p, (Message **)&m->signal.next, p->save);
    p->message_count--;
    if (unlikely(p->flags & FLAG_LONG_QUEUE))
        system_monitor_queue(p);
    p->save = &p->messages;
    message_leave_heap(p, m);
    if (unlikely(m->token != p->seq_trace_token))
        seq_trace_receive(p, m->token, m->term);
    Term term = m->term;
    mem_free(ALLOC_SIGNAL, m);
    return term;
}

bool receive_wait(Process *p) { return atomic_load_explicit(&p->signals_in, memory_order_acquire) == NULL; }

bool receive_may_sleep(Process *p) {
    do {
        (void)receive_peek(p);
        if (*p->save != NULL || process_is_exiting(p))
            return false;
    } while (!receive_wait(p));
    return true;
}

/* `to` is of no use any more when the thread was offline meanwhile. */
static Message *create(Process *p, Term destination, Term message) {
    Term token = seq_trace_send(p, destination, message);
    LONG_WORK_OPEN;
    return message_create(message, p->pid, token);
}

static void push(Process *to, uint32_t absences, Term pid, Message *m) {
    if (unlikely(absences != long_work_absences()))
        to = process_find(pid);
    if (!to || !signal_push(to, &m->signal))
        message_free(m);
}

/* What a process sends to itself is not copied, as on the stock runtime, while nothing has come that stands before it,
 * and few are in the heap yet: each collection looks at those. */
#define OWN_AMONG 64
static bool send_to_itself(Process *p, Term message) {
    bool is_plain = !p->trace_flags && is_nil(p->seq_trace_token) && !(p->flags & FLAG_OFF_HEAP_MESSAGES);
    if (!is_plain || p->messages_in_heap >= OWN_AMONG || !process_has_handled_signals(p))
        return false;
    signal_append_own(p, message_create_own(p, message));
    return true;
}

static void send_to_pid(Process *p, Term pid, Term message) {
    if (pid == p->pid && send_to_itself(p, message))
        return;
    uint32_t absences = long_work_absences();
    Process *to = process_find(pid);
    if (to)
        push(to, absences, pid, create(p, pid, message));
}

static void send_to_alias(Process *p, Term reference, Term message, SignalKind kind) {
    uint32_t absences = long_work_absences();
    Term pid = reference_alias_pid(reference);
    Process *to = is_value(pid) ? process_find(pid) : NULL;
    if (!to)
        return;
    Message *m = create(p, reference, message);
    m->signal.kind = kind;
    m->key = reference_key(reference);
    push(to, absences, pid, m);
}

/* A name that leads to a port is the port's route. */
static Term send_to_owner(Process *p, Term owner, Term message) {
    if (!is_local_pid(owner))
        return route_send(p, owner, message);
    send_to_pid(p, owner, message);
    return message;
}

static Term send_to_name(Process *p, Term name, Term message) {
    Term owner = registry_whereis(name);
    return is_value(owner) ? send_to_owner(p, owner, message) : fail_badarg(p);
}

/* A name that nobody has any more is none to fail for. */
static Term send_to_name_on_node(Process *p, Term destination, Term message) {
    Term name = tuple_elements(destination)[0], node = tuple_elements(destination)[1];
    if (!is_atom(name) || !is_atom(node))
        return fail_badarg(p);
    if (node != node_this_name())
        return route_send(p, destination, message);
    Term owner = registry_whereis(name);
    return is_value(owner) ? send_to_owner(p, owner, message) : message;
}

/* A name that nobody has is told like any other. */
static void trace_send(Process *p, Term destination, Term message) {
    if (recorder_chosen() & TRACE_SEND)
        recorder_message(p, RECORD_SEND, destination, message);
    if (!(p->trace_flags & TRACE_SEND))
        return;
    bool nobody = is_local_pid(destination) && process_find(destination) == NULL;
    trace_points.event(p, nobody ? EVENT_SEND_TO_NOBODY : EVENT_SEND, message, destination);
}

Term process_send(Process *p, Term destination, Term message) {
    if (unlikely((p->trace_flags | recorder_chosen()) & TRACE_SEND))
        trace_send(p, destination, message);
    if (likely(is_local_pid(destination))) {
        send_to_pid(p, destination, message);
        return message;
    }
    if (is_atom(destination))
        return send_to_name(p, destination, message);
    if (is_tuple_arity(destination, 2))
        return send_to_name_on_node(p, destination, message);
    if (is_local_ref(destination)) {
        send_to_alias(p, destination, message, SIGNAL_ALIAS_MESSAGE);
        return message;
    }
    if (is_external_port(destination) && !ident_is_earlier(destination))
        return fail_badarg(p); /* ports take messages of their own node only */
    if (is_external_pid(destination) || is_port(destination) || is_external_ref(destination))
        return route_send(p, destination, message);
    return fail_badarg(p);
}

Term process_send_priority(Process *p, Term destination, Term message) {
    if (!is_local_ref(destination))
        return process_send(p, destination, message);
    if (unlikely((p->trace_flags | recorder_chosen()) & TRACE_SEND))
        trace_send(p, destination, message);
    send_to_alias(p, destination, message, SIGNAL_PRIORITY_MESSAGE);
    return message;
}

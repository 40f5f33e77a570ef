#include "process/spawn_token.h"

#include "heap/copy.h"
#include "process/seq_trace.h"
#include "term/atom.h"
#include "term/node.h"

static Term function_of(const Process *child, Area *area, bool is_request) {
    if (is_request)
        return area_tuple3(area, am_erts_internal, am_spawn_init, small_make(1));
    return area_tuple3(area, child->saved[0], child->saved[1], small_make((SWord)child->initial_arity));
}

static Term arguments_of(const Process *child, Area *area, bool is_request) {
    if (!is_request)
        return child->saved[2];
    return area_cons(area, area_tuple3(area, child->saved[0], child->saved[1], child->saved[2]), NIL);
}

void spawn_token_request(Process *parent, Process *child, const SpawnOptions *o, Term reference) {
    Area *area = process_area(parent);
    Term token = seq_trace_count(parent);
    Term request[] = {am_spawn_request,
                      reference,
                      parent->pid,
                      parent->group_leader,
                      function_of(child, area, o->is_request),
                      o->given,
                      o->reply_tag,
                      arguments_of(child, area, o->is_request)};
    Term message = area_tuple(area, request, array_length(request));
    seq_trace_tell(parent, token, SEQ_SEND, child->pid, message);
    seq_trace_inherit(child, parent, token);
    seq_trace_tell(parent, token, SEQ_RECEIVE, child->pid, message);
}

/* Who waits for the answer in the call takes the serial's word, stock's tag and all, for the serial: so does stock. */
static uint64_t misread_serial(Term serial) { return seq_trace_serial(serial) << 4 | 15; }

Term spawn_token_reply(Process *parent, Process *child, const SpawnOptions *o, Term reference) {
    Area *area = process_area(parent);
    Term token = term_copy(seq_trace_count(child), area);
    Term message = area_tuple4(area, o->reply_tag, reference, am_ok, child->pid);
    if (o->replies)
        seq_trace_tell(parent, token, SEQ_SEND, parent->pid, message);
    if (!o->is_request) {
        seq_trace_tell(parent, token, SEQ_RECEIVE, parent->pid, message);
        parent->seq_clock = parent->seq_last = misread_serial(tuple_elements(token)[SEQ_SERIAL]);
    }
    return token;
}

/* --- between nodes ------------------------------------------------------------------------------------------------ */

static Term request_term(const SpawnAsked *a, Area *area) {
    Term elements[] = {
        am_spawn_request, a->reference, a->parent, a->group_leader, area_tuple3(area, a->module, a->function, a->arity),
        a->options};
    return area_tuple(area, elements, array_length(elements));
}

Term spawn_token_ask_far(Process *p, const FarOrder *order, Term reference) {
    SpawnAsked a = {
        p->pid, p->group_leader, order->module, order->function, order->arity, order->options, reference, NIL, NIL};
    seq_trace_tell(p, seq_trace_count(p), SEQ_SEND, order->node, request_term(&a, process_area(p)));
    Term token = seq_trace_count(p);
    seq_trace_tell(p, token, SEQ_SEND, order->node, order->payload);
    return token;
}

/* The token is that of the arguments: the request had the serial before. */
static void tell_request(const SpawnAsked *a, Term who, uint64_t serial, Area *area) {
    const Term *e = tuple_elements(a->token);
    Term first = seq_trace_token_at(a->token, seq_trace_serial(e[SEQ_PREVIOUS]), serial - 1, e[SEQ_FROM], area);
    seq_trace_tell_of(who, first, SEQ_RECEIVE, who, request_term(a, area));
}

Term spawn_token_asked_from_far(const SpawnAsked *a, Term child, Area *area) {
    uint64_t serial = seq_trace_serial(tuple_elements(a->token)[SEQ_SERIAL]);
    Term who = is_pid(child) ? child : node_this_name();
    tell_request(a, who, serial, area);
    Term token = seq_trace_token_at(a->token, serial - 1, serial, who, area);
    Term answer = area_tuple4(area, am_spawn_reply, a->reference, is_pid(child) ? am_ok : am_error, child);
    seq_trace_tell_of(who, token, SEQ_SEND, a->parent, answer);
    if (is_pid(child)) /* who takes them as his first message, after it was answered that he is there */
        seq_trace_tell_of(who, a->token, SEQ_RECEIVE, who, a->arguments);
    return token;
}

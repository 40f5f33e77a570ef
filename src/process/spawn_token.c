#include "process/spawn_token.h"

#include "heap/copy.h"
#include "process/seq_trace.h"
#include "term/atom.h"

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

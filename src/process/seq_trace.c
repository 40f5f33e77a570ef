#include "process/seq_trace.h"

static Term token_make(Process *p, Term flags, Term label, Term serial, Term from, Term previous) {
    Term *e = area_alloc(process_area(p), 1 + SEQ_ELEMENTS);
    e[0] = header_make(KIND_TUPLE, SEQ_ELEMENTS);
    e[1 + SEQ_FLAGS] = flags;
    e[1 + SEQ_LABEL] = label;
    e[1 + SEQ_SERIAL] = serial;
    e[1 + SEQ_FROM] = from;
    e[1 + SEQ_PREVIOUS] = previous;
    return p->seq_trace_token = boxed_make(e);
}

Term seq_trace_send_slow(Process *p) {
    p->seq_clock++;
    return token_make(p, seq_trace_element(p, SEQ_FLAGS), seq_trace_element(p, SEQ_LABEL), small_make(p->seq_clock),
                      p->pid, small_make(p->seq_last));
}

void seq_trace_receive(Process *p, Term token) {
    p->seq_trace_token = token;
    if (is_nil(token))
        return;
    p->seq_last = (uint32_t)small_value(seq_trace_element(p, SEQ_SERIAL));
    if (p->seq_last > p->seq_clock)
        p->seq_clock = p->seq_last;
}

void seq_trace_set(Process *p, unsigned element, Term value) {
    bool is_new = is_nil(p->seq_trace_token);
    Term e[SEQ_ELEMENTS] = {small_make(0), small_make(0), small_make(p->seq_clock), p->pid, small_make(p->seq_last)};
    for (unsigned i = 0; !is_new && i < SEQ_ELEMENTS; i++)
        e[i] = seq_trace_element(p, i);
    e[element] = value;
    token_make(p, e[SEQ_FLAGS], e[SEQ_LABEL], e[SEQ_SERIAL], e[SEQ_FROM], e[SEQ_PREVIOUS]);
}

#include "process/seq_trace.h"

#include "alloc/alloc.h"
#include "heap/copy.h"
#include "process/message.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/time_stamp.h"
#include "process/trace_point.h"
#include "term/atom.h"

/*
 * A token is a process's own, like all of it: it is copied into each message that the process sends, and whoever
 * receives that takes it over. Two counters order what happens: seq_clock, which is raised by each send, and seq_last,
 * the serial that was received last. Each send is {seq_last, seq_clock}: so who hears of all events can put them
 * together as the tree of causes that they are, though the clocks of processes have nothing else in common (a receive
 * sets the clock to what came, if that is later: Lamport's clocks). The system tracer itself passes a token on as it
 * is: what it does is not part of what it watches.
 */

/* A Tracer's. Exchanged by anyone; a process that is no more is found out by who would have told it. */
static _Atomic Term tracer = NIL;

static Tracer tracer_now(void) {
    Term t = atomic_load_explicit(&tracer, memory_order_acquire);
    if (is_tracer_module(t) || is_nil(t) || actor_find(t) != NULL)
        return (Tracer){t};
    atomic_compare_exchange_strong(&tracer, &t, NIL);
    return TRACER_NOBODY;
}

Term seq_trace_tracer(Area *area) {
    Tracer t = tracer_now();
    return is_nil(t.term) ? am_false : tracer_term(t, area);
}

void seq_trace_set_tracer(Tracer t) { tracer_drop((Tracer){atomic_exchange(&tracer, t.term)}); }

/* Serials have 60 bits, as small integers of the stock runtime do, and wrap round as those would. */
static Term serial_term(uint64_t serial) { return small_make((SWord)(serial << 4) >> 4); }
uint64_t seq_trace_serial(Term t) { return (uint64_t)small_value(t) << 4 >> 4; }

static _Atomic uint64_t the_epoch;

/* What p has holds in the epoch that is now. */
static void renew(Process *p) {
    uint64_t epoch = atomic_load_explicit(&the_epoch, memory_order_acquire);
    if (likely(p->seq_epoch == epoch))
        return;
    p->seq_epoch = epoch;
    p->seq_trace_token = NIL;
    p->seq_clock = p->seq_last = 0;
}

Term seq_trace_token_slow(Process *p) {
    renew(p);
    return p->seq_trace_token;
}

Term seq_trace_token_term(Process *p, Area *area) {
    Term token = seq_trace_token(p);
    return is_nil(token) ? NIL : area_tuple(area, tuple_elements(token), SEQ_SEEN_ELEMENTS);
}

static Term token_make(Process *p, Term flags, Term label, Term serial, Term from, Term previous) {
    Term *e = area_alloc(process_area(p), 1 + SEQ_ELEMENTS);
    e[0] = header_make(KIND_TUPLE, SEQ_ELEMENTS);
    e[1 + SEQ_FLAGS] = flags;
    e[1 + SEQ_LABEL] = label;
    e[1 + SEQ_SERIAL] = serial;
    e[1 + SEQ_FROM] = from;
    e[1 + SEQ_PREVIOUS] = previous;
    e[1 + SEQ_EPOCH] = small_make((SWord)p->seq_epoch);
    return p->seq_trace_token = boxed_make(e);
}

Term seq_trace_count(Process *p) {
    if (tracer_now().term == p->pid)
        return p->seq_trace_token;
    p->seq_clock++;
    return token_make(p, seq_trace_element(p, SEQ_FLAGS), seq_trace_element(p, SEQ_LABEL), serial_term(p->seq_clock),
                      p->pid, serial_term(p->seq_last));
}

Term seq_trace_send_slow(Process *p, Term to, Term message) {
    renew(p);
    if (is_nil(p->seq_trace_token))
        return NIL;
    Term token = seq_trace_count(p);
    seq_trace_tell(p, token, SEQ_SEND, to, message);
    return token;
}

static void take(Process *p, Term token) {
    p->seq_trace_token = token;
    p->seq_last = seq_trace_serial(seq_trace_element(p, SEQ_SERIAL));
    if (p->seq_clock < p->seq_last)
        p->seq_clock = p->seq_last;
}

void seq_trace_inherit(Process *child, const Process *parent, Term token) {
    child->seq_epoch = parent->seq_epoch;
    take(child, term_copy(token, process_area(child)));
}

void seq_trace_begin(Process *child, Term token) {
    renew(child);
    take(child, term_copy(token, process_area(child)));
}

Term seq_trace_token_without_epoch(Term token, Area *area) {
    return area_tuple(area, tuple_elements(token), SEQ_SEEN_ELEMENTS);
}

Term seq_trace_token_with_epoch(Term token, Area *area) {
    Term e[SEQ_ELEMENTS];
    for (unsigned i = 0; i < SEQ_SEEN_ELEMENTS; i++)
        e[i] = tuple_elements(token)[i];
    e[SEQ_EPOCH] = small_make((SWord)atomic_load_explicit(&the_epoch, memory_order_acquire));
    return area_tuple(area, e, SEQ_ELEMENTS);
}

Term seq_trace_token_at(Term token, uint64_t previous, uint64_t serial, Term from, Area *area) {
    Term e[SEQ_SEEN_ELEMENTS] = {tuple_elements(token)[SEQ_FLAGS], tuple_elements(token)[SEQ_LABEL],
                                 serial_term(serial), from, serial_term(previous)};
    return area_tuple(area, e, SEQ_SEEN_ELEMENTS);
}

static bool is_of_epoch(Term token, uint64_t epoch) {
    return !is_nil(token) && small_value(tuple_elements(token)[SEQ_EPOCH]) == (SWord)epoch;
}

void seq_trace_receive(Process *p, Term token, Term message) {
    if (!is_value(token))
        return;
    if (is_small(token)) { /* of what a tracer gets: its sender has a limit */
        trace_points.taken(token);
        return;
    }
    renew(p);
    p->seq_trace_token = NIL;
    if (!is_of_epoch(token, p->seq_epoch))
        return;
    take(p, token);
    seq_trace_tell(p, token, SEQ_RECEIVE, p->pid, message);
}

void seq_trace_set(Process *p, unsigned element, Term value) {
    renew(p);
    bool is_new = is_nil(p->seq_trace_token);
    Term e[SEQ_SEEN_ELEMENTS] = {small_make(0), small_make(0), small_make(0), p->pid, serial_term(p->seq_last)};
    for (unsigned i = 0; !is_new && i < SEQ_SEEN_ELEMENTS; i++)
        e[i] = seq_trace_element(p, i);
    e[element] = value;
    token_make(p, e[SEQ_FLAGS], e[SEQ_LABEL], e[SEQ_SERIAL], e[SEQ_FROM], e[SEQ_PREVIOUS]);
}

static const struct {
    Term name;
    SWord bit;
} flags[] = {
    {am_send_word, SEQ_SEND},
    {am_receive, SEQ_RECEIVE},
    {am_print, SEQ_PRINT},
    {am_timestamp, SEQ_TIMESTAMP},
    {am_strict_monotonic_timestamp, SEQ_STRICT_TIMESTAMP},
    {am_monotonic_timestamp, SEQ_MONOTONIC},
};

SWord seq_trace_flag(Term name) {
    for (unsigned i = 0; i < array_length(flags); i++)
        if (flags[i].name == name)
            return flags[i].bit;
    return 0;
}

SWord seq_trace_flags(Process *p) {
    return is_nil(seq_trace_token(p)) ? 0 : small_value(seq_trace_element(p, SEQ_FLAGS));
}

static Term change_flag(Process *p, SWord bit, Term value) {
    SWord old = seq_trace_flags(p);
    if (value != am_true && value != am_false)
        return NON_VALUE;
    seq_trace_set(p, SEQ_FLAGS, small_make(value == am_true ? old | bit : old & ~bit));
    return bool_term(old & bit);
}

static Term change_label(Process *p, Term value) {
    Term old = is_nil(seq_trace_token(p)) ? small_make(0) : seq_trace_element(p, SEQ_LABEL);
    seq_trace_set(p, SEQ_LABEL, value);
    return old;
}

static bool is_serial(Term t) { return is_small(t) && t == serial_term(seq_trace_serial(t)); }

static Term change_serial(Process *p, Term value) {
    if (!is_tuple_arity(value, 2) || !is_serial(tuple_elements(value)[0]) || !is_serial(tuple_elements(value)[1]))
        return NON_VALUE;
    renew(p);
    bool is_new = is_nil(p->seq_trace_token);
    Term previous = is_new ? serial_term(p->seq_last) : seq_trace_element(p, SEQ_PREVIOUS);
    Term serial = is_new ? small_make(0) : seq_trace_element(p, SEQ_SERIAL);
    Term old = area_tuple2(process_area(p), previous, serial);
    p->seq_last = seq_trace_serial(tuple_elements(value)[0]);
    p->seq_clock = seq_trace_serial(tuple_elements(value)[1]);
    seq_trace_set(p, SEQ_PREVIOUS, tuple_elements(value)[0]);
    seq_trace_set(p, SEQ_SERIAL, tuple_elements(value)[1]);
    return old;
}

Term seq_trace_change(Process *p, Term component, Term value) {
    SWord bit = seq_trace_flag(component);
    if (bit != 0)
        return change_flag(p, bit, value);
    if (component == am_label)
        return change_label(p, value);
    if (component == am_serial)
        return change_serial(p, value);
    if (component != am_sequential_trace_token || !is_nil(value))
        return NON_VALUE;
    Term old = seq_trace_token_term(p, process_area(p));
    p->seq_trace_token = NIL;
    return old;
}

Term seq_trace_info(Process *p, Term component) {
    Area *area = process_area(p);
    SWord flag = seq_trace_flag(component);
    if (flag != 0)
        return area_tuple2(area, component, bool_term(seq_trace_flags(p) & flag));
    if (component != am_label && component != am_serial)
        return NON_VALUE;
    if (is_nil(seq_trace_token(p)))
        return NIL;
    if (component == am_label)
        return area_tuple2(area, component, seq_trace_element(p, SEQ_LABEL));
    Term serial = area_tuple2(area, seq_trace_element(p, SEQ_PREVIOUS), seq_trace_element(p, SEQ_SERIAL));
    return area_tuple2(area, component, serial);
}

static StampKind kind_of_stamp(SWord flags) {
    return flags & SEQ_TIMESTAMP          ? stamp_of_timestamp()
           : flags & SEQ_STRICT_TIMESTAMP ? STAMP_STRICT_MONOTONIC
           : flags & SEQ_MONOTONIC        ? STAMP_MONOTONIC
                                          : STAMP_NONE;
}

static void call_module(Term module, Term label, Term event, SWord flags) {
    Term stamp = stamp_name(kind_of_stamp(flags));
    TracerEvent e = {am_seq_trace, label, event, NON_VALUE, NON_VALUE, stamp, NON_VALUE, NULL};
    tracer_tell(module, TOPIC_ANY, &e);
}

static void send_message(Term from, Term tracer_place, Term label, Term event, SWord flags, Area *area) {
    StampKind stamp = kind_of_stamp(flags);
    Term parts[4] = {am_seq_trace, label, event};
    if (stamp != STAMP_NONE)
        parts[3] = stamp_now(area, stamp);
    Term told = area_tuple(area, parts, stamp != STAMP_NONE ? 4 : 3);
    if (is_local_port(tracer_place)) {
        (void)tracer_command_port(from, tracer_place, told);
        return;
    }
    Message *m = message_create(told, NON_VALUE, TOKEN_OF_RUNTIME);
    if (!signal_send(tracer_place, &m->signal))
        message_free(m);
}

void seq_trace_tell(const Process *p, Term token, int kind, Term to, Term message) {
    if (!process_is_sensitive(p))
        seq_trace_tell_of(p->pid, token, kind, to, message);
}

void seq_trace_tell_of(Term who, Term token, int kind, Term to, Term message) {
    const Term *e = tuple_elements(token);
    SWord flags = small_value(e[SEQ_FLAGS]);
    Tracer to_whom = tracer_now();
    if (!(flags & kind) || is_nil(to_whom.term) || to_whom.term == who)
        return;
    if (is_tracer_module(to_whom.term) && tracer_ask(to_whom.term, TOPIC_ANY, am_seq_trace, who) != TRACER_TRACE)
        return;
    FragmentArea fa;
    fragment_area_init(&fa, 64);
    Area *area = &fa.area;
    Term serial = area_tuple2(area, e[SEQ_PREVIOUS], e[SEQ_SERIAL]);
    Term name = kind == SEQ_SEND ? am_send_word : kind == SEQ_RECEIVE ? am_receive : am_print;
    Term event = area_tuple(area, (Term[]){name, serial, e[SEQ_FROM], to, message}, 5);
    if (is_tracer_module(to_whom.term))
        call_module(to_whom.term, e[SEQ_LABEL], event, flags);
    else
        send_message(who, to_whom.term, e[SEQ_LABEL], event, flags, area);
    fragment_area_drop(&fa);
}

void seq_trace_reset_all(void) { atomic_fetch_add(&the_epoch, 1); }

/* erlang:seq_trace/2, seq_trace_info/1, seq_trace_print/1,2, and erlang:monitor_node/2,3. */
#include "bif/argument.h"
#include "bif_table.h"
#include "process/seq_trace.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/node.h"

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

/* 0: no flag. */
static SWord flag_bit(Term name) {
    for (unsigned i = 0; i < array_length(flags); i++)
        if (flags[i].name == name)
            return flags[i].bit;
    return 0;
}

static SWord flags_now(const Process *p) {
    return is_nil(p->seq_trace_token) ? 0 : small_value(seq_trace_element(p, SEQ_FLAGS));
}

static Term set_flag(Process *p, SWord bit, Term value) {
    SWord old = flags_now(p);
    if (value != am_true && value != am_false)
        return fail_badarg(p);
    seq_trace_set(p, SEQ_FLAGS, small_make(value == am_true ? old | bit : old & ~bit));
    return bool_term(old & bit);
}

static Term set_serial(Process *p, Term value) {
    if (!is_tuple_arity(value, 2) || !is_small_within(tuple_elements(value)[0], 0, UINT32_MAX) ||
        !is_small_within(tuple_elements(value)[1], 0, UINT32_MAX))
        return fail_badarg(p);
    Term old = area_tuple2(process_area(p), small_make(p->seq_last), small_make(p->seq_clock));
    p->seq_last = (uint32_t)small_value(tuple_elements(value)[0]);
    p->seq_clock = (uint32_t)small_value(tuple_elements(value)[1]);
    seq_trace_set(p, SEQ_PREVIOUS, tuple_elements(value)[0]);
    seq_trace_set(p, SEQ_SERIAL, tuple_elements(value)[1]);
    return old;
}

Term erlang_seq_trace_2(Process *p, const Term *a) {
    Term old = p->seq_trace_token;
    if (flag_bit(a[0]))
        return set_flag(p, flag_bit(a[0]), a[1]);
    if (a[0] == am_label) {
        seq_trace_set(p, SEQ_LABEL, a[1]);
        return is_nil(old) ? small_make(0) : tuple_elements(old)[SEQ_LABEL];
    }
    if (a[0] == am_serial)
        return set_serial(p, a[1]);
    if (a[0] != am_sequential_trace_token || !is_nil(a[1]))
        return fail_badarg(p);
    p->seq_trace_token = NIL;
    return old;
}

Term erlang_seq_trace_info_1(Process *p, const Term *a) {
    Area *area = process_area(p);
    if (flag_bit(a[0]))
        return area_tuple2(area, a[0], bool_term(flags_now(p) & flag_bit(a[0])));
    if (a[0] != am_label && a[0] != am_serial)
        return fail_badarg(p);
    if (is_nil(p->seq_trace_token))
        return NIL;
    if (a[0] == am_label)
        return area_tuple2(area, a[0], seq_trace_element(p, SEQ_LABEL));
    return area_tuple2(area, a[0],
                       area_tuple2(area, seq_trace_element(p, SEQ_PREVIOUS), seq_trace_element(p, SEQ_SERIAL)));
}

/* Counts as a step, whether or not the flag `print` has it told. */
Term erlang_seq_trace_print_1(Process *p, const Term *a) {
    if (is_nil(p->seq_trace_token))
        return am_false;
    seq_trace_tell(p, seq_trace_count(p), SEQ_PRINT, NIL, a[0]);
    return am_true;
}

Term erlang_seq_trace_print_2(Process *p, const Term *a) {
    if (is_nil(p->seq_trace_token) || !term_identical(a[0], seq_trace_element(p, SEQ_LABEL)))
        return am_false;
    return erlang_seq_trace_print_1(p, a + 1);
}

/* Without distribution there is this node alone, and it does not go down. */
Term erlang_monitor_node_2(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    if (a[0] != node_this_name())
        return fail_with(p, FAIL_NOTALIVE);
    return a[1] == am_true || a[1] == am_false ? am_true : fail_badarg(p);
}

Term erlang_monitor_node_3(Process *p, const Term *a) {
    Term options = a[2];
    while (is_list(options) && list_head(options) == am_allow_passive_connect)
        options = list_tail(options);
    return is_nil(options) ? erlang_monitor_node_2(p, a) : fail_badarg(p);
}

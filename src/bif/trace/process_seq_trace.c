/* erlang:seq_trace/2, seq_trace_info/1, seq_trace_print/1,2, and erlang:monitor_node/2,3. */
#include "bif/argument.h"
#include "bif_table.h"
#include "process/seq_trace.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/node.h"

Term erlang_seq_trace_2(Process *p, const Term *a) {
    Term old = seq_trace_change(p, a[0], a[1]);
    return is_value(old) ? old : fail_badarg(p);
}

Term erlang_seq_trace_info_1(Process *p, const Term *a) {
    Term info = seq_trace_info(p, a[0]);
    return is_value(info) ? info : fail_badarg(p);
}

/* Counts as a step, whether or not the flag `print` has it told. */
Term erlang_seq_trace_print_1(Process *p, const Term *a) {
    if (is_nil(seq_trace_token(p)))
        return am_false;
    seq_trace_tell(p, seq_trace_count(p), SEQ_PRINT, NIL, a[0]);
    return am_true;
}

Term erlang_seq_trace_print_2(Process *p, const Term *a) {
    if (is_nil(seq_trace_token(p)) || !term_identical(a[0], seq_trace_element(p, SEQ_LABEL)))
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

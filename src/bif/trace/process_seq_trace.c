/* erlang:seq_trace/2, seq_trace_info/1, seq_trace_print/1,2. */
#include "bif/argument.h"
#include "bif_table.h"
#include "process/seq_trace.h"
#include "term/atom.h"
#include "term/compare.h"

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

/*
 * Sums of calls to Erlang: the option {sum, Form} of trace_pattern as lib/trace.erl makes it, and the item `sum`.
 *
 * Form is {Parts, IsList, Value, Histogram, Rows, Only}: Parts a list of caller, process, name, initial_call,
 * scheduler, function and expression; Value 1, time or expression. The expressions are in the specification's result.
 */
#ifndef VIV_BIF_TRACE_TRACE_SUM_H
#define VIV_BIF_TRACE_TRACE_SUM_H

#include "process/process.h"
#include "trace/sum.h"

bool trace_sum_read(Term form, SumForm *read);
/* #{rows, other, invalid}, in p's area. */
Term trace_sum_term(Process *p, const CallSum *sum);

#endif

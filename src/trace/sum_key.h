/*
 * What a call counts under, and as, in a sum (trace/sum.h). By the thread of the process that calls; keys are built in
 * its area, of its program's result: the tuple of the expressions in the key, and of the value, if that is one.
 */
#ifndef VIV_TRACE_SUM_KEY_H
#define VIV_TRACE_SUM_KEY_H

#include "code/breakpoint.h"
#include "process/process.h"
#include "trace/sum.h"

/* Do calls of p count at all? */
bool sum_counts(const Process *p, const TraceSession *session, const CallSum *sum);
/* Is the result a tuple of as many expressions as the sum has? Otherwise there is no key or value. */
bool sum_has_expressions(const CallSum *sum, Term result);
/* Of such a result. Expressions are cut as the limit of the sum's session says. */
Term sum_key(const CallSum *sum, Process *p, const Mfa *mfa, Term result);
/* Of 1 or an expression; of such a result. */
void sum_add_value(CallSum *sum, Term key, Term result);

#endif

/*
 * Terms that are cut before they are copied to a tracer: what is nested too deep, or beyond so many words, is `'...'`
 * in the copy (docs/TRACING.md). The copy is built in an area of the caller's; parts that are leaves it shares with the
 * term.
 */
#ifndef VIV_TRACE_CUT_H
#define VIV_TRACE_CUT_H

#include "trace/limit.h"

/* `depth` 1 to CUT_DEPTH_MAX, `words` at least 1. */
#define CUT_DEPTH_MAX 64
Term term_cut(Term t, unsigned depth, int64_t words, Area *area);
/* As far as the limit of a session says. */
Term term_cut_by(const LimitOptions *limit, Term t, Area *area);
/* What an event tells behind its tag, element[0]; *result may be NON_VALUE. Functions keep their names. */
void event_cut(const LimitOptions *limit, TracerTopic topic, Term *element, unsigned count, Term *result, Area *area);

#endif

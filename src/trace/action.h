/* The actions of match specifications that trace: {message, M}, {return_trace}, {silent, B}, ... as MatchAction of
 * match/match_spec.h; the run's context is a ProgramRun. */
#ifndef VIV_TRACE_ACTION_H
#define VIV_TRACE_ACTION_H

#include "match/match_spec.h"

Term trace_action(MatchRun *run, Term name, const Term *arguments, unsigned count);

#endif

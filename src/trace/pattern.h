/*
 * Trace patterns: which functions' calls are traced, and how.
 *
 * What sessions want of a function is its breakpoint's BpData: an entry for each session, made anew for
 * every change and never altered once it is staged, so that a reader needs no lock. Functions of which the same is
 * wanted, with nothing that each needs for itself, share one. What the entries refer to is counted (programs, meta
 * tracers, call counts and costs) and shared between the data before and after a change.
 *
 * A change (trace/pattern_walk.h) is made by the holder of the code modification permission, in the order that
 * code/breakpoint.h gives. It does not depend on the process that asked once it has begun: its steps after the commit
 * run when thread progress says so, on any thread, and give the permission back.
 *
 * Source: erlang(3) trace_pattern/3, trace_info/2.
 */
#ifndef VIV_TRACE_PATTERN_H
#define VIV_TRACE_PATTERN_H

#include "code/breakpoint.h"
#include "process/call_count.h"
#include "replace/code_permission.h"
#include "trace/cost.h"
#include "trace/program.h"
#include "trace/session_table.h"
#include "trace/sum.h"

/* BP_DEBUG is a debugger's, of the default session: it traces nothing. */
enum {
    BP_LOCAL = 1,
    BP_GLOBAL = 2,
    BP_META = 4,
    BP_COUNT = 8,
    BP_TIME = 16,
    BP_MEMORY = 32,
    BP_DEBUG = 64,
    BP_SUM = 128
};
#define BP_FIGURES (BP_COUNT | BP_TIME | BP_MEMORY)
#define BP_TELLS (BP_LOCAL | BP_GLOBAL | BP_META)

/* Global trace of a function and all others take each other's place; but as on the stock runtime a debugger's
 * breakpoint leaves global trace there is. */
static inline uint32_t pattern_opposite(uint32_t kinds) {
    if (kinds & BP_GLOBAL)
        return BP_LOCAL | BP_META | BP_FIGURES | BP_SUM | BP_DEBUG;
    return kinds & ~(uint32_t)BP_DEBUG ? BP_GLOBAL : 0;
}

/* Of meta trace: shared by the data before and after a change. */
typedef struct {
    _Atomic size_t references;
    _Atomic bool is_gone; /* it was found to be no more: set by whoever calls the function then, never cleared */
    Tracer tracer;
} MetaTracer;
static inline Tracer meta_tracer(const MetaTracer *meta) {
    return atomic_load_explicit(&meta->is_gone, memory_order_relaxed) ? TRACER_NOBODY : meta->tracer;
}

typedef struct {
    TraceSession *session;
    uint32_t kinds;
    MatchProgram *program;      /* of local or global trace; NULL: everything matches */
    MatchProgram *meta_program;
    MetaTracer *meta;
    CallCount *count;
    CallCost *time, *memory;
    CallSum *sum;               /* as dropped is, of the pattern */
    MatchProgram *sum_program;  /* its keys and values; NULL: everything matches, and none are expressions */
    CallCount *dropped; /* calls that the session's limit refused, of the pattern: functions share it. NULL: no limit */
} BpEntry;
typedef struct BpData {
    BpHead head; /* must be first */
    uint32_t kinds; /* of all entries */
    uint32_t count; /* at least one; the session that came last is first */
    size_t breakpoints; /* that have it, on one side or both, counted under the permission */
    BpEntry entry[];
} BpData;

/* To pause or restart has a sense for kinds that keep figures; others are turned on, with no program. */
typedef enum { PATTERN_ON, PATTERN_OFF, PATTERN_PAUSE, PATTERN_RESTART } PatternVerb;
typedef struct {
    TraceSession *session;
    PatternVerb verb;
    uint32_t kinds; /* BP_*; BP_GLOBAL alone: it and all others exclude each other */
    MatchProgram *program; /* for PATTERN_ON: the caller's reference, of which the entries take their own */
    Tracer meta_tracer;
    SumForm sum_form; /* for BP_SUM, to be turned on */
    CallSum *sum; /* of all functions of the pattern, as the next; NULL: none */
    CallCount *dropped; /* NULL when the session has no limit */
    Term module, function; /* NON_VALUE: any */
    int arity; /* negative: any */
} PatternChange;

/* Takes out all that a session has in functions, as the holder of the permission; that is given back, and `done`
 * called, when it is over. */
void pattern_end_session(TraceSession *session, void (*done)(TraceSession *session));

/* trace_pattern(on_load, ...), by the holder of the permission. */
void pattern_set_on_load(const PatternChange *change);

/* For trace/pattern_walk.c: a breakpoint's staging side is changed; it is installed when there is something in it. */
void pattern_stage(GenericBp *bp, const PatternChange *change);
/* What was staged becomes active, as pattern_change says. */
bool pattern_set_commit(Term asker, uint64_t id, size_t matched);
/* For trace/publish.c, of code that is replaced: a breakpoint is staged away, but for what lingers there until calls on
 * their way have passed (bp_data_lingering); and, after the commit and thread progress, the way from there to the
 * release of the permission. False: there are no such breakpoints. */
void pattern_retire(GenericBp *bp);
/* The same of code that stays: nothing goes but what sessions have there that do not keep their patterns. */
void pattern_forget(GenericBp *bp);
bool pattern_set_is_empty(void);
bool pattern_set_settle(CodeAsker asker);
/* Is something told in the replaced code until then? */
bool pattern_set_lingers(void);

/* The active settings of a session for a function or an export entry, NULL when it does not trace it. The caller may
 * look at shared structures, and keeps it no longer than to its next quiescent point. */
const BpEntry *pattern_entry(const GenericBp *bp, const TraceSession *session);

#endif

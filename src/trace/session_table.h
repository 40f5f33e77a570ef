/*
 * Trace sessions: all trace state belongs to one. Here is which there are; what they want of processes is in
 * trace/session.h, of functions in trace/pattern.h. The default session, that of erlang:trace/3, is there from the
 * start and never ends.
 *
 * The list of sessions is written under trace_sessions_lock; who reads it without the lock keeps what he found no
 * longer than to his next quiescent point, or takes a count of it. A session is counted by the list, by its handle
 * (bif/trace/trace_session.h), and by every setting that refers to it: a ProcessTrace, a BpEntry, an order under way.
 * It is freed with the last count.
 */
#ifndef VIV_TRACE_SESSION_TABLE_H
#define VIV_TRACE_SESSION_TABLE_H

#include "process/permission.h"
#include "sys/thread.h"
#include "trace/orders.h"

struct MatchProgram;
struct TraceLimit;
struct CallCount;
struct CallSum;

/* What functions of code that is loaded from now on get: erlang:trace_pattern(on_load, ...). Written and read by the
 * holder of the code modification permission. */
typedef struct {
    uint32_t kinds; /* BP_* of trace/pattern.h */
    /* Of local or global trace, and of meta trace; NULL: everything matches. As on the stock runtime the first stays
     * when another kind takes the place of global trace; and whoever takes global trace away, takes meta's tracer. */
    struct MatchProgram *program, *meta_program;
    Tracer meta_tracer; /* may be TRACER_NOBODY */
    struct CallCount *dropped; /* of what its patterns refuse; NULL: none yet */
    struct CallSum *sum; /* of new code's functions together; NULL: none */
    struct MatchProgram *sum_program;
} OnLoad;

typedef struct TraceSession {
    /* Never change. */
    int64_t number; /* what frames on stacks know it by; the default session's is -1 */
    Term name;
    Tracer tracer; /* who gets all its events; unnamed for the default session, where each order says who */
    bool keeps_on_reload; /* what is traced stays traced when its module is replaced */
    struct TraceLimit *limit; /* trace/limit.h; NULL: none */

    TraceOrdersWord orders[TRACED_KINDS]; /* of all, and new ones; written under trace_sessions_lock */

    OnLoad on_load;
    _Atomic(struct MatchProgram *) message_programs[2]; /* trace/event_pattern.h */
    _Atomic(struct CallSum *) sums; /* trace/sum.h: all that there are; written under the permission, read by anyone */
    struct SystemMonitorPlace *monitors; /* trace:system/3; NULL: never. Under trace_sessions_lock */
    bool has_patterns; /* may have: written as on_load is; read at the end, when nobody sets any more */
    _Atomic bool is_over; /* no event is told, no setting made any more; set under the lock, once */
    _Atomic(struct TraceSession *) next; /* in the list of all; written under the lock */
} TraceSession;

extern TraceSession trace_default_session;
extern Mutex trace_sessions_lock;
static inline bool trace_session_is_over(const TraceSession *s) {
    return atomic_load_explicit(&s->is_over, memory_order_acquire);
}

/* Any but the default session. */
typedef struct {
    TraceSession session;
    _Atomic size_t references;
    /* Of trace/session_end.c: its steps, why, and who asked for the end (NON_VALUE: nobody). */
    ProgressNode abandoned, ended;
    PermissionClient client;
    Term reason, asker;
    uint64_t id;
} CountedSession;
/* NULL: the default session. */
static inline CountedSession *trace_session_counted(TraceSession *s) {
    return s != &trace_default_session ? container_of(s, CountedSession, session) : NULL;
}

/* A new session, with a count for the caller's handle, and one of the tracer; `limit` is its own from now on. Numbers
 * are never used again. */
TraceSession *trace_session_create(Term name, Tracer tracer, bool keeps_on_reload, struct TraceLimit *limit);
/* NULL: there is none, any more. The default session has no number here. */
TraceSession *trace_session_numbered(int64_t number);
/* The oldest first, the default session last. */
TraceSession *trace_sessions_first(void);
static inline TraceSession *trace_sessions_next(const TraceSession *s) {
    return atomic_load_explicit(&s->next, memory_order_acquire);
}

/* Any thread; the default session is not counted. */
void trace_session_keep(TraceSession *session);
void trace_session_release(TraceSession *session);
/* The weak handle: {Name, Number}. */
Term trace_session_weak(Area *area, const TraceSession *session);
/* Out of the list, under the lock. */
void trace_session_unlink(const TraceSession *session);

#endif

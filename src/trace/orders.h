/*
 * What a session asks of all processes, or of all ports: the orders that those which exist take up when they next run,
 * and what new ones begin with.
 *
 * Both are in one block that never changes. Whoever changes them, under trace_sessions_lock, puts another block in its
 * place with one store (release); the one before is freed after thread progress, and its counts of tracers go with it.
 * So a reader takes no lock: it loads the word once (acquire) and uses what it found, tracers too, until its next
 * quiescent point. It calls tracers meanwhile, which take as long as they like; a thread that runs a process past its
 * slice (base/long_work.h) passes no quiescent point before it is done.
 *
 * An order is stored before the_trace_epoch counts up to its number (process/trace_point.h): who has seen that number
 * finds the order, or a newer one that says the same or more of its flags.
 */
#ifndef VIV_TRACE_ORDERS_H
#define VIV_TRACE_ORDERS_H

#include "base/thread_progress.h"
#include "process/tracer.h"

typedef enum { TRACED_PROCESSES, TRACED_PORTS, TRACED_KINDS } TracedKind;

/* Its tracer is the holder's. */
typedef struct {
    bool on;
    bool replaces; /* another tracer, even one that lives: what an action of a match specification says counts */
    bool hands_on; /* who has no flag afterwards keeps the tracer all the same */
    uint32_t flags;
    Tracer tracer; /* to clear flags it may be TRACER_UNNAMED: whoever traces */
} TraceOrder;

typedef struct {
    uint64_t epoch;
    TraceOrder order;
} LoggedOrder;

typedef struct {
    ProgressNode progress;
    uint32_t fresh_flags; /* of new processes */
    Tracer fresh_tracer;  /* TRACER_NOBODY when there are no flags */
    size_t count, many; /* when there are so many, it is time to look which are void: trace/settle.h */
    LoggedOrder log[]; /* the oldest first */
} TraceOrders;

#define ORDERS_BETWEEN 64 /* two such looks */

/* NULL: it asks nothing. */
typedef _Atomic(TraceOrders *) TraceOrdersWord;

/* By a thread that may look at shared structures. */
static inline const TraceOrders *orders_now(const TraceOrdersWord *word) {
    assume(thread_progress_may_read());
    return atomic_load_explicit(word, memory_order_acquire);
}
/* Is there one that is newer than the epoch? */
static inline bool orders_have_newer(const TraceOrders *o, uint64_t epoch) {
    return o != NULL && o->count > 0 && o->log[o->count - 1].epoch > epoch;
}
static inline bool orders_are_many(const TraceOrders *o) { return o != NULL && o->count >= o->many; }
/* What new processes get. 0: nothing. */
static inline uint32_t orders_fresh_flags(const TraceOrders *o) { return o != NULL ? o->fresh_flags : 0; }

/* By the holder of trace_sessions_lock, on a thread that may look at shared structures. */
void orders_add(TraceOrdersWord *word, const TraceOrder *order, uint64_t epoch);
void orders_set_fresh(TraceOrdersWord *word, uint32_t flags, Tracer tracer);
void orders_clear(TraceOrdersWord *word);
/* Those up to the epoch are void: every process has taken them up. */
void orders_forget(TraceOrdersWord *word, uint64_t epoch);

#endif

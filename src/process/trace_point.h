/*
 * Trace points: where something happens to a process that somebody may want to hear of.
 *
 * `p->trace_flags` holds the flags of all that trace p together; it is 0 when nobody does, and then a trace point costs
 * one test. What trace/ does with an event is behind the table `trace_points`, which it fills once at start
 * (docs/HOOKS.md). Both `trace_flags` and `trace` belong to the process's own thread, like the rest of it. To set the
 * flags of one process is a signal to it. To set those of all is one store: `the_trace_epoch` counts such changes, and
 * a process that has not seen the newest (`p->trace_epoch`) takes up what it missed before it handles a signal and
 * before it runs. So what anybody does to it after the change was made happens under the new flags.
 *
 * Source of the events: erlang(3) trace/3.
 */
#ifndef VIV_PROCESS_TRACE_POINT_H
#define VIV_PROCESS_TRACE_POINT_H

#include "process/process.h"
#include "process/trace_frame.h"

/* process_info(_, trace) shows the bits as they stand, so they are the stock runtime's. */
enum {
    TRACE_TIMESTAMP = 1u << 0,
    TRACE_STRICT_MONOTONIC_TIMESTAMP = 1u << 1,
    TRACE_MONOTONIC_TIMESTAMP = 1u << 2,
    TRACE_SEND = 1u << 4,
    TRACE_RECEIVE = 1u << 5,
    TRACE_SET_ON_SPAWN = 1u << 6,
    TRACE_SET_ON_FIRST_SPAWN = 1u << 7,
    TRACE_SET_ON_LINK = 1u << 8,
    TRACE_SET_ON_FIRST_LINK = 1u << 9,
    TRACE_CALL = 1u << 10,
    TRACE_PROCS = 1u << 11,
    TRACE_RUNNING = 1u << 13,
    TRACE_GARBAGE_COLLECTION = 1u << 14,
    TRACE_ARITY = 1u << 15,
    TRACE_RETURN_TO = 1u << 16,
    TRACE_SILENT = 1u << 17,
    TRACE_RUNNING_PORTS = 1u << 20,
    TRACE_RUNNING_PROCS = 1u << 21,
    TRACE_PORTS = 1u << 22,
    TRACE_SCHEDULER_ID = 1u << 23,
    TRACE_EXITING = 1u << 24,
    TRACE_SCHEDULING = TRACE_RUNNING | TRACE_RUNNING_PROCS,
    TRACE_OF_BOTH = TRACE_PROCS | TRACE_PORTS, /* what a process tells under the one, a port tells under the other */
};

/* What happened, and with what. A term that is missing is NON_VALUE. */
typedef enum {
    EVENT_SEND,             /* message, destination as the sender named it */
    EVENT_SEND_TO_NOBODY,   /* message, pid */
    EVENT_RECEIVE,          /* message, its sender as Message.from */
    EVENT_SPAWN,            /* child, {M, F, Args} */
    EVENT_SPAWNED,          /* parent, {M, F, Args} */
    EVENT_EXIT,             /* reason */
    EVENT_LINK,             /* pid; comes before the link signal is sent */
    EVENT_UNLINK,
    EVENT_GETTING_LINKED,
    EVENT_GETTING_UNLINKED,
    EVENT_REGISTER,         /* name */
    EVENT_UNREGISTER,
    EVENT_IN,               /* runs (trace_scheduled) */
    EVENT_IN_FOR_TASKS,     /* does what others have asked of it, and may not run: told to nobody (trace_scheduled) */
    EVENT_OUT,
    EVENT_OUT_FOR_PORT,     /* runs a port for a moment, */
    EVENT_IN_FROM_PORT,     /* and goes on itself */
    EVENT_RUNS_NO_MORE,     /* its code has ended: told to nobody, but its calls are over */
    EVENT_IN_EXITING,
    EVENT_OUT_EXITING,
    EVENT_OUT_EXITED,
    EVENT_MINOR_START,      /* words: those that are needed, at an end those that have become free */
    EVENT_MINOR_END,
    EVENT_MAJOR_START,
    EVENT_MAJOR_END,
    EVENT_MAX_HEAP_SIZE,    /* a collection has met the limit; NIL */
    EVENT_PORT_OPEN,        /* its owner, and its name as an atom */
    EVENT_PORT_CLOSED,      /* reason */
    EVENT_PORT_LINKED,      /* pid, by the port itself */
    EVENT_PORT_IN,          /* does what it was asked, an atom, or 0: what its descriptors and timers want */
    EVENT_PORT_OUT,         /* the same; not of one that this has closed */
    EVENT_COUNT
} TraceEvent;

struct GenericBp;

/* All are called on p's own thread with no lock held; they may build in p's area and send, and must not collect. */
typedef struct {
    void (*event)(Process *p, TraceEvent event, Term a, Term b);
    void (*catch_up)(Process *p);
    /* Nobody can see the child yet. Called when the parent is traced, or new processes are. */
    void (*spawned)(Process *parent, Process *child, bool linked);
    /* p, some of whose flags are for whom it links to, links to another process, which has not been told yet. */
    void (*linked)(Process *p, Term pid);
    void (*release)(Process *p);
    /* A message was received whose token is a small: trace/dropped.h. By any thread. */
    void (*taken)(Term token);
    /* A collection has changed the words that p has built by so many. Called when p->trace is not NULL. */
    void (*collected)(Process *p, int64_t words);
    /*
     * A call met a breakpoint; x holds its arguments. It adds the frames that are to be pushed: each makes the engine
     * call `returned` when the function returns, with the value and the code address where the process goes on (NULL:
     * nowhere), or `raised` when an exception passes it, or a signal ends p. When one that passed frames is caught,
     * `caught` is told which part of the stack goes, [from, to), and the address of the handler. `call` gives false
     * when it has built nothing and added no frames.
     */
    bool (*call)(Process *p, const Term *x, const struct GenericBp *bp, TraceFrames *frames);
    void (*returned)(Process *p, const TraceFrame *frame, Term value, const Word *to);
    void (*raised)(Process *p, const TraceFrame *frame, Term class, Term value);
    void (*caught)(Process *p, const Term *from, const Term *to, const Word *at);
} TracePoints;
extern TracePoints trace_points;
/* An exception, or the end of p by a signal (class `exit`), passes the part of its stack from `from` to `to`: all
 * frames there are told, the innermost first. Many of them are long work. True: there were some. */
bool trace_frames_raised(Process *p, const Term *from, const Term *to, Term class, Term value);
extern _Atomic uint64_t the_trace_epoch;
extern _Atomic size_t trace_fresh_sessions; /* sessions that want something of new processes; written by trace/ */
extern _Atomic bool trace_is_in_use; /* somebody has traced something since the start: never cleared */

/* By its own thread. */
static inline uint64_t trace_epoch_seen(const Process *p) {
    return atomic_load_explicit(&p->trace_epoch, memory_order_relaxed);
}

static inline void trace_event(Process *p, uint32_t flags, TraceEvent event, Term a, Term b) {
    if (unlikely(p->trace_flags & flags))
        trace_points.event(p, event, a, b);
}
/* It is scheduled: EVENT_IN or EVENT_IN_FOR_TASKS. Settings that lead to nobody go then, those of a sensitive one, too:
 * its flags are none. */
static inline void trace_scheduled(Process *p, TraceEvent event) {
    if (unlikely(p->trace != NULL))
        trace_points.event(p, event, NON_VALUE, NON_VALUE);
}
/* An event that another process causes, in a built-in function: it happens to `pid` when that handles the signal, which
 * a port that rests does before this returns. `a` is immediate. */
void trace_event_elsewhere(Term pid, uint32_t flags, TraceEvent event, Term a);
/* What the child inherits is from before the orders that its parent has not seen; so it takes them up as the parent
 * does. */
static inline void trace_spawned(Process *parent, Process *child, bool linked) {
    uint64_t seen = parent != NULL ? trace_epoch_seen(parent) : atomic_load(&the_trace_epoch);
    atomic_store_explicit(&child->trace_epoch, seen, memory_order_relaxed);
    if (unlikely(atomic_load_explicit(&trace_fresh_sessions, memory_order_relaxed) != 0 ||
                 (parent != NULL && parent->trace != NULL)))
        trace_points.spawned(parent, child, linked);
}
static inline bool trace_is_behind(const Process *p) {
    return trace_epoch_seen(p) != atomic_load_explicit(&the_trace_epoch, memory_order_relaxed);
}
static inline void trace_catch_up(Process *p) {
    if (unlikely(trace_is_behind(p)))
        trace_points.catch_up(p);
}

#endif

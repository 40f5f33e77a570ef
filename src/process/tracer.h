/*
 * Tracers: who hears of events. What settings hold of one is a Tracer:
 *   - a local pid: trace messages are sent to it; or a local port: it is commanded to take them, in the external
 *     format;
 *   - {Module, State}: native functions of the module are called, on the traced process's own thread, in the middle of
 *     what it does (below);
 *   - NIL: nobody; NON_VALUE: none was named (in orders that clear flags).
 * `term` is that pid or tuple as programs see it. A tuple lies, with a copy of the state, in a block that is counted:
 * whoever stores a Tracer in settings holds a count (tracer_keep, tracer_drop; nothing is counted for pids). A block is
 * freed after thread progress, so that whoever may look at shared structures can use a tracer that it found there
 * without a count, until its next quiescent point. Frames on stacks hold no Tracer but a term of the process's heap
 * that looks the same; tracer_ask and tracer_tell take either.
 *
 * The functions are those of the behaviour erl_tracer: Module:enabled(Tag, State, Tracee), which says trace, discard or
 * remove, and Module:trace(Tag, State, Tracee, Term, Options); for each topic the module may have functions of its own,
 * such as enabled_call/3. Only native functions count. They are looked up once for each loaded instance of the module
 * and found through the module's current one: when the module is replaced, its new code is called from then on.
 * A call costs an environment on the C stack and the indirect call. The functions may use the native interface, with an
 * environment of kind NIF_ENV_TRACER; what they build is gone when they return.
 *
 * Threads: ask and tell run on any thread that owns the tracee (or, for trace_status, that asks about it), no lock
 * held; dirty threads are made online for the call. Nothing here collects.
 * Source: erl_tracer(3); answers of OTP 25.
 */
#ifndef VIV_PROCESS_TRACER_H
#define VIV_PROCESS_TRACER_H

#include "term/area.h"

struct Process;

typedef struct {
    Term term;
} Tracer;
#define TRACER_NOBODY ((Tracer){NIL})
#define TRACER_UNNAMED ((Tracer){NON_VALUE})

static inline bool is_tracer_module(Term tracer) { return is_value(tracer) && is_pointer(tracer); }
static inline bool tracer_is_named(Tracer t) { return is_value(t.term); }

/* With one count for the caller. The state is copied. */
Tracer tracer_of_module(Term module, Term state);
/* Of one that somebody still counts: what has lost its last count is on its way, though it may be used. */
Tracer tracer_keep(Tracer t);
void tracer_drop(Tracer t);
/* As a term that lives on: copied into the area when it is more than a word. */
Term tracer_term(Tracer t, Area *area);
/* Is it the same pid, or the same module with an equal state? */
bool tracer_is_same(Tracer a, Tracer b);

/* What a program names as its tracer: `words` are what stands behind the name of the option, {tracer, Pid} or
 * {tracer, Module, State}. False: it is no tracer, or a module that is not there. With one count for the caller. */
bool tracer_read(const Term *words, size_t count, Tracer *tracer);
/* The same of a whole option, {Tag, Pid} or {Tag, Module, State}: what it names takes the place of *tracer, with its
 * count. False: it is something else, and *tracer stays. */
bool tracer_read_option(Term option, Term tag, Tracer *tracer);

/* The groups of events for which a module may have functions of its own. */
typedef enum {
    TOPIC_ANY, /* trace_status, seq_trace: enabled/3 and trace/5 themselves */
    TOPIC_CALL,
    TOPIC_GARBAGE_COLLECTION,
    TOPIC_PORTS,
    TOPIC_PROCS,
    TOPIC_RECEIVE,
    TOPIC_RUNNING_PORTS,
    TOPIC_RUNNING_PROCS,
    TOPIC_SEND,
    TOPIC_COUNT
} TracerTopic;

/* TRACER_REMOVE: the settings that lead to the tracer are to go. Also when the answer is none of the three, the module
 * is not loaded, or has no native functions. */
typedef enum { TRACER_TRACE, TRACER_DISCARD, TRACER_REMOVE } TracerAnswer;
/* Is the event to be told? `tracer` is a module's; `tracee` a pid, or what stands in its place. */
TracerAnswer tracer_ask(Term tracer, TracerTopic topic, Term tag, Term tracee);

typedef struct {
    Term tag, tracee, term;
    Term extra, result; /* NON_VALUE, or what goes into the options as `extra`, `match_spec_result` */
    Term timestamp;     /* NON_VALUE, or the kind of time stamp that is wanted, an atom */
    Term scheduler;     /* NON_VALUE, or the scheduler's number */
    struct Process *self; /* what enif_self answers; NULL: nothing */
} TracerEvent;
void tracer_tell(Term tracer, TracerTopic topic, const TracerEvent *event);

/* The module viv_tracer has no native functions: its states are handles of tracers in Erlang (trace/erlang_tracer.h),
 * which fills this at the start. As the functions that they stand for are called: by any thread, online. `ask` gives
 * what enabled/3 does. */
typedef struct {
    bool (*is_there)(Term handle);
    Term (*ask)(Term handle, TracerTopic topic, Term tag, Term tracee);
    void (*tell)(Term handle, TracerTopic topic, const TracerEvent *event);
} ErlangTracers;
extern ErlangTracers erlang_tracers;

/* A port's driver gets the message in the external format. False: there is no such port. */
bool tracer_command_port(Term from, Term port, Term message);
/* A process or a port, to which messages are sent. */
static inline bool is_tracer_place(Term tracer) { return is_local_pid(tracer) || is_local_port(tracer); }
/* Is there still somebody: a pid that lives, a port that is there, or a module that does not say `remove` when asked
 * for trace_status? */
bool tracer_is_alive(Term tracer, Term tracee);

#endif

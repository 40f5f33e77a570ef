/*
 * Signals: all that one process does to another. Here is how they are sent; process/signal_handle.h tells how they are
 * handled.
 *
 * A signal is pushed onto the receiver's `signals_in` by one compare and swap; no lock. Only the owner takes them off,
 * all at once, and handles them in the order in which they were pushed; so signals from one sender arrive in order.
 * Whoever pushes onto an empty list wakes the receiver. When a process ends, the list is closed: a later push is
 * refused and the caller answers for the missing process (noproc).
 *
 * Signals of tracing (SIGNAL_TRACE) stand apart: what somebody else does to a process's trace flags, or its name, takes
 * effect or is told before what has come and was not looked at, as if he did it on the spot. Among themselves they keep
 * their order.
 *
 * Source of the kinds: Erlang reference manual, "Processes", "Signals".
 */
#ifndef VIV_PROCESS_SIGNAL_H
#define VIV_PROCESS_SIGNAL_H

#include "term/term.h"

struct Process;

typedef enum {
    SIGNAL_MESSAGE,       /* Message */
    SIGNAL_ALIAS_MESSAGE, /* Message: dropped unless the alias `key` is active */
    SIGNAL_PRIORITY_MESSAGE, /* the same; a priority message if the alias takes such (process/receive_marker.h) */
    SIGNAL_EXIT,          /* Message: {'EXIT', From, Reason} by exit/2 */
    SIGNAL_ALIAS_EXIT,    /* the same to an alias, `key`: dropped unless it is active */
    SIGNAL_PRIORITY_EXIT, /* the same; a priority message if the alias takes such, and exits are trapped */
    SIGNAL_EXIT_LINKED,   /* {'EXIT', From, Reason} from a linked process */
    SIGNAL_DOWN,          /* Message: {'DOWN', Ref, Type, Object, Info}, `key` is the monitor */
    SIGNAL_LINK,          /* LinkSignal */
    SIGNAL_UNLINK,
    SIGNAL_UNLINK_ACK,
    SIGNAL_MONITOR,   /* MonitorSignal */
    SIGNAL_DEMONITOR, /* MonitorSignal */
    SIGNAL_CALL,      /* CallSignal */
    SIGNAL_TRACE,     /* CallSignal; it overtakes all other kinds that have come and were not handled yet */
} SignalKind;

typedef struct Signal {
    struct Signal *next;
    uint32_t kind;
    uint32_t detail;
} Signal;

/* `detail` of a call for which one that is suspended does not look at the messages before it (signal_handle.c): what is
 * no signal on the stock runtime. */
#define CALL_LEAVES_MESSAGES 1

/* Runs `handle` in the receiver, who may be exiting (process_is_exiting): it does what it came for, or says that there
 * is no such process any more. `handle` owns the signal. */
typedef struct CallSignal {
    Signal signal;
    void (*handle)(struct Process *receiver, struct CallSignal *call);
} CallSignal;

/* False: the process has ended, and the signal is still the caller's. */
must_check bool signal_push(struct Process *to, Signal *signal);
/* The same from one who goes on and needs no answer, as run_queue_add_beside has it. */
must_check bool signal_push_beside(struct Process *to, Signal *signal);
/* As signal_push, and somebody of that Priority waits for what it brings about: `to` is raised to it until it has
 * handled the signal. */
must_check bool signal_push_asking(struct Process *to, Signal *signal, unsigned priority);
/* By pid or port, for p, which waits. */
must_check bool signal_ask(const struct Process *p, Term pid, Signal *signal);
/* By pid or port. False: there is no such actor; the signal is still the caller's. To a port no message is sent. */
must_check bool signal_send(Term pid, Signal *signal);
/* The same from one who goes on and needs no answer, as run_queue_add_beside has it. */
must_check bool signal_send_beside(Term pid, Signal *signal);
/* The same by p, a process in a built-in function: a port that rests handles it before this returns, run by the caller,
 * as on the stock runtime. May build in p's area for who traces it. NULL: nobody's slice is used for that. */
must_check bool signal_tell(struct Process *p, Term pid, Signal *signal);
static inline Signal *signal_init(Signal *s, SignalKind kind) {
    s->kind = kind;
    s->detail = 0;
    return s;
}

/* What the list of one that has ended holds. */
#define SIGNALS_CLOSED ((Signal *)8)

#endif

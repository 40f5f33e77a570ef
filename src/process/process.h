/*
 * The process: what runs, waits, holds a heap and is named by a pid.
 *
 * Everything above `state` belongs to the thread that currently runs the process (it is the only reader and writer;
 * ownership passes with the RUNNING bit of `state`). All that another process does is a signal put into `signals_in`
 * (process/signal.h); nobody locks a process from outside. `state` is the one atomic word that others may test and set:
 *
 *   - whoever sets QUEUED (by compare and swap, seeing neither QUEUED nor RUNNING) puts the process into a run queue;
 *   - whoever takes it from there sets RUNNING, clears QUEUED and owns the process until it clears RUNNING;
 *   - a process that has nothing to do leaves with neither of them set, and then looks at `signals_in` once more; who
 *     pushes a signal looks at `state` after it. So one of the two sees the other (all these are sequentially
 *     consistent: that load and the compare and swap before it, on either side). test/model/m_signals.c tries all
 *     executions.
 *
 * A process with none of RUNNING, QUEUED and the DIRTY bits *rests*. Another who wants to know something of it may own
 * it for a moment, by setting RUNNING himself: process/rest.h.
 *
 * A process in the hands of the dirty threads has one of the DIRTY bits and not RUNNING. It may stand in a run queue
 * meanwhile, so that its signals are handled: process/dirty_gate.h.
 *
 * The memory of a process is freed through thread progress, so a pointer found in the process table stays good until
 * the finder's next quiescent point.
 */
#ifndef VIV_PROCESS_PROCESS_H
#define VIV_PROCESS_PROCESS_H

#include <stdatomic.h>

#include "base/thread_progress.h"
#include "heap/heap.h"
#include "process/fail.h"
#include "process/key_table.h"
#include "process/standing.h"
#include "sys/thread.h"

struct Export;
struct Message;
struct Signal;
struct Dictionary;
struct Timer;
struct Markers;
struct Request;
struct Suspending;
struct SavedCalls;
struct NodeMonitors;
struct SystemTask;
struct NativeFrame;
struct CallSignal;

#define REDUCTIONS_PER_SLICE 4000
#define INLINE_SAVED_REGISTERS 6

/* Bits of `state`. */
enum {
    STATE_RUNNING = 1u << 0,       /* a scheduler runs it */
    STATE_QUEUED = 1u << 1,        /* it stands in a run queue */
    STATE_ACTIVE = 1u << 2,        /* it has something to do: not waiting */
    STATE_SUSPENDS = 1u << 3,      /* it is to be suspended, when it works for no module: process/suspend.h */
    STATE_SUSPENDED = 1u << 4,     /* set and cleared by the process itself when it handles the signal */
    STATE_EXITING = 1u << 5,       /* exit_reason is set; runs no Erlang code any more */
    STATE_FREE = 1u << 6,          /* has left the process table */
    STATE_DIRTY_CPU = 1u << 7,     /* it is to go to a dirty CPU thread; without RUNNING: it is in their hands */
    STATE_DIRTY_IO = 1u << 8,
    STATE_DIRTY = STATE_DIRTY_CPU | STATE_DIRTY_IO,
    STATE_TASKS = 1u << 9,         /* asked to do something to itself at its next slice: system_tasks */
    STATE_LENDS_NAME = 1u << 10,   /* its children may take its name over: process/registry.h */
    STATE_LEFT = 1u << 11,         /* another has ended for it, a dirty thread has it still: process/dirty_end.h */
    STATE_PRIORITY_SHIFT = 12,     /* two bits: max 0, high 1, normal 2, low 3 */
    STATE_PRIORITY_MASK = 3u << 12,
    STATE_RAISED_SHIFT = 14,       /* two bits: 3 less the priority of who has asked something of it, or 0 */
    STATE_RAISED_MASK = 3u << 14,
    STATE_LENT_SHIFT = 16,         /* the same of who waits for a permission that it has: process/permission.h */
    STATE_LENT_MASK = 3u << 16,
    STATE_HAS_BOUND = 1u << 18, /* it rests, and another bound than BIRTH_NEVER may stand beside its slot: rest.h */
    STATE_ENDS_LATER = 1u << 21, /* it ends, and waits for something meanwhile: process_end_later */
    STATE_LET_GO = 1u << 20, /* it ends, and what it still tells holds no literals: process/exit.c */
    STATE_SENSITIVE = 1u << 19, /* process_flag(sensitive): the process sets and clears it */
};

#define HEAP_FIRST_WORDS 90 /* the block that a process begins with, below its min_words: most processes only wait */

/* Bits of `flags`: only the process itself touches them. */
enum {
    FLAG_TRAP_EXIT = 1u << 0,
    FLAG_SAVE_CALLS = 1u << 1,
    FLAG_CALLS_AGAIN = 1u << 2, /* the instruction there was entered, and told: a BIF waited, or the slice ended */
    FLAG_ASYNC_DIST = 1u << 3,
    FLAG_OFF_HEAP_MESSAGES = 1u << 4,
    FLAG_HIBERNATED = 1u << 5,
    FLAG_TIMED_OUT = 1u << 6,
    FLAG_WAITS_FOREVER = 1u << 15, /* its receive has no end: what said so was in a register, and is not asked again */
    FLAG_LONG_QUEUE = 1u << 8, /* it has long_queues */
    FLAG_ETS_SUPER_USER = 1u << 9, /* may read and write protected and private tables */
    FLAG_COMPUTES = 1u << 11, /* its last slice ended for want of reductions */
    FLAG_COMPUTES_ON = 1u << 16, /* and the one before it */
    FLAG_HOLDS_LITERALS = 1u << 7, /* areas were kept for its dirty call: replace/literal_release.h */
    FLAG_PUTS_OFF_COLLECTIONS = 1u << 12, /* those that others ask for: process/system_task.h */
    FLAG_COLLECTS = 1u << 13, /* its heap is being collected */
    FLAG_WATCHED_FIRST = 1u << 14, /* it has a watcher that is told before all others: process/monitor.h */
    FLAG_DIRTY_CALL = 1u << 10, /* stands at a function that is to be called on a dirty thread, and was entered */
};

typedef struct Process {
    Heap heap; /* must be first: &p->heap.area is where BIFs build */

    /* Where to go on. Meaningful while no thread runs it. */
    const Word *ip;
    /* Code of a module that a BIF is busy with: it stays as if p ran it. Or NULL: the BIF is through with it. The
     * thread that runs p writes it; whoever asks what a dirty call runs reads it meanwhile (replace/code_check.h). */
    _Atomic(const Word *) works_for;
    int64_t reductions; /* left in this slice; the engine keeps them in a register and stores them before C calls */
    uint32_t arity; /* live x registers in saved[] */
    uint32_t saved_capacity;
    Term *saved; /* x registers: saved_inline or an allocated block */
    Term saved_inline[INLINE_SAVED_REGISTERS];

    Fail fail; /* why the last failing call failed, or where it traps (process/fail.h) */
    double *float_registers; /* the running scheduler's */
    uint32_t catches; /* catch and try tags on the stack */
    uint32_t flags;
    uint64_t reductions_done; /* in earlier slices */

    Term pid;
    bool is_system; /* the runtime ends with it; never changes: anybody may read it */
    Term parent; /* NON_VALUE, or a pid, maybe of another node: a root */
    Term group_leader; /* immediate or in the heap: a root */
    Term error_handler; /* atom */
    Term seq_trace_token; /* NIL when none: a root; process/seq_trace.h */
    uint64_t seq_clock, seq_last, seq_epoch;
    Term initial_module, initial_function;
    uint32_t initial_arity;
    const struct ActorBody *body; /* NULL: it runs Erlang code; process/actor.h */
    const struct Export *current_bif; /* the BIF that runs or failed: for process_info and stack traces */

    struct Dictionary *dictionary;
    KeyTable links; /* struct Link by pid (process/link.h) */
    KeyTable monitors; /* struct Monitor by reference: those it made, and its aliases (process/monitor.h) */
    KeyTable watchers; /* struct Watcher by reference: the monitors on this process */
    struct Suspensions *suspensions; /* whom it suspends, and who suspends it; NULL: nobody (process/suspend.h) */
    uint64_t born; /* process/census.h; never changes: anybody may read it */
    uint32_t bound_queue; /* index of the run queue that it is bound to, plus one, or 0: it writes it itself */

    /* Messages that have been fetched from signals_in, oldest first; `save` is the receive's position
     * (process/receive.h). Those in the heap are roots, and in a list of their own (process/message.h). `matched`: the
     * last that a receive looked at where it lies, off the heap; it need not be there any more. */
    struct Message *messages, **messages_last, **save, *first_in_heap, *matched;
    const Word *receive_loop; /* where a receive that passed over a message begins: a guess (emu/receive.tab) */
    struct Message **untold; /* the first that came while it was suspended, and was not told; NULL: all were */
    struct Markers *markers;
    uint64_t message_count, messages_in_heap;
    size_t message_words; /* of those in the queue that lie outside of the heap: process/message.h */
    struct Timer *receive_timer;
    struct Request *request; /* what a BIF that waits (FAIL_WAIT) waits for (process/request.h) */

    Term exit_reason; /* while exiting: in the heap or a fragment of it; a root */
    Term exit_class; /* am_error, am_throw or am_exit: how its code ended; errors and throws are reported */
    struct ExitState *exit_state; /* process/exit.c: how far it got */
    struct SystemTask *system_tasks; /* process/system_task.h: the first of the first line */
    struct NativeFrame *native_frame; /* process/native_frame.h; NULL until a native call first goes on later */

    uint32_t trace_flags; /* process/trace_point.h: 0 when nothing is traced */
    uint32_t profiled; /* the serial of the system_profile that it was told to as active; 0: none */
    struct ProcessTrace *trace; /* the sessions' settings (trace/session.h) */
    /* The newest change of everybody's flags that it has taken up. Its thread writes it, others may look. */
    _Atomic uint64_t trace_epoch;
    uint64_t start_time_native;
    uint64_t unique; /* no other process has it, nor had; never changes: anybody may read it */
    struct SavedCalls *saved_calls; /* process/saved_calls.h; NULL: saves none */
    const struct Export *entered; /* the export through which emu_yield_export was reached, or of enter_export */
    struct LongQueue *long_queues; /* who was told that its queue is long (process/system_monitor.h) */
    struct NodeMonitors *node_monitors; /* process/node_monitors.h; NULL: never had any */
    struct Table *tables; /* that it owns: under the lock of ets/tables.h */
    struct Fixation *fixations; /* of tables, by it: its own (ets/tables.h) */
    QueuePlace run_place; /* in a run queue: under its lock */
    QueuePlace dirty_place; /* in a dirty queue: the same */
    bool dirty_returns; /* the same: in which line of that it stands, or will */
    struct Signal *signals_begun; /* oldest first: what a handler has not come to (dirty_gate.h), or its end */
    ProgressNode progress; /* the way out */

    /* Shared from here on. */
    _Atomic uint32_t state;
    _Atomic uint32_t home_queue; /* index of the run queue it ran on last; a hint */
    _Atomic uint32_t dirty_gate; /* process/dirty_gate.h */
    SysEvent dirty_gate_event; /* the same: its owner sleeps on it */
    _Atomic uint64_t timer_wheels; /* process/timer.c: where timers for it were set, by index modulo 64 */
    _Atomic(struct Signal *) signals_in; /* newest first, pushed by anyone, taken whole by the owner; closed at last */
    _Atomic bool is_handling_signals; /* written by the owner: it has taken some, and not handled them all */
    _Atomic Term registered_name; /* where to look for its name: process/registry.h */
} Process;

static inline Area *process_area(Process *p) { return &p->heap.area; }
/* Who builds so many words at once ought to ask for room first (bif_with_room): they do not fit, and are many. */
#define ROOM_WORDS_LEAST 64
static inline bool process_lacks_room(const Process *p, size_t words) {
    const Heap *h = &p->heap;
    return unlikely(words + STACK_RESERVE > (size_t)(h->area.limit - h->area.top)) && words >= ROOM_WORDS_LEAST &&
           h->start != NULL;
}

static inline bool process_is_exiting(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_EXITING) != 0;
}
/* By the owner, as is the next. */
static inline bool process_is_suspended(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_SUSPENDED) != 0;
}
/* Has a signal said that its code is not to go on? */
static inline bool process_must_stop(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & (STATE_EXITING | STATE_SUSPENDED)) != 0;
}
/* Do the dirty threads have it? Any thread, as of now; by who has taken it from a run queue: until the owner gives it
 * back. */
static inline bool process_is_in_dirty_hands(const Process *p) {
    uint32_t state = atomic_load(&p->state);
    return (state & STATE_DIRTY) != 0 && (state & STATE_RUNNING) == 0;
}
/* Is there nothing in its list, nothing taken and not handled? What was pushed before has been handled then, and what
 * that did is seen: the list was emptied by an exchange after the last push, and the mark was set before it. Any
 * thread that may look pids up. */
static inline bool process_has_handled_signals(const Process *p) {
    return atomic_load_explicit(&p->signals_in, memory_order_acquire) == NULL &&
           !atomic_load_explicit(&p->is_handling_signals, memory_order_acquire);
}
/* Has it ended, or ends and refers to nothing any more, its stack least of all? */
static inline bool process_has_let_go(const Process *p) {
    return (atomic_load(&p->state) & (STATE_LET_GO | STATE_FREE)) != 0;
}
static inline bool process_is_sensitive(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_SENSITIVE) != 0;
}
static inline Priority process_priority(const Process *p) {
    return (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_PRIORITY_MASK) >> STATE_PRIORITY_SHIFT;
}
/* By the owner. */
void process_set_priority(Process *p, Priority priority);
/* The most urgent of its own and that which others lend it. */
static inline Priority process_lent_priority(const Process *p) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    uint32_t own = (state & STATE_PRIORITY_MASK) >> STATE_PRIORITY_SHIFT;
    uint32_t lent = PRIORITY_LOW - ((state & STATE_LENT_MASK) >> STATE_LENT_SHIFT);
    return (Priority)(own < lent ? own : lent);
}
/* That at which it is queued to run: the most urgent of these and of those who ask it (process/run_queue.h). */
static inline Priority process_run_priority(const Process *p) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    if (likely((state & (STATE_RAISED_MASK | STATE_LENT_MASK)) == 0))
        return (Priority)((state & STATE_PRIORITY_MASK) >> STATE_PRIORITY_SHIFT);
    Priority lent = process_lent_priority(p);
    uint32_t raised = PRIORITY_LOW - ((state & STATE_RAISED_MASK) >> STATE_RAISED_SHIFT);
    return raised < lent ? (Priority)raised : lent;
}

/* Looks a local pid up (process/process_table.c); NULL when there is no such process (or it has left the table). Good
 * until the caller's next quiescent point. Any thread that is managed or inside thread_progress_enter/leave. */
Process *process_find(Term pid);

/* By the owner: it is to exit with this reason (a term of its heap), unless it is exiting already. */
void process_set_exiting(Process *p, Term reason);

/* Collects p's heap so that `need` words are free; x[0..live) are roots beside all that the process itself holds.
 * Only by the thread that runs p. False: the process exceeded max_heap_size and must exit (fail is set). */
bool process_collect(Process *p, size_t need, Term *x, unsigned live);
bool process_collect_kind(Process *p, size_t need, Term *x, unsigned live, CollectKind kind);
/* The same while nobody runs p's code: the saved registers are the live ones. */
bool process_collect_saved(Process *p, CollectKind kind);
/* By so many milliseconds each collection is longer than it need be: for tests of who watches that. */
extern _Atomic uint32_t collect_slower_ms;
/* Hands the roots of such a collection, x[0..live) among them, to another who walks the heap and may change them. */
typedef void RootsWork(Heap *heap, Rootset *roots, void *data);
void process_with_roots(Process *p, Term *x, unsigned live, RootsWork *work, void *data);

/* Lowers p's reductions, as a BIF does that has worked long. */
static inline void process_bump(Process *p, int64_t reductions) { p->reductions -= reductions; }

/* Instruction addresses that the engine provides (emu/) and process/ only stores: set once at start. */
typedef struct {
    const Word *apply; /* x0 = module, x1 = function, x2 = argument list */
    const Word *exit_normal; /* the bottom of every stack: returning here ends the process with reason normal */
    const Word *enter_export; /* enters p->entered, wherever it leads then */
} ProcessEntries;
extern ProcessEntries process_entries;
/* Where a process that no thread runs goes on, as address of code: the function that it is about to enter, too. */
const Word *process_place(const Process *p);

#endif

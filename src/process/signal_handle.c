#include "process/signal_handle.h"

#include "base/long_work.h"
#include "process/actor.h"
#include "process/link.h"
#include "process/message.h"
#include "process/monitor.h"
#include "process/receive_marker.h"
#include "process/recorder.h"
#include "process/system_monitor.h"
#include "process/trace_point.h"
#include "term/atom.h"

/*
 * Each kind takes effect as a whole before the next signal is looked at, so what a sender did first is seen first.
 * When one of them ends the process, the others stay in signals_begun: they are refused, and so answered, when it has
 * given up its name and its tables (signal_close), as whoever is told that nobody is there may use those at once.
 */

/* Of long work, when a flood has come. */
#define UNITS_TO_TURN 5
#define UNITS_TO_HANDLE 30
#define UNITS_TO_TELL 100

static inline void become_active(Process *p) {
    if (!(atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_ACTIVE))
        atomic_fetch_or(&p->state, STATE_ACTIVE);
}

static noinline void tell_slow(Process *p, const Message *m) {
    if (recorder_chosen() & TRACE_RECEIVE)
        recorder_message(p, RECORD_RECEIVE, m->from, m->term);
    trace_event(p, TRACE_RECEIVE, EVENT_RECEIVE, m->term, m->from);
}

static inline void tell(Process *p, const Message *m) {
    if (unlikely((p->trace_flags | recorder_chosen()) & TRACE_RECEIVE))
        tell_slow(p, m);
}

/* On the stock runtime one that is suspended looks at messages when another kind of signal comes (but for those that
 * suspend it once more, or less; CALL_LEAVES_MESSAGES), or when it goes on: so they are told then, to who traces it
 * then. `untold` lies in the message before the first of them: it is NULL where messages are taken out. */
static void tell_untold(Process *p) {
    for (Message *m = *p->untold; m != NULL; m = (Message *)m->signal.next) {
        tell(p, m);
        long_work_count(UNITS_TO_TELL);
    }
    p->untold = NULL;
}

static inline void note_in_queue(Process *p, const Message *m) {
    p->message_count++;
    p->message_words += message_words(m);
    if (unlikely(system_monitor_is_set()))
        system_monitor_queue(p);
    become_active(p);
}

static inline void append(Process *p, Message *m) {
    m->signal.next = NULL;
    *p->messages_last = m;
    p->messages_last = (Message **)&m->signal.next;
    note_in_queue(p, m);
}

static inline void append_told(Process *p, Message *m) {
    tell(p, m);
    append(p, m);
}

static void put_told(Process *p, Message *m, bool is_priority) {
    if (likely(!is_priority)) {
        append_told(p, m);
        return;
    }
    tell(p, m);
    receive_put_priority(p, m);
    note_in_queue(p, m);
}

static inline void append_sent(Process *p, Message *m) {
    if (likely(!process_is_suspended(p)))
        tell(p, m);
    else if (p->untold == NULL)
        p->untold = p->messages_last;
    append(p, m);
}

void signal_append_own(Process *p, Message *m) { append_told(p, m); }

/* `kill` by exit/2 cannot be trapped and shows as `killed`; the signal of a link that holds no more is dropped,
 * whatever its reason; `normal` ends only who sends it to itself by exit/2. The reason becomes a root as it is adopted:
 * the process exits later, in its own slice. Source: erlang(3) exit/2; reference manual, "Error Handling". */
static void handle_exit(Process *p, Message *m, bool is_priority) {
    Term reason = tuple_elements(m->term)[2];
    if (m->signal.kind == SIGNAL_EXIT && reason == am_kill) {
        message_free(m);
        process_set_exiting(p, am_killed);
        return;
    }
    if (m->signal.kind == SIGNAL_EXIT_LINKED && !link_broken_by(p, m, &is_priority)) {
        message_free(m);
        return;
    }
    bool is_ignored = reason == am_normal && !(m->signal.kind == SIGNAL_EXIT && m->from == p->pid);
    if (m->signal.kind == SIGNAL_EXIT_LINKED && (is_ignored || (p->flags & FLAG_TRAP_EXIT)))
        trace_event(p, TRACE_PROCS, EVENT_GETTING_UNLINKED, m->from, NON_VALUE);
    if (p->flags & FLAG_TRAP_EXIT) {
        m->signal.kind = SIGNAL_MESSAGE;
        put_told(p, m, is_priority);
    } else if (is_ignored) {
        message_free(m);
    } else {
        heap_adopt_fragments(&p->heap, m->data);
        m->data = NULL;
        process_set_exiting(p, reason);
        message_free(m);
    }
}

static void handle_alias_message(Process *p, Message *m) {
    AliasState alias = alias_accept(p, m->key);
    if (alias == ALIAS_CLOSED)
        message_free(m);
    else
        put_told(p, m, alias == ALIAS_OPEN_TO_PRIORITY && m->signal.kind == SIGNAL_PRIORITY_MESSAGE);
}

/* An alias for one reply is none the less open for others. */
static void handle_alias_exit(Process *p, Message *m) {
    AliasState alias = alias_state(p, m->key);
    if (alias == ALIAS_CLOSED) {
        message_free(m);
        return;
    }
    bool is_priority = alias == ALIAS_OPEN_TO_PRIORITY && m->signal.kind == SIGNAL_PRIORITY_EXIT;
    m->signal.kind = SIGNAL_EXIT;
    handle_exit(p, m, is_priority);
}

static void handle_down(Process *p, Message *down) {
    bool is_priority;
    Message *m = monitor_down(p, down, &is_priority);
    if (m != NULL)
        put_told(p, m, is_priority);
}

static void call(Process *p, CallSignal *call) { call->handle(p, call); }

/* By one that has ended: as to a process that is no more. A call is made in any case: it sees that the
 * process exits, and says so. */
static void refuse(Process *p, Signal *s) {
    switch ((SignalKind)s->kind) {
    case SIGNAL_LINK:
    case SIGNAL_UNLINK:
    case SIGNAL_UNLINK_ACK: link_refuse(p, (LinkSignal *)s); break;
    case SIGNAL_MONITOR:
    case SIGNAL_DEMONITOR: monitor_refuse(p, (MonitorSignal *)s); break;
    case SIGNAL_CALL:
    case SIGNAL_TRACE: call(p, (CallSignal *)s); break;
    default:
        if (s->kind == SIGNAL_EXIT_LINKED)
            link_broken_by(p, (Message *)s, &(bool){false});
        signal_free(s);
    }
}

static void handle_other(Process *p, Signal *s) {
    switch ((SignalKind)s->kind) {
    case SIGNAL_MESSAGE:
    case SIGNAL_TRACE: break;
    case SIGNAL_ALIAS_MESSAGE:
    case SIGNAL_PRIORITY_MESSAGE: handle_alias_message(p, (Message *)s); break;
    case SIGNAL_ALIAS_EXIT:
    case SIGNAL_PRIORITY_EXIT: handle_alias_exit(p, (Message *)s); break;
    case SIGNAL_EXIT:
    case SIGNAL_EXIT_LINKED: handle_exit(p, (Message *)s, false); break;
    case SIGNAL_DOWN: handle_down(p, (Message *)s); break;
    case SIGNAL_LINK:
    case SIGNAL_UNLINK:
    case SIGNAL_UNLINK_ACK: link_handle(p, (LinkSignal *)s); break;
    case SIGNAL_MONITOR:
    case SIGNAL_DEMONITOR: monitor_handle(p, (MonitorSignal *)s); break;
    case SIGNAL_CALL: call(p, (CallSignal *)s);
    }
}

/* Some messages were not told. */
static noinline void handle_with_untold(Process *p, Signal *s) {
    if (s->kind != SIGNAL_CALL || s->detail != CALL_LEAVES_MESSAGES)
        tell_untold(p);
    handle_other(p, s);
    if (p->untold != NULL && !process_is_suspended(p))
        tell_untold(p);
}

static inline void handle(Process *p, Signal *s) {
    if (likely(s->kind == SIGNAL_MESSAGE))
        append_sent(p, (Message *)s);
    else if (s->kind == SIGNAL_TRACE)
        call(p, (CallSignal *)s);
    else if (unlikely(p->untold != NULL))
        handle_with_untold(p, s);
    else
        handle_other(p, s);
}

void signal_handle_now(Process *p, Signal *s) {
    if (unlikely(process_is_exiting(p)))
        refuse(p, s);
    else
        handle(p, s);
}

static Signal *reversed(Signal *s) {
    Signal *list = NULL;
    unsigned left = LONG_WORK_ROUND;
    while (s) {
        Signal *next = s->next;
        s->next = list;
        list = s;
        s = next;
        left = long_work_step(left, UNITS_TO_TURN);
    }
    long_work_rest(left, UNITS_TO_TURN);
    return list;
}

/* The newest came first: turned round, so that the oldest is handled first; but those of tracing come before all
 * others. */
static Signal *in_order(Signal *s) {
    Signal *list = NULL, *first = NULL, **behind_first = &first;
    unsigned left = LONG_WORK_ROUND;
    while (s) {
        Signal *next = s->next;
        if (unlikely(s->kind == SIGNAL_TRACE)) {
            if (first == NULL)
                behind_first = &s->next;
            s->next = first;
            first = s;
        } else {
            s->next = list;
            list = s;
        }
        s = next;
        left = long_work_step(left, UNITS_TO_TURN);
    }
    long_work_rest(left, UNITS_TO_TURN);
    *behind_first = list;
    return first;
}

#define SIGNALS_PER_REDUCTION 4

static inline void handle_each(Process *p, void each(Process *p, Signal *s)) {
    atomic_store_explicit(&p->is_handling_signals, true, memory_order_relaxed);
    Signal *s = in_order(atomic_exchange(&p->signals_in, NULL));
    trace_catch_up(p);
    int64_t count = 0;
    unsigned left = LONG_WORK_ROUND;
    while (s) {
        Signal *next = s->next;
        each(p, s);
        s = next;
        count++;
        left = long_work_step(left, UNITS_TO_HANDLE);
        if (unlikely(process_is_exiting(p))) {
            p->signals_begun = s;
            break;
        }
    }
    atomic_store_explicit(&p->is_handling_signals, false, memory_order_release);
    process_bump(p, count / SIGNALS_PER_REDUCTION);
}

static noinline void handle_all(Process *p) { handle_each(p, handle); }
static noinline void handle_all_by_body(Process *p) { handle_each(p, p->body->handle); }

static inline void handle_incoming(Process *p) {
    const Signal *head = atomic_load_explicit(&p->signals_in, memory_order_relaxed);
    if (head != NULL && head != SIGNALS_CLOSED && likely(!process_is_exiting(p)))
        (likely(p->body == NULL) ? handle_all : handle_all_by_body)(p);
}

void signal_handle(Process *p) { handle_incoming(p); }

bool signal_handle_midway(Process *p) {
    handle_incoming(p);
    if (unlikely(p->untold != NULL))
        tell_untold(p);
    if (likely(!process_is_exiting(p)))
        return true;
    fail_with(p, FAIL_EXITING);
    return false;
}

Term signal_midway_result(Process *p, Term result) {
    if (likely(!process_is_suspended(p)))
        return result;
    if (is_value(result))
        return bif_return_later(p, result);
    if (p->fail.reason == FAIL_TRAP)
        p->fail.reason = FAIL_YIELD_TRAP;
    return NON_VALUE;
}

bool signal_begin(Process *p) {
    Signal *head = atomic_load_explicit(&p->signals_in, memory_order_relaxed);
    if (process_is_exiting(p))
        return false;
    if (p->signals_begun == NULL && head != NULL && head != SIGNALS_CLOSED) {
        atomic_store_explicit(&p->is_handling_signals, true, memory_order_relaxed);
        p->signals_begun = in_order(atomic_exchange(&p->signals_in, NULL));
    }
    return p->signals_begun != NULL;
}

void signal_handle_begun(Process *p, unsigned most) {
    unsigned left = most;
    while (p->signals_begun != NULL && left > 0 && !process_is_exiting(p)) {
        Signal *s = p->signals_begun;
        p->signals_begun = s->next;
        handle(p, s);
        left--;
        long_work_count(UNITS_TO_HANDLE);
    }
    if (p->signals_begun == NULL || process_is_exiting(p))
        atomic_store_explicit(&p->is_handling_signals, false, memory_order_release);
    process_bump(p, (most - left) / SIGNALS_PER_REDUCTION);
}

/* Those that were begun are older than all that stand in the list: they come last in one that has the newest first. */
Signal *signal_list_close(Process *p) {
    Signal *begun = reversed(p->signals_begun), *head = atomic_exchange(&p->signals_in, SIGNALS_CLOSED);
    Signal **last = &head;
    for (; *last != NULL && begun != NULL; last = &(*last)->next)
        long_work_count(UNITS_TO_TURN);
    if (begun != NULL)
        *last = begun;
    p->signals_begun = NULL;
    return head;
}

static void refuse_all(Process *p, Signal *s) {
    while (s) {
        Signal *next = s->next;
        refuse(p, s);
        s = next;
        long_work_count(UNITS_TO_HANDLE);
    }
}

/* Exchange and mark in one: whoever pushes after it is refused and answers for the process himself, whoever came before
 * it is answered here. So nobody is left without an answer, and none gets two. */
void signal_close(Process *p) {
    Signal *begun = p->signals_begun;
    p->signals_begun = NULL;
    refuse_all(p, begun);
    refuse_all(p, in_order(atomic_exchange(&p->signals_in, SIGNALS_CLOSED)));
}

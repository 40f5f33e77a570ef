/* What one process does to another: messages, links, monitors, aliases, exit signals; and registered names. */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/alive.h"
#include "bif/argument.h"
#include "bif/process/process_options.h"
#include "bif_table.h"
#include "distribution/tell.h"
#include "port/command.h"
#include "process/port_table.h"
#include "process/dirty_gate.h"
#include "process/far.h"
#include "process/link.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/receive.h"
#include "process/recorder.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/route.h"
#include "process/request.h"
#include "process/signal_handle.h"
#include "process/trace_point.h"
#include "replace/asked.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"

Term erlang_self_0(Process *p, const Term *a) { return p->pid; }
Term erlang_send_2(Process *p, const Term *a) { return process_send(p, a[0], a[1]); }

/* {Name, Node} on this node, or a name: the pid behind it (NON_VALUE: none). False: no such thing. */
static bool name_of(Term t, Term *name) {
    if (is_tuple_arity(t, 2)) {
        if (tuple_elements(t)[1] != node_this_name())
            return false;
        t = tuple_elements(t)[0];
    }
    *name = t;
    return is_atom(t);
}

/* {Name, Node} of another node. */
static bool is_far_name(Term t) {
    if (!is_tuple_arity(t, 2))
        return false;
    const Term *e = tuple_elements(t);
    return is_atom(e[0]) && is_atom(e[1]) && e[1] != node_this_name();
}

/* By whatever it is called; NON_VALUE: it is none. */
static Term port_called(Term to) {
    Term name;
    if (name_of(to, &name))
        to = registry_whereis(name);
    return is_value(to) && is_local_port(to) ? to : NON_VALUE;
}

static bool is_to_busy_port(Term to, Term message) {
    Term port = port_called(to);
    return is_value(port) && port_send_waits(port, message);
}

static bool is_far(Term to) { return is_external_pid(to) || is_external_ref(to) || is_far_name(to); }

/* Not to be sent, as the options have it: why; NON_VALUE: it is. */
static Term held_back(const Process *p, const Term *a, bool may_wait, bool may_connect) {
    bool goes_far = is_far(a[0]);
    if (!may_connect && goes_far && !tell_is_connected(a[0]))
        return am_noconnect;
    bool waits = !may_wait && (goes_far ? tell_would_wait(p, a[0]) : is_to_busy_port(a[0], a[1]));
    return waits ? am_nosuspend : NON_VALUE;
}

/* With `nosuspend`: no port keeps it back. */
static Term send_now(Process *p, Term to, Term message) {
    Term port = port_called(to);
    if (!is_value(port))
        return process_send(p, to, message);
    if (unlikely(p->trace_flags & TRACE_SEND))
        trace_points.event(p, EVENT_SEND, message, to);
    return port_send_now(p, port, message);
}

Term erlang_send_3(Process *p, const Term *a) {
    Term options = a[2];
    bool is_priority = false, may_wait = true, may_connect = true;
    for (; is_list(options); options = list_tail(options)) {
        Term option = list_head(options);
        if (option == am_nosuspend)
            may_wait = false;
        else if (option == am_priority && release_has(RELEASE_PRIORITY_MESSAGES))
            is_priority = true;
        else if (option == am_noconnect)
            may_connect = false;
        else
            return fail_badarg_cause(p, am_badopt);
    }
    if (!is_nil(options))
        return fail_badarg_cause(p, am_badopt);
    Term held = held_back(p, a, may_wait, may_connect);
    if (is_value(held))
        return held;
    uint32_t flag = may_wait ? 0 : FLAG_ASYNC_DIST & ~p->flags; /* for the moment */
    p->flags |= flag;
    Term sent = is_priority ? process_send_priority(p, a[0], a[1])
                : may_wait  ? process_send(p, a[0], a[1])
                            : send_now(p, a[0], a[1]);
    p->flags &= ~flag;
    if (is_value(sent))
        return am_ok;
    if (p->fail.reason == FAIL_TRAP)
        p->fail.trap_arguments[SEND_TRAP_RESULT] = am_ok; /* it waits elsewhere */
    if (p->fail.reason == FAIL_YIELD)
        p->fail.value = am_ok;
    return NON_VALUE;
}

/* It has ended, but its exit signal has not been handled yet. */
static bool has_ended_linked(const Process *p, Term to) {
    if (likely(!is_local_port(to)) || !link_is_there(p, to))
        return false;
    const Port *port = port_at(to);
    return port == NULL || port_has_status(port, PORT_CLOSING);
}

static Term link(Process *p, Term to, bool is_priority) {
    if (unlikely(has_ended_linked(p, to)))
        return link_to_ended(p, to) ? am_true : fail_with(p, FAIL_NOPROC);
    if (is_local_pid(to) || is_local_port(to))
        return link_make(p, to, is_priority) ? am_true : fail_with(p, FAIL_NOPROC);
    if (!is_external_pid(to))
        return fail_badarg(p);
    bool is_linked = link_is_there(p, to);
    if (!link_make(p, to, is_priority))
        return fail_with(p, FAIL_NOPROC);
    return is_linked ? am_true : tell_told(p, ident_node_name(to), am_true, TELL_CALL);
}

Term erlang_link_1(Process *p, const Term *a) { return link(p, a[0], false); }

Term erlang_link_2(Process *p, const Term *a) {
    bool is_priority;
    return priority_option_decode(a[1], &is_priority) ? link(p, a[0], is_priority) : fail_badarg_cause(p, am_badopt);
}

Term erlang_unlink_1(Process *p, const Term *a) {
    if (!is_pid(a[0]) && !is_local_port(a[0]))
        return fail_badarg(p);
    bool is_told = link_remove(p, a[0]) && is_external_pid(a[0]);
    return is_told ? tell_told(p, ident_node_name(a[0]), am_true, TELL_CALL) : am_true;
}

static Term monitor_there(Process *p, Term name, Term node, const MonitorOptions *o) {
    return tell_told(p, node, monitor_far_name(p, name, node, o), TELL_CALL);
}

static Term monitor(Process *p, Term type, Term item, const MonitorOptions *o) {
    Term name;
    if (type == am_process) {
        if (is_local_pid(item))
            return monitor_process(p, item, NON_VALUE, o);
        if (is_external_pid(item))
            return tell_told(p, ident_node_name(item), monitor_process(p, item, NON_VALUE, o), TELL_CALL);
        if (is_far_name(item) && is_alive_or_to_be(p))
            return monitor_there(p, tuple_elements(item)[0], tuple_elements(item)[1], o);
        return name_of(item, &name) ? monitor_process(p, registry_whereis(name), name, o) : fail_badarg(p);
    }
    if (type == am_port) {
        if (is_local_port(item))
            return monitor_port(p, item, NON_VALUE, o);
        if (is_external_port(item) && ident_is_earlier(item))
            return monitor_earlier_port(p, item, o);
        if (!name_of(item, &name))
            return fail_badarg(p);
        Term found = registry_whereis(name);
        return monitor_port(p, is_value(found) && is_local_port(found) ? found : NON_VALUE, name, o);
    }
    if (type != am_time_offset)
        return fail_badarg_cause(p, am_badtype);
    return item == am_clock_service ? monitor_time_offset(p, o) : fail_badarg(p);
}

static Term default_tag(Term type) { return type == am_time_offset ? am_CHANGE : am_DOWN; }

Term erlang_monitor_2(Process *p, const Term *a) {
    MonitorOptions o = MONITOR_DEFAULTS;
    o.tag = default_tag(a[0]);
    return monitor(p, a[0], a[1], &o);
}

Term erlang_monitor_3(Process *p, const Term *a) {
    MonitorOptions o;
    if (!monitor_options_decode(a[2], default_tag(a[0]), &o))
        return fail_badarg_cause(p, am_badopt);
    return monitor(p, a[0], a[1], &o);
}

Term erlang_alias_1(Process *p, const Term *a) {
    AliasMode mode = ALIAS_EXPLICIT_UNALIAS;
    bool takes_priority = false;
    Term options = a[0];
    for (; is_list(options); options = list_tail(options)) {
        if (list_head(options) == am_reply)
            mode = ALIAS_REPLY;
        else if (list_head(options) == am_explicit_unalias)
            mode = ALIAS_EXPLICIT_UNALIAS;
        else if (list_head(options) == am_priority && release_has(RELEASE_PRIORITY_MESSAGES))
            takes_priority = true;
        else
            return fail_badarg(p);
    }
    return is_nil(options) ? alias_make(p, mode, takes_priority) : fail_badarg(p);
}

Term erlang_alias_0(Process *p, const Term *a) { return alias_make(p, ALIAS_EXPLICIT_UNALIAS, false); }

Term erlang_unalias_1(Process *p, const Term *a) {
    if (!is_local_ref(a[0]))
        return is_external_ref(a[0]) ? am_false : fail_badarg(p);
    return bool_term(alias_remove(p, reference_key(a[0])));
}

static bool is_down_of(const Message *m, Term reference) {
    const Term *e = is_tuple_arity(m->term, 5) ? tuple_elements(m->term) : NULL;
    return e != NULL && is_local_ref(e[1]) && reference_key(e[1]) == reference_key(reference);
}

/* It is not the one that the receive looks at: what it leads to may be outside of the heap still. */
static void take_out(Process *p, Message **at) {
    Message *m = *at, **save = p->save == (Message **)&m->signal.next ? at : p->save;
    message_move_in(p, m);
    p->save = at;
    receive_remove(p, m);
    p->save = save;
}

/* With `flush`: a DOWN message of this monitor that is in the queue is taken out. To who traces what is received it is
 * a receive that waits for nothing. False: p has been told to exit (signal_handle_midway). */
static bool flush_down(Process *p, Term reference) {
    if (!signal_handle_midway(p))
        return false;
    for (Message **at = &p->messages; *at; at = (Message **)&(*at)->signal.next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        if (is_down_of(*at, reference)) {
            take_out(p, at);
            return true;
        }
    }
    trace_event(p, TRACE_RECEIVE, EVENT_RECEIVE, am_timeout, am_clock_service);
    return true;
}

Term erlang_demonitor_2(Process *p, const Term *a) {
    bool flush = false, info = false;
    Term options = a[1];
    for (; is_list(options); options = list_tail(options)) {
        if (list_head(options) == am_flush)
            flush = true;
        else if (list_head(options) == am_info)
            info = true;
        else
            return fail_badarg(p);
    }
    bool is_earlier = is_external_ref(a[0]) && ident_is_earlier(a[0]);
    if (!is_nil(options) || !(is_local_ref(a[0]) || is_earlier))
        return fail_badarg(p);
    Term node = NON_VALUE;
    MonitorRemoved removed = is_earlier ? MONITOR_ABSENT : monitor_remove_any(p, reference_key(a[0]), &node);
    if (flush && removed != MONITOR_SILENT && !flush_down(p, a[0]))
        return NON_VALUE;
    Term result = bool_term(!info || removed != MONITOR_ABSENT);
    if (is_value(node))
        result = tell_told(p, node, result, flush ? TELL_FLUSH : TELL_CALL);
    return signal_midway_result(p, result);
}

Term erlang_demonitor_1(Process *p, const Term *a) { return erlang_demonitor_2(p, (Term[]){a[0], NIL}); }

/* A reference that is no alias leads to nobody. */
static void send_exit(Process *p, Term to, Term pid, Term reason, SignalKind kind) {
    long_work_open();
    Message *m = exit_signal_create(kind, p->pid, reason);
    long_work_close();
    if (to != pid)
        m->key = reference_key(to);
    bool is_sent = signal_tell(p, pid, &m->signal);
    if (!is_sent)
        signal_free(&m->signal);
}

static Term exit_far(Process *p, Term to, Term reason) {
    FarOrder o = {.kind = FAR_EXIT, .from = p->pid, .to = to, .node = NON_VALUE, .payload = reason, .token = NIL};
    return tell_order(p, &o, am_true, TELL_SEND);
}

static Term exit_signal(Process *p, Term to, Term reason, bool is_priority) {
    bool is_alias = is_ref(to) && release_has(RELEASE_PRIORITY_MESSAGES);
    if (is_external_pid(to))
        return exit_far(p, to, reason);
    if (is_alias && !is_local_ref(to))
        return am_true;
    if (!is_local_pid(to) && !is_local_port(to) && !is_alias)
        return fail_badarg(p);
    Term pid = is_alias ? reference_alias_pid(to) : to;
    if (!is_value(pid))
        return am_true;
    send_exit(p, to, pid, reason, !is_alias ? SIGNAL_EXIT : is_priority ? SIGNAL_PRIORITY_EXIT : SIGNAL_ALIAS_EXIT);
    if (pid != p->pid)
        return am_true;
    return signal_midway_result(p, signal_handle_midway(p) ? am_true : NON_VALUE);
}

Term erlang_exit_2(Process *p, const Term *a) { return exit_signal(p, a[0], a[1], false); }
Term erlang_exit_signal_2(Process *p, const Term *a) { return exit_signal(p, a[0], a[1], false); }

Term erlang_exit_3(Process *p, const Term *a) {
    bool is_priority;
    if (!priority_option_decode(a[2], &is_priority))
        return fail_badarg_cause(p, am_badopt);
    return exit_signal(p, a[0], a[1], is_priority);
}

static void tell_name(Process *p, Term owner, TraceEvent event, Term name) {
    recorder_name(p, owner, name, event == EVENT_REGISTER);
    if (owner == p->pid)
        trace_event(p, TRACE_PROCS, event, name, NON_VALUE);
    else
        trace_event_elsewhere(owner, TRACE_OF_BOTH, event, name);
}

Term erlang_register_2(Process *p, const Term *a) {
    if (!is_atom(a[0]) || a[0] == am_undefined || (!is_local_pid(a[1]) && !is_local_port(a[1])))
        return fail_badarg_cause(p, am_none);
    Process *to = actor_find(a[1]);
    if (!to || process_is_exiting(to))
        return fail_badarg_cause(p, am_notalive);
    if (registry_register(a[0], to)) {
        tell_name(p, to->pid, EVENT_REGISTER, a[0]);
        return am_true;
    }
    return fail_badarg_cause(p, is_value(registry_name_of(to)) ? am_registered_name : am_none);
}

/* Lends the caller's name to its children: process/registry.h. */
Term viv_relay_lend_name_0(Process *p, const Term *a) {
    registry_lend(p);
    return am_true;
}

Term erlang_unregister_1(Process *p, const Term *a) {
    Term owner = is_atom(a[0]) ? registry_whereis(a[0]) : NON_VALUE;
    if (!is_value(owner) || !registry_unregister(a[0]))
        return fail_badarg(p);
    tell_name(p, owner, EVENT_UNREGISTER, a[0]);
    return am_true;
}

Term erlang_whereis_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    Term owner = registry_whereis(a[0]);
    return is_value(owner) ? owner : am_undefined;
}

Term erlang_registered_0(Process *p, const Term *a) {
    AreaList c = {process_area(p), NIL};
    registry_each(area_list_add, &c);
    return c.list;
}

/* Two of the runtime's own ask all: they are told of those whom it concerns.
 *
 * Everybody else lets those who stand in the queue have their turn before the answer. In the stock runtime the question
 * costs what the table has room for, some slices of time, and programs count on that: init, which ends what is left by
 * asking and killing in turn until nobody answers, has just answered one who has to say why the start failed. Where
 * another scheduler has taken that one, who is first is open, as it is in init's own code. */
Term erlang_processes_0(Process *p, const Term *a) {
    Term asked = asked_list(p);
    if (is_value(asked))
        return asked;
    AreaList c = {process_area(p), NIL};
    process_table_count_all(process_is_listed, area_list_add, &c);
    process_bump(p, (int64_t)process_table_count() / 10);
    return bif_return_later(p, c.list);
}

#define SLOTS_AT_ONCE 1024

/* {Next, Pids}: some of those in the table from a slot on, and the slot to go on at; or none. Each process that is
 * there throughout is given once. Source: erlang(3) of OTP 28, processes_iterator/0. */
Term erts_internal_processes_next_1(Process *p, const Term *a) {
    if (!is_small_within(a[0], 0, (SWord)process_table_limit()))
        return fail_badarg(p);
    size_t from = (size_t)small_value(a[0]), used = process_table_used();
    if (from >= used)
        return am_none;
    size_t end = used - from > SLOTS_AT_ONCE ? from + SLOTS_AT_ONCE : used;
    AreaList c = {process_area(p), NIL};
    for (size_t slot = end; slot-- > from;) {
        Process *each = process_table_at(slot);
        if (each != NULL && process_is_listed(each))
            area_list_add(each->pid, &c);
    }
    process_bump(p, (int64_t)(end - from) / 10);
    return area_tuple2(c.area, small_make((SWord)end), c.list);
}

/* Whether a process is alive is asked of the process itself, so that exit signals sent before the question count. */
typedef struct {
    CallSignal call;
    Term asker, reference;
    uint64_t id; /* 0: answer by a message with `reference` */
    KeptMessage yes, no;
} AliveQuestion;

static void answer_alive(Process *to, CallSignal *call) {
    AliveQuestion *q = container_of(call, AliveQuestion, call);
    bool alive = !process_is_exiting(to);
    if (q->id) {
        request_reply(q->asker, q->id, bool_term(alive));
    } else {
        kept_message_send(alive ? &q->yes : &q->no, q->asker);
        kept_message_free(alive ? &q->no : &q->yes);
    }
    mem_free(ALLOC_SIGNAL, q);
}

static AliveQuestion *alive_question(Process *p) {
    AliveQuestion *q = mem_calloc(ALLOC_SIGNAL, sizeof *q);
    signal_init(&q->call.signal, SIGNAL_CALL)->detail = CALL_LEAVES_MESSAGES;
    q->call.handle = answer_alive;
    q->asker = p->pid;
    return q;
}

Term erlang_is_process_alive_1(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!is_local_pid(a[0]))
        return is_earlier_pid(a[0]) ? am_false : fail_badarg(p);
    if (a[0] == p->pid)
        return am_true;
    Process *to = process_find(a[0]);
    if (!to || process_is_exiting(to))
        return am_false;
    if (process_has_handled_signals(to))
        return bool_term(!process_is_exiting(to));
    AliveQuestion *q = alive_question(p);
    q->id = request_begin(p);
    if (signal_push_asking(to, &q->call.signal, process_priority(p)))
        return request_wait(p);
    mem_free(ALLOC_SIGNAL, q);
    request_end(p);
    return am_false;
}

Term erts_internal_is_process_alive_2(Process *p, const Term *a) {
    if (!is_local_pid(a[0]) || !is_ref(a[1]))
        return fail_badarg(p);
    AliveQuestion *q = alive_question(p);
    Area *area = process_area(p);
    q->yes = kept_message_make(area_tuple2(area, a[1], am_true), a[0], NIL);
    q->no = kept_message_make(area_tuple2(area, a[1], am_false), NON_VALUE, NIL);
    if (!signal_ask(p, a[0], &q->call.signal)) {
        kept_message_free(&q->yes);
        kept_message_send(&q->no, p->pid);
        mem_free(ALLOC_SIGNAL, q);
    }
    return am_ok;
}

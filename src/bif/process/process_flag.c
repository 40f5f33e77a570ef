/* What a process sets about itself, and what it asks of others by request: flags, group leader, suspension. */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/process/process_options.h"
#include "bif_table.h"
#include "distribution/tell.h"
#include "process/far.h"
#include "process/group_leader.h"
#include "process/node_monitors.h"
#include "process/process_table.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "process/saved_calls.h"
#include "process/suspend.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/map.h"
#include "term/stock_word.h"
#include "trace/session.h"

static Term set_flag(Process *p, uint32_t flag, Term value) {
    if (value != am_true && value != am_false)
        return fail_badarg(p);
    Term old = bool_term(p->flags & flag);
    p->flags = value == am_true ? p->flags | flag : p->flags & ~flag;
    return old;
}

static Term set_sensitive(Process *p, Term value) {
    uint32_t before;
    if (value == am_true)
        before = atomic_fetch_or(&p->state, STATE_SENSITIVE);
    else if (value == am_false)
        before = atomic_fetch_and(&p->state, ~(uint32_t)STATE_SENSITIVE);
    else
        return fail_badarg(p);
    trace_flags_renew(p);
    return bool_term(before & STATE_SENSITIVE);
}

static Term set_priority(Process *p, Term value) {
    Term old = priority_term(process_priority(p));
    Priority priority;
    if (!priority_decode(value, &priority))
        return fail_badarg(p);
    process_set_priority(p, priority);
    return old;
}

/* It goes on where it is bound to: other schedulers it leaves first. */
static Term set_scheduler(Process *p, Term value) {
    Term old = small_make(p->bound_queue);
    const RunQueue *here = run_queue_self();
    unsigned scheduler;
    if (!scheduler_decode(value, &scheduler))
        return fail_badarg(p);
    p->bound_queue = scheduler;
    bool is_there = scheduler == 0 || (here != NULL && here->index + 1 == scheduler);
    return is_there ? old : bif_return_later(p, old);
}

static Term set_message_queue_data(Process *p, Term value) {
    if (value != am_on_heap && value != am_off_heap)
        return fail_badarg(p);
    Term old = p->flags & FLAG_OFF_HEAP_MESSAGES ? am_off_heap : am_on_heap;
    p->flags = value == am_off_heap ? p->flags | FLAG_OFF_HEAP_MESSAGES : p->flags & ~(uint32_t)FLAG_OFF_HEAP_MESSAGES;
    return old;
}

static Term set_max_heap_size(Process *p, Term value) {
    size_t words = p->heap.max_words;
    uint8_t flags = (uint8_t)spawn_defaults.max_heap_flags; /* of what is not given, the system's */
    if (!max_heap_size_decode(value, &words, &flags) || (words && words < p->heap.min_words))
        return fail_badarg(p);
    Term old = max_heap_size_term(process_area(p), p->heap.max_words, p->heap.max_flags);
    p->heap.max_words = words;
    p->heap.max_flags = flags;
    return old;
}

static Term set_heap_number(Process *p, Term flag, Term value) {
    if (!is_small_within(value, 0, STOCK_SMALL_MAX))
        return fail_badarg(p);
    size_t n = (size_t)small_value(value);
    Term old;
    if (flag == am_fullsweep_after) {
        old = small_make(p->heap.fullsweep_after);
        p->heap.fullsweep_after = n > UINT16_MAX ? UINT16_MAX : (uint16_t)n;
    } else if (flag == am_min_heap_size) {
        old = small_make(p->heap.min_words);
        p->heap.min_words = heap_step(n < HEAP_DEFAULT_WORDS ? HEAP_DEFAULT_WORDS : n);
    } else {
        old = small_make(p->heap.min_virtual_words);
        p->heap.min_virtual_words = virtual_words_step(n);
    }
    return old;
}

static Term set_error_handler(Process *p, Term value) {
    if (!is_atom(value))
        return fail_badarg(p);
    Term old = p->error_handler;
    p->error_handler = value;
    return old;
}

static Term set_save_calls(Process *p, Term value) {
    if (!is_small_within(value, 0, SAVED_CALLS_MAX))
        return fail_badarg_cause(p, am_none);
    return small_make(saved_calls_resize(p, (uint32_t)small_value(value), true));
}

static NodeType node_type(Term name) {
    switch (name) {
    case am_visible: return NODES_VISIBLE;
    case am_hidden: return NODES_HIDDEN;
    case am_all: return NODES_ALL;
    default: return NODES_UNSAID;
    }
}

static bool node_monitor_option(NodeMonitorOptions *o, Term key, Term value) {
    switch (key) {
    case am_node_type: return (o->type = node_type(value)) != NODES_UNSAID;
    case am_nodedown_reason: o->wants_reason = value == am_true; break;
    case am_connection_id: o->wants_connection = value == am_true; break;
    case am_list: return o->wants_list = value == am_true;
    default: return false;
    }
    return value == am_true || value == am_false;
}

/* `options`: a map, as net_kernel makes it of its list, or no option at all. */
static bool node_monitor_options(Term options, NodeMonitorOptions *o) {
    *o = (NodeMonitorOptions){.wants_list = options == NIL};
    if (!is_map(options))
        return o->wants_list;
    MapIterator it;
    map_iterator_init(&it, options);
    for (Term key, value; map_iterator_next(&it, &key, &value);)
        if (!node_monitor_option(o, key, value))
            return false;
    return true;
}

static Term set_monitor_nodes(Process *p, Term options, Term value) {
    NodeMonitorOptions o;
    if ((value != am_true && value != am_false) || !node_monitor_options(options, &o))
        return fail_badarg(p);
    return small_make(node_monitors_set(p, &o, value == am_true));
}

Term erlang_process_flag_2(Process *p, const Term *a) {
    Term flag = a[0], value = a[1];
    if (flag == am_trap_exit)
        return set_flag(p, FLAG_TRAP_EXIT, value);
    if (flag == am_sensitive)
        return set_sensitive(p, value);
    if (flag == am_async_dist && release_has(RELEASE_ASYNC_DIST))
        return set_flag(p, FLAG_ASYNC_DIST, value);
    if (flag == am_priority)
        return set_priority(p, value);
    if (flag == am_scheduler)
        return set_scheduler(p, value);
    if (flag == am_message_queue_data)
        return set_message_queue_data(p, value);
    if (flag == am_max_heap_size)
        return set_max_heap_size(p, value);
    if (flag == am_error_handler)
        return set_error_handler(p, value);
    if (flag == am_fullsweep_after || flag == am_min_heap_size || flag == am_min_bin_vheap_size)
        return set_heap_number(p, flag, value);
    if (flag == am_save_calls)
        return set_save_calls(p, value);
    if (flag == am_monitor_nodes)
        return set_monitor_nodes(p, NIL, value);
    if (is_tuple_arity(flag, 2) && tuple_elements(flag)[0] == am_monitor_nodes)
        return set_monitor_nodes(p, tuple_elements(flag)[1], value);
    return fail_badarg_cause(p, am_badopt);
}

/* Another process's save_calls: it sets it itself when it handles this. */
typedef struct {
    CallSignal call;
    Term requester;
    uint64_t id;
    uint32_t size;
} SaveCallsSignal;

static void take_save_calls(Process *p, CallSignal *call) {
    SaveCallsSignal *s = container_of(call, SaveCallsSignal, call);
    Term old = am_badtype; /* as for a pid that is no process's */
    if (!process_is_exiting(p))
        old = small_make(saved_calls_resize(p, s->size, false));
    request_reply(s->requester, s->id, old);
    mem_free(ALLOC_SIGNAL, s);
}

/* badtype and badarg are turned into errors by erlang:process_flag/3. */
Term erts_internal_process_flag_3(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!is_local_pid(a[0]))
        return am_badtype;
    if (a[0] == p->pid && a[1] == am_save_calls && is_small_within(a[2], 0, SAVED_CALLS_MAX))
        return set_save_calls(p, a[2]);
    if (!process_find(a[0]))
        return am_badtype;
    if (a[1] != am_save_calls || !is_small_within(a[2], 0, SAVED_CALLS_MAX))
        return am_badarg;
    SaveCallsSignal *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_save_calls;
    s->requester = p->pid;
    s->size = (uint32_t)small_value(a[2]);
    s->id = request_begin(p);
    if (signal_ask(p, a[0], &s->call.signal))
        return request_wait(p);
    mem_free(ALLOC_SIGNAL, s);
    request_end(p);
    return am_badtype;
}

Term erlang_group_leader_0(Process *p, const Term *a) { return p->group_leader; }

/* At once: nobody tells whether it is there. */
static Term set_far_leader(Process *p, Term leader, Term to) {
    FarOrder o = {
        .kind = FAR_GROUP_LEADER, .from = p->pid, .to = to, .node = NON_VALUE, .payload = leader, .token = NIL};
    return tell_order(p, &o, am_true, TELL_CALL);
}

Term erlang_group_leader_2(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer == am_false ? fail_badarg(p) : answer;
    if (!is_pid(a[0]) || !is_pid(a[1]))
        return fail_badarg(p);
    if (is_external_pid(a[1]))
        return ident_is_earlier(a[1]) ? fail_badarg(p) : set_far_leader(p, a[0], a[1]);
    if (a[1] == p->pid) {
        p->group_leader = a[0];
        return am_true;
    }
    LeaderSignal *s = leader_signal_create(p->pid, a[0]);
    s->id = request_begin(p);
    if (signal_ask(p, a[1], &s->call.signal))
        return request_wait(p);
    leader_signal_free(s);
    request_end(p);
    return fail_badarg(p);
}

/* true when it was set at once, false when the caller is to ask with a reference. */
Term erts_internal_group_leader_2(Process *p, const Term *a) {
    if (!is_pid(a[0]) || !is_pid(a[1]))
        return am_badarg;
    if (is_external_pid(a[1]))
        return ident_is_earlier(a[1]) ? am_badarg : set_far_leader(p, a[0], a[1]);
    if (a[1] != p->pid)
        return am_false;
    p->group_leader = a[0];
    return am_true;
}

Term erts_internal_group_leader_3(Process *p, const Term *a) {
    if (!is_pid(a[0]) || !is_local_pid(a[1]) || !is_ref(a[2]))
        return fail_badarg(p);
    Area *area = process_area(p);
    LeaderSignal *s = leader_signal_create(p->pid, a[0]);
    s->yes = kept_message_make(area_tuple2(area, a[2], am_true), NON_VALUE, NIL);
    s->no = kept_message_make(area_tuple2(area, a[2], am_badarg), NON_VALUE, NIL);
    if (!signal_ask(p, a[1], &s->call.signal)) {
        kept_message_send(&s->no, p->pid);
        leader_signal_free(s);
    }
    return am_ok;
}

typedef struct {
    bool unless_suspending, asynchronous;
    Term reply;
} SuspendOptions;

static bool suspend_options(Term list, SuspendOptions *o) {
    *o = (SuspendOptions){.reply = NON_VALUE};
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (option == am_unless_suspending)
            o->unless_suspending = true;
        else if (option == am_asynchronous)
            o->asynchronous = true;
        else if (is_tuple_arity(option, 2) && tuple_elements(option)[0] == am_asynchronous)
            o->asynchronous = true, o->reply = tuple_elements(option)[1];
        else
            return false;
    }
    return is_nil(list);
}

/* {Tag, State}: what the state is will be known when it is sent. */
static KeptMessage reply_to_be(const SuspendOptions *o) {
    Term words[3] = {header_make(KIND_TUPLE, 2), o->reply, am_suspended};
    return is_value(o->reply) ? kept_message_make(boxed_make(words), NON_VALUE, NIL) : KEPT_MESSAGE_NONE;
}

/* When it waits, the answer is the result. */
Term erts_internal_suspend_process_2(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    SuspendOptions o;
    if (!is_local_pid(a[0]) || a[0] == p->pid)
        return am_badarg;
    if (!suspend_options(a[1], &o))
        return am_badopt;
    SuspendRequest request = {.only_ask = o.unless_suspending && suspend_count_of(p, a[0]) > 0,
                              .id = o.asynchronous ? 0 : request_begin(p),
                              .told = reply_to_be(&o)};
    bool sent = suspend_process(p, a[0], &request);
    if (o.asynchronous)
        return bool_term(!request.only_ask);
    if (sent)
        return request_wait(p);
    request_end(p);
    return am_badarg;
}

Term erlang_suspend_process_1(Process *p, const Term *a) {
    Term result = erts_internal_suspend_process_2(p, (Term[]){a[0], NIL});
    return result == am_badarg ? fail_badarg(p) : result;
}

Term erlang_suspend_process_2(Process *p, const Term *a) {
    Term result = erts_internal_suspend_process_2(p, a);
    if (result == am_badopt)
        return fail_badarg_cause(p, am_badopt);
    return result == am_badarg ? fail_badarg(p) : result;
}

Term erlang_resume_process_1(Process *p, const Term *a) {
    return is_local_pid(a[0]) && suspend_resume(p, a[0]) ? am_true : fail_badarg(p);
}

Term erts_internal_is_system_process_1(Process *p, const Term *a) {
    if (!is_local_pid(a[0]))
        return fail_badarg(p);
    Process *other = process_find(a[0]);
    return bool_term(other && other->is_system);
}

Term erts_internal_is_process_executing_dirty_1(Process *p, const Term *a) {
    if (!is_local_pid(a[0]))
        return fail_badarg(p);
    Process *other = process_find(a[0]);
    return bool_term(other && (atomic_load(&other->state) & (STATE_DIRTY_CPU | STATE_DIRTY_IO)));
}

#include "bif/system/internal_state.h"

#include <errno.h>
#include <time.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/process/process_info.h"
#include "bif_table.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/request.h"
#include "process/suspend.h"
#include "process/system_task.h"
#include "process/timer.h"
#include "replace/code_permission.h"
#include "sched/online.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

/* --- Of all processes --- */

Term inside_process_status(Process *p, Term pid) {
    if (!is_local_pid(pid))
        return fail_badarg(p);
    const Process *q = process_find(pid);
    if (q == NULL)
        return am_undefined;
    uint32_t state = atomic_load(&q->state);
    return state & STATE_EXITING     ? am_exiting
           : state & STATE_SUSPENDED ? am_suspended
           : state & STATE_RUNNING   ? am_running
           : state & STATE_ACTIVE    ? am_runnable
                                     : am_waiting;
}

Term inside_process_info_items(Process *p, Term none) { return process_info_names(process_area(p)); }

typedef struct {
    Area *area;
    Term list;
} Found;

static void add_found(Process *each, void *data) {
    Found *found = data;
    if (!process_is_exiting(each))
        found->list = area_cons(found->area, each->pid, found->list);
}

Term inside_processes(Process *p, Term none) {
    Found found = {process_area(p), NIL};
    process_table_each(add_found, &found);
    return found.list;
}

/* #ptab_list_bif_info{}: the least reductions to begin with; parts of the table, and their size; places looked at, for
 * a reduction; three figures of what is kept of processes that end meanwhile; pids told, for a reduction; how much is
 * checked. Here nothing is kept of them but while a census goes on (process/census.h), which these do not tell. */
Term inside_processes_bif(Process *p, Term none) {
    const size_t figures[] = {1, 1, process_table_limit(), process_table_limit(), 0, 0, 0, 10, 0};
    Term terms[1 + array_length(figures)] = {am_ptab_list_bif_info};
    for (size_t i = 0; i < array_length(figures); i++)
        terms[1 + i] = small_make((SWord)figures[i]);
    return area_tuple(process_area(p), terms, array_length(terms));
}

/* --- Which numbers come next --- */

Term inside_next_pid(Process *p, Term none) { return small_make((SWord)process_table_next()); }
Term inside_next_port(Process *p, Term none) { return small_make((SWord)port_table_next()); }

static Term set_next(Process *p, Term to, void number_from(uint64_t), Term next(Process *, Term)) {
    if (!is_small_within(to, 0, SMALL_MAX))
        return fail_badarg(p);
    number_from((uint64_t)small_value(to) + 1);
    return next(p, NON_VALUE);
}

Term inside_set_next_pid(Process *p, Term to) { return set_next(p, to, process_table_number_from, inside_next_pid); }
Term inside_set_next_port(Process *p, Term to) { return set_next(p, to, port_table_number_from, inside_next_port); }

/* --- Of one --- */

Term inside_set_collections(Process *p, Term to) {
    if (to != am_true && to != am_false)
        return fail_badarg(p);
    bool was_off = (p->flags & FLAG_PUTS_OFF_COLLECTIONS) != 0;
    system_tasks_put_off(p, to == am_false);
    return bool_term(!was_off);
}

Term inside_set_slow_collections(Process *p, Term to) {
    if (!is_small_within(to, 0, INT32_MAX))
        return fail_badarg(p);
    atomic_store(&collect_slower_ms, (uint32_t)small_value(to));
    return am_true;
}

typedef struct {
    const Subject *subject;
    Term list;
} Records;

static void add_link_record(KeyNode *node, void *data) {
    Records *r = data;
    Area *area = r->subject->area;
    const Link *link = (const Link *)node;
    Term state = link->unlinking == 0 ? am_linked : am_unlinking;
    Term other = actor_key_term(area, node->key), number = integer_from_uint64(area, link->unlinking);
    Term record[] = {am_erl_link, actor_key_is_far(node->key) ? am_dist_process : am_process, other, state, number};
    r->list = area_cons(area, area_tuple(area, record, array_length(record)), r->list);
}

static Term link_records(const Subject *s) {
    Records r = {s, NIL};
    key_table_each(&s->p->links, add_link_record, &r);
    return r.list;
}

Term inside_links(Process *p, Term pid) {
    return is_local_pid(pid) ? process_info_ask(p, pid, link_records) : fail_badarg(p);
}

/* {erl_monitor, Type, origin | target, Reference, Other, Name | []} */
static void add_monitor_record(Records *r, Term type, Term side, Term reference, Term other, Term name) {
    Term record[] = {am_erl_monitor, type, side, reference, is_value(other) ? other : NIL, is_value(name) ? name : NIL};
    Area *area = r->subject->area;
    r->list = area_cons(area, area_tuple(area, record, array_length(record)), r->list);
}

static void add_origin(KeyNode *node, void *data) {
    Records *r = data;
    const Monitor *m = (const Monitor *)node;
    static const Term types[] = {am_alias, am_process, am_port, am_time_offset, am_dist_process, am_dist_process};
    if (m->type == MONITOR_SPAWN)
        return;
    Term alias_pid = m->is_alias_reference ? r->subject->p->pid : NON_VALUE;
    Term reference = monitor_reference(r->subject->area, node->key, alias_pid);
    Area *area = r->subject->area;
    Term target = m->type == MONITOR_FAR ? actor_key_term(area, m->target) : m->target;
    add_monitor_record(r, types[m->type], am_origin, reference, target, m->name);
}

static void add_target(KeyNode *node, void *data) {
    Records *r = data;
    const Watcher *w = (const Watcher *)node;
    Area *area = r->subject->area;
    Term reference = monitor_reference(area, node->key, w->is_alias_reference ? w->origin : NON_VALUE);
    if (w->native != NULL && w->native->reference != NULL)
        add_monitor_record(r, am_dist_process, am_target, w->native->reference(w->native, area),
                           w->native->origin(w->native, area), NON_VALUE);
    else if (w->native != NULL)
        add_monitor_record(r, am_resource, am_target, reference, w->native->origin(w->native, area), NON_VALUE);
    else
        add_monitor_record(r, am_process, am_target, reference, w->origin, w->name);
}

static void add_suspending(KeyNode *node, void *data) {
    add_monitor_record(data, am_suspend, am_origin, NIL, (Term)node->key, NON_VALUE);
}

static void add_suspender(KeyNode *node, void *data) {
    add_monitor_record(data, am_suspend, am_target, NIL, (Term)node->key, NON_VALUE);
}

static Term monitor_records(const Subject *s) {
    Records r = {s, NIL};
    const Suspensions *suspensions = s->p->suspensions;
    key_table_each(&s->p->monitors, add_origin, &r);
    key_table_each(&s->p->watchers, add_target, &r);
    if (suspensions != NULL) {
        key_table_each(&suspensions->suspending, add_suspending, &r);
        key_table_each(&suspensions->suspenders, add_suspender, &r);
    }
    return r.list;
}

Term inside_monitors(Process *p, Term pid) {
    return is_local_pid(pid) ? process_info_ask(p, pid, monitor_records) : fail_badarg(p);
}

/* --- What a process has to handle --- */

typedef struct {
    CallSignal call;
    int64_t ms;
} BlockSignal;

static void handle_for_long(Process *p, CallSignal *call) {
    BlockSignal *b = container_of(call, BlockSignal, call);
    if (!process_is_exiting(p))
        inside_sleep(b->ms);
    mem_free(ALLOC_SIGNAL, b);
}

Term inside_block_signals(Process *p, Term what) {
    const Term *e = is_tuple_arity(what, 2) ? tuple_elements(what) : NULL;
    int64_t ms;
    if (e == NULL || !is_local_pid(e[0]) || !integer_to_int64(e[1], &ms))
        return fail_badarg(p);
    BlockSignal *b = mem_alloc(ALLOC_SIGNAL, sizeof *b);
    signal_init(&b->call.signal, SIGNAL_CALL);
    b->call.handle = handle_for_long;
    b->ms = ms;
    bool is_there = signal_send(e[0], &b->call.signal);
    if (!is_there)
        mem_free(ALLOC_SIGNAL, b);
    return bool_term(is_there);
}

static void tell_third(Process *p, CallSignal *call) {
    timer_call_free(timer_of_call(call));
    Message *m = message_create(am_multizero_timeout_in_timeout_done, NON_VALUE, NIL);
    signal_send_or_drop(p->pid, &m->signal);
}

static void set_due(Process *p, CallSignal *call, void handle(Process *, CallSignal *)) {
    timer_call_free(timer_of_call(call));
    (void)timer_call_at(p->pid, monotonic_milliseconds_up(monotonic_time()), handle);
}

static void set_third(Process *p, CallSignal *call) { set_due(p, call, tell_third); }
static void set_second(Process *p, CallSignal *call) { set_due(p, call, set_third); }

Term inside_set_nested_timers(Process *p, Term to) {
    int64_t ms;
    if (!integer_to_int64(to, &ms))
        return fail_badarg(p);
    int64_t now = monotonic_milliseconds_up(monotonic_time());
    int64_t at = ms <= 0 ? now : ms < MONOTONIC_END_MS - now ? now + ms : MONOTONIC_END_MS;
    (void)timer_call_at(p->pid, at, set_second);
    return am_ok;
}

/* --- Of the schedulers and their code --- */

void inside_sleep(int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (ms > 0 && nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

Term inside_block(Process *p, Term ms) {
    if (!is_small(ms))
        return fail_badarg(p);
    online_block(p->pid, BLOCK_FULL);
    return request_wait_for_progress(p, am_true);
}

Term inside_sleep_blocked(Process *p, Term ms) {
    inside_sleep(small_value(ms));
    online_unblock(p->pid, BLOCK_FULL);
    return am_true;
}

static _Atomic Term has_code_permission; /* by set_internal_state; 0: nobody */

static bool give_code_permission_back(const Process *p) {
    if (atomic_load_explicit(&has_code_permission, memory_order_relaxed) != p->pid)
        return false;
    atomic_store(&has_code_permission, 0);
    code_permission_release();
    return true;
}

Term inside_set_code_permission(Process *p, Term to) {
    if (to == am_false)
        return give_code_permission_back(p) ? am_true : fail_badarg(p);
    if (to != am_true || atomic_load(&has_code_permission) == p->pid)
        return fail_badarg(p);
    if (!code_permission_take(p))
        return NON_VALUE;
    permission_keep(&code_permission);
    atomic_store(&has_code_permission, p->pid);
    return am_true;
}

bool inside_process_exit(Process *p, int64_t *reductions) {
    give_code_permission_back(p);
    return true;
}

#include "bif/system/internal_state.h"

#include <errno.h>
#include <time.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/process/process_info.h"
#include "bif_table.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/request.h"
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

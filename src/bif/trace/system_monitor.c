/*
 * erlang:system_monitor/0,1,2 and system_profile/0,2; trace:system/3. Source: erlang(3), trace(3) of OTP 28; which
 * arguments are refused, the least values, and the order of the answers are OTP 25's, and OTP 27's for
 * long_message_queue; those of trace:system/3 are OTP 29's.
 */
#include "process/system_monitor.h"

#include "bif/argument.h"
#include "bif/trace/trace_session.h"
#include "bif_table.h"
#include "process/system_profile.h"
#include "term/atom.h"
#include "term/integer.h"

#define LEAST_LARGE_HEAP 16384

static Term add(Area *area, Term key, uint64_t value, Term list) {
    return value == 0 ? list : area_cons(area, area_tuple2(area, key, integer_from_uint64(area, value)), list);
}

static Term add_flag(Area *area, Term name, bool is_set, Term list) {
    return is_set ? area_cons(area, name, list) : list;
}

static Term monitor_list(Area *area, const SystemMonitor *m) {
    Term list = NIL;
    if (m->queue_is_long != 0) {
        Term limits =
            area_tuple2(area, integer_from_uint64(area, m->queue_leaves), integer_from_uint64(area, m->queue_is_long));
        list = area_cons(area, area_tuple2(area, am_long_message_queue, limits), list);
    }
    list = add(area, am_long_gc, m->long_gc, list);
    list = add(area, am_long_schedule, m->long_schedule, list);
    list = add(area, am_large_heap, m->large_heap, list);
    list = add_flag(area, am_busy_port, m->busy_port, list);
    return add_flag(area, am_busy_dist_port, m->busy_dist_port, list);
}

static Term settings_of_monitor(Area *area, const SystemWatcher *w) {
    return w == NULL ? am_undefined : area_tuple2(area, w->pid, monitor_list(area, (const SystemMonitor *)w));
}

/* Any integer of a word that is not negative. */
static bool read_limit(Term t, uint64_t *limit) { return integer_to_uint64(t, limit); }

static bool read_queue(Term t, SystemMonitor *m) {
    return is_tuple_arity(t, 2) && read_limit(tuple_elements(t)[0], &m->queue_leaves) &&
           read_limit(tuple_elements(t)[1], &m->queue_is_long) && m->queue_leaves < m->queue_is_long;
}

static bool read_monitor_option(Term t, SystemMonitor *m) {
    uint64_t limit;
    if (t == am_busy_port)
        return m->busy_port = true;
    if (t == am_busy_dist_port)
        return m->busy_dist_port = true;
    if (!is_tuple_arity(t, 2))
        return false;
    const Term *e = tuple_elements(t);
    if (e[0] == am_long_message_queue)
        return read_queue(e[1], m);
    if (!read_limit(e[1], &limit))
        return false;
    switch (e[0]) {
    case am_long_gc: m->long_gc = limit > 0 ? limit : 1; return true;
    case am_long_schedule: m->long_schedule = limit > 0 ? limit : 1; return true;
    case am_large_heap: m->large_heap = limit > LEAST_LARGE_HEAP ? limit : LEAST_LARGE_HEAP; return true;
    default: return false;
    }
}

static Term set_monitor(Process *p, Term pid, Term options) {
    if (pid == am_undefined || is_nil(options)) /* then it may be any term */
        return settings_of_monitor(process_area(p), system_watcher_set(&the_system_monitor.watcher, NULL, 0));
    SystemMonitor m = {.watcher.pid = pid};
    for (; is_list(options); options = list_tail(options))
        if (!read_monitor_option(list_head(options), &m))
            return fail_badarg(p);
    if (!is_nil(options) || !is_local_pid(pid) || process_find(pid) == NULL)
        return fail_badarg(p);
    return settings_of_monitor(process_area(p), system_watcher_set(&the_system_monitor.watcher, &m.watcher, sizeof m));
}

Term erlang_system_monitor_0(Process *p, const Term *a) {
    return settings_of_monitor(process_area(p), system_watcher_get(&the_system_monitor.watcher));
}

Term erlang_system_monitor_1(Process *p, const Term *a) {
    if (a[0] == am_undefined)
        return set_monitor(p, am_undefined, NIL);
    if (!is_tuple_arity(a[0], 2))
        return fail_badarg(p);
    return set_monitor(p, tuple_elements(a[0])[0], tuple_elements(a[0])[1]);
}

Term erlang_system_monitor_2(Process *p, const Term *a) { return set_monitor(p, a[0], a[1]); }

/* {Event, Value}: as above; flags are `true` here, and with `false` an event is wanted no more. */
static bool change_monitor(Term t, SystemMonitor *m) {
    if (!is_tuple_arity(t, 2))
        return false;
    const Term *e = tuple_elements(t);
    bool is_off = e[1] == am_false, is_flag = e[0] == am_busy_port || e[0] == am_busy_dist_port;
    if (!is_off)
        return read_monitor_option(is_flag && e[1] == am_true ? e[0] : t, m);
    switch (e[0]) {
    case am_busy_port: m->busy_port = false; return true;
    case am_busy_dist_port: m->busy_dist_port = false; return true;
    case am_long_message_queue: m->queue_is_long = 0; return true;
    case am_long_gc: m->long_gc = 0; return true;
    case am_long_schedule: m->long_schedule = 0; return true;
    case am_large_heap: m->large_heap = 0; return true;
    default: return false;
    }
}

static bool change_all(Term options, SystemMonitor *m) {
    for (; is_list(options); options = list_tail(options))
        if (!change_monitor(list_head(options), m))
            return false;
    return is_nil(options);
}

static bool wants_nothing(const SystemMonitor *m) {
    return m->long_gc == 0 && m->long_schedule == 0 && m->large_heap == 0 && m->queue_is_long == 0 && !m->busy_port &&
           !m->busy_dist_port;
}

/* Under the lock of sessions. A tracer that has ended is forgotten with the next event. */
static bool set_of_session_locked(TraceSession *s, Term options) {
    SystemMonitor m = {.watcher.pid = s->tracer.term};
    const SystemWatcher *before = s->monitors != NULL ? system_watcher_at(&s->monitors->watcher) : NULL;
    if (before != NULL)
        m = *(const SystemMonitor *)before;
    if (!change_all(options, &m))
        return false;
    if (s->monitors == NULL)
        s->monitors = system_monitor_place_create();
    (void)system_watcher_set(&s->monitors->watcher, wants_nothing(&m) ? NULL : &m.watcher, sizeof m);
    return true;
}

static Term set_of_session(Process *p, TraceSession *s, Term options) {
    if (s == NULL || !is_local_pid(s->tracer.term))
        return fail_badarg(p);
    mutex_lock(&trace_sessions_lock);
    bool ok = !trace_session_is_over(s) && set_of_session_locked(s, options);
    mutex_unlock(&trace_sessions_lock);
    return ok ? am_ok : fail_badarg(p);
}

Term erts_internal_system_monitor_3(Process *p, const Term *a) {
    if (a[0] == am_legacy)
        return set_monitor(p, a[1], a[2]);
    return a[1] == am_session ? set_of_session(p, trace_session_of(a[0]), a[2]) : fail_badarg(p);
}

static const SystemWatcher *monitor_of_session(TraceSession *s) {
    mutex_lock(&trace_sessions_lock);
    const SystemWatcher *w =
        trace_session_is_over(s) || s->monitors == NULL ? NULL : system_watcher_at(&s->monitors->watcher);
    mutex_unlock(&trace_sessions_lock);
    return w;
}

Term erts_internal_system_monitor_1(Process *p, const Term *a) {
    if (a[0] == am_legacy)
        return erlang_system_monitor_0(p, a);
    TraceSession *s = trace_session_of(a[0]);
    return s == NULL ? fail_badarg(p) : settings_of_monitor(process_area(p), monitor_of_session(s));
}

static Term settings_of_profile(Area *area, const SystemWatcher *w) {
    const SystemProfile *s = (const SystemProfile *)w;
    if (s == NULL)
        return am_undefined;
    Term list = add_flag(area, am_runnable_ports, s->runnable_ports, NIL);
    list = add_flag(area, am_runnable_procs, s->runnable_procs, list);
    list = add_flag(area, am_scheduler, s->scheduler, list);
    list = add_flag(area, am_exclusive, s->exclusive, list);
    return area_tuple2(area, w->pid, list);
}

static bool read_profile_option(Term t, SystemProfile *s) {
    switch (t) {
    case am_exclusive: return s->exclusive = true;
    case am_scheduler: return s->scheduler = true;
    case am_runnable_procs: return s->runnable_procs = true;
    case am_runnable_ports: return s->runnable_ports = true;
    case am_timestamp: s->stamp = STAMP_WALL_CLOCK; return true;
    case am_monotonic_timestamp: s->stamp = STAMP_MONOTONIC; return true;
    case am_strict_monotonic_timestamp: s->stamp = STAMP_STRICT_MONOTONIC; return true;
    default: return false;
    }
}

Term erlang_system_profile_0(Process *p, const Term *a) {
    return settings_of_profile(process_area(p), system_watcher_get(&the_system_profile));
}

Term erlang_system_profile_2(Process *p, const Term *a) {
    if (a[0] == am_undefined || is_nil(a[1]))
        return settings_of_profile(process_area(p), system_watcher_set(&the_system_profile, NULL, 0));
    SystemProfile s = {.watcher.pid = a[0], .serial = system_profile_next_serial()};
    Term options = a[1];
    for (; is_list(options); options = list_tail(options))
        if (!read_profile_option(list_head(options), &s))
            return fail_badarg(p);
    if (!is_nil(options) || !is_local_pid(a[0]) || process_find(a[0]) == NULL)
        return fail_badarg(p);
    return settings_of_profile(process_area(p), system_watcher_set(&the_system_profile, &s.watcher, sizeof s));
}

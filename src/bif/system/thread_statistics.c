/*
 * What the threads do with their time. Source: erlang(3) statistics/1 (scheduler_wall_time, microstate_accounting,
 * garbage_collection), system_flag/2.
 *
 * The counters in process/thread_times.h never go back. What is told is counted from a moment on (when a flag was
 * switched on, or reset): `since` holds what they showed then. Microstates that are off stand still. The flag
 * scheduler_wall_time is on while somebody who asked for it lives and has not taken it back as often; so are the counts
 * per process. All under `lock`.
 */
#include "bif/system/thread_statistics.h"

#include <string.h>

#include "alloc/alloc.h"
#include "bif_table.h"
#include "process/thread_times.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/map.h"

typedef struct {
    int64_t at, slept, working, collecting;
} Figures;
/* One for each thread, by kind. */
typedef struct {
    Figures *of[THREAD_KINDS];
} Since;

typedef struct WallTimeUser {
    struct WallTimeUser *next;
    Term pid;
    int64_t count;
} WallTimeUser;

static Mutex lock = MUTEX_INITIALIZER(LOCK_THREAD_STATISTICS);
static Since wall_time_since;
static Since microstates_since, microstates_until; /* the latter while they are off */
static WallTimeUser *wall_time_users;
static bool wall_time_forced; /* by erts_internal:scheduler_wall_time/1, which counts nothing */
static _Atomic int wall_time_user_count;

static int64_t load(const _Atomic int64_t *n) { return atomic_load_explicit(n, memory_order_relaxed); }

static Figures figures_now(const ThreadTimes *t) {
    Figures f = {.at = clock_monotonic(), .working = load(&t->working), .collecting = load(&t->collecting)};
    int64_t since = load(&t->sleeping_since);
    f.slept = load(&t->slept) + (since && since < f.at ? f.at - since : 0);
    return f;
}

/* All 0 at first. */
static Figures *figures_of(Since *since, int kind) {
    if (!since->of[kind])
        since->of[kind] = mem_calloc(ALLOC_SCHEDULER, thread_times_count((ThreadKind)kind) * sizeof(Figures));
    return since->of[kind];
}

static void take_figures(Since *since) {
    for (int kind = THREAD_SCHEDULER; kind < THREAD_KINDS; kind++)
        for (unsigned i = 0; i < thread_times_count((ThreadKind)kind); i++)
            figures_of(since, kind)[i] = figures_now(thread_times_of((ThreadKind)kind, i));
}

/* What went by from `until` to now is not counted. */
static void leave_out(Since *since, Since *until) {
    for (int kind = THREAD_SCHEDULER; kind < THREAD_KINDS; kind++)
        for (unsigned i = 0; i < thread_times_count((ThreadKind)kind); i++) {
            Figures now = figures_now(thread_times_of((ThreadKind)kind, i)), then = figures_of(until, kind)[i];
            Figures *from = &figures_of(since, kind)[i];
            from->at += now.at - then.at;
            from->slept += now.slept - then.slept;
            from->working += now.working - then.working;
            from->collecting += now.collecting - then.collecting;
        }
}

/* A thread may wake between two of our reads: nothing is told that is less than nothing. */
static Figures figures_between(Since *since, Figures now, ThreadKind kind, unsigned number) {
    Figures then = figures_of(since, kind)[number];
    now.at -= then.at;
    now.slept = now.slept > then.slept ? now.slept - then.slept : 0;
    now.slept = now.slept < now.at ? now.slept : now.at;
    now.working -= then.working;
    now.collecting -= then.collecting;
    return now;
}

static Term number(Process *p, int64_t n) { return integer_from_int64(process_area(p), n > 0 ? n : 0); }

/* Wall time */

static bool wall_time_is_on(void) { return wall_time_users || wall_time_forced; }

Term statistics_wall_time(Process *p, bool all) {
    Area *area = process_area(p);
    Term list = NIL;
    unsigned id = 0;
    ThreadKind last = all ? THREAD_DIRTY_IO : THREAD_DIRTY_CPU;
    for (int kind = THREAD_SCHEDULER; kind <= (int)last; kind++)
        id += thread_times_count((ThreadKind)kind);
    mutex_lock(&lock);
    bool on = wall_time_is_on();
    for (int kind = (int)last; on && kind >= THREAD_SCHEDULER; kind--)
        for (unsigned i = thread_times_count((ThreadKind)kind); i-- > 0; id--) {
            Figures now = figures_now(thread_times_of((ThreadKind)kind, i));
            Figures f = figures_between(&wall_time_since, now, (ThreadKind)kind, i);
            Term entry = area_tuple3(area, small_make(id), number(p, f.at - f.slept), number(p, f.at));
            list = area_cons(area, entry, list);
        }
    mutex_unlock(&lock);
    return on ? list : am_undefined;
}

static WallTimeUser **user_place(Term pid) {
    WallTimeUser **place = &wall_time_users;
    while (*place && (*place)->pid != pid)
        place = &(*place)->next;
    return place;
}

static void user_remove(WallTimeUser **place) {
    WallTimeUser *user = *place;
    *place = user->next;
    mem_free(ALLOC_SCHEDULER, user);
    atomic_fetch_sub(&wall_time_user_count, 1);
}

static void user_count(Term pid, bool up) {
    WallTimeUser **place = user_place(pid);
    if (up && !*place) {
        *place = mem_alloc(ALLOC_SCHEDULER, sizeof **place);
        **place = (WallTimeUser){.pid = pid};
        atomic_fetch_add(&wall_time_user_count, 1);
    }
    if (*place) {
        (*place)->count += up ? 1 : -1;
        if ((*place)->count == 0)
            user_remove(place);
    }
}

Term set_scheduler_wall_time(Process *p, Term value) {
    if (value != am_true && value != am_false)
        return fail_badarg(p);
    mutex_lock(&lock);
    bool old = wall_time_is_on();
    if (value == am_true && !old)
        take_figures(&wall_time_since);
    user_count(p->pid, value == am_true);
    mutex_unlock(&lock);
    return bool_term(old);
}

bool wall_time_process_exit(Process *p, int64_t *reductions) {
    if (likely(atomic_load(&wall_time_user_count) == 0))
        return true;
    mutex_lock(&lock);
    WallTimeUser **place = user_place(p->pid);
    if (*place)
        user_remove(place);
    mutex_unlock(&lock);
    return true;
}

/* For the stock kernel's own counting of users. */
Term erts_internal_scheduler_wall_time_1(Process *p, const Term *a) {
    if (a[0] != am_true && a[0] != am_false)
        return fail_badarg(p);
    mutex_lock(&lock);
    bool old = wall_time_is_on();
    if (a[0] == am_true && !old)
        take_figures(&wall_time_since);
    wall_time_forced = a[0] == am_true;
    mutex_unlock(&lock);
    return bool_term(old);
}

/* Microstates. What is not measured apart here (other system work, ports, polling) is 0, or in `other`. */

static Term counters_map(Process *p, const Figures *f) {
    int64_t emulator = f->working - f->collecting, other = f->at - f->slept - f->working;
    Term pairs[] = {
        am_aux,      small_make(0),       am_check_io, small_make(0),
        am_emulator, number(p, emulator), am_gc,       number(p, f->collecting),
        am_other,    number(p, other),    am_port,     small_make(0),
        am_sleep,    number(p, f->slept),
    };
    return map_from_pairs(process_area(p), pairs, array_length(pairs) / 2);
}

Term statistics_microstates(Process *p) {
    static const Term types[] = {am_undefined, am_scheduler, am_dirty_cpu_scheduler, am_dirty_io_scheduler};
    Area *area = process_area(p);
    Term list = NIL;
    mutex_lock(&lock);
    bool on = atomic_load(&thread_times_are_exact);
    for (int kind = THREAD_KINDS - 1; kind >= THREAD_SCHEDULER; kind--)
        for (unsigned i = thread_times_count((ThreadKind)kind); i-- > 0;) {
            Figures now = figures_of(&microstates_until, kind)[i];
            if (on)
                now = figures_now(thread_times_of((ThreadKind)kind, i));
            Figures f = figures_between(&microstates_since, now, (ThreadKind)kind, i);
            Term pairs[] = {am_counters, counters_map(p, &f), am_id, small_make(i + 1), am_type, types[kind]};
            list = area_cons(area, map_from_pairs(area, pairs, array_length(pairs) / 2), list);
        }
    mutex_unlock(&lock);
    return list;
}

Term set_microstate_accounting(Process *p, Term value) {
    if (value != am_true && value != am_false && value != am_reset)
        return fail_badarg(p);
    mutex_lock(&lock);
    bool old = atomic_load(&thread_times_are_exact);
    if (value == am_reset)
        take_figures(&microstates_since);
    if (value == am_true && !old)
        leave_out(&microstates_since, &microstates_until);
    if (value == am_false && old)
        take_figures(&microstates_until);
    for (int kind = THREAD_SCHEDULER; kind < THREAD_KINDS && value == am_reset && !old; kind++)
        memcpy(figures_of(&microstates_until, kind), figures_of(&microstates_since, kind),
               thread_times_count((ThreadKind)kind) * sizeof(Figures));
    if (value != am_reset)
        atomic_store(&thread_times_are_exact, value == am_true);
    mutex_unlock(&lock);
    return bool_term(old);
}

Term statistics_collections(Process *p) {
    int64_t collections, words;
    thread_times_collections(&collections, &words);
    return area_tuple3(process_area(p), number(p, collections), number(p, words), small_make(0));
}

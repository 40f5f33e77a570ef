#include "alloc/alloc.h"
#include "am.h"
#include "code/ranges.h"
#include "process/message.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "process/system_monitor.h"
#include "process/timer.h"
#include "term/integer.h"

_Atomic(SystemProfile *) the_system_profile;

static void free_profile(ProgressNode *node) { mem_free(ALLOC_TRACE, container_of(node, SystemProfile, progress)); }

static void drop(SystemProfile *s) {
    s->progress.run = free_profile;
    thread_progress_later(&s->progress);
}

const SystemProfile *system_profile_set(SystemProfile *s) {
    static _Atomic uint32_t serial;
    while (s != NULL && s->serial == 0)
        s->serial = atomic_fetch_add(&serial, 1);
    SystemProfile *before = atomic_exchange(&the_system_profile, s);
    if (before == NULL)
        return NULL;
    drop(before);
    return process_find(before->pid) != NULL ? before : NULL;
}

static void forget(SystemProfile *s) {
    if (atomic_compare_exchange_strong(&the_system_profile, &s, NULL))
        drop(s);
}

const SystemProfile *system_profile_get(void) {
    SystemProfile *s = atomic_load(&the_system_profile);
    if (s == NULL || process_find(s->pid) != NULL)
        return s;
    forget(s);
    return NULL;
}

#define STAMP_WORDS 10

static Term stamp(Area *area, ProfileStamp kind) {
    if (kind == PROFILE_TIMESTAMP) {
        int64_t us = now_microseconds();
        return area_tuple3(area, small_make(us / 1000000000000), small_make(us / 1000000 % 1000000),
                           small_make(us % 1000000));
    }
    Term now = integer_from_int64(area, monotonic_time());
    if (kind == PROFILE_MONOTONIC)
        return now;
    return area_tuple2(area, now, integer_from_int64(area, unique_integer_next_monotonic()));
}

static void send(SystemProfile *s, Area *area, Fragment *f, const Term *elements, unsigned count) {
    Term tuple = area_tuple(area, elements, count);
    message_area_end(area, f);
    Message *m = message_create_with(tuple, f, NON_VALUE);
    m->token = TOKEN_OF_RUNTIME;
    if (signal_send(s->pid, &m->signal))
        return;
    message_free(m);
    forget(s);
}

/* Where it is, or 0 when it is nowhere any more. */
static Term place_of(const Process *p, Area *area) {
    CodePlace place;
    if (process_is_exiting(p))
        return small_make(0);
    if (p->ip == NULL || !range_place(p->ip, &place))
        return area_tuple3(area, p->initial_module, p->initial_function, small_make((SWord)p->initial_arity));
    const FunctionHeader *f = place.function;
    return area_tuple3(area, f->module, f->function, small_make((SWord)f->arity));
}

void system_profile_process_slow(Process *p, bool active) {
    SystemProfile *s = atomic_load_explicit(&the_system_profile, memory_order_acquire);
    if (s == NULL || !s->runnable_procs || s->pid == p->pid || active == (p->profiled == s->serial))
        return;
    p->profiled = active ? s->serial : 0;
    Area area;
    Fragment *f = message_area_begin(&area, STAMP_WORDS + 4 + 6);
    Term elements[] = {am_profile, p->pid, active ? am_active : am_inactive, place_of(p, &area),
                       stamp(&area, s->stamp)};
    send(s, &area, f, elements, array_length(elements));
}

/* Of all schedulers but this one. */
static unsigned others_active(unsigned number) {
    unsigned count = 0;
    for (unsigned i = 0; i < run_queue_count(); i++)
        if (i + 1 != number && !atomic_load_explicit(&run_queue_at(i)->is_sleeping, memory_order_relaxed))
            count++;
    return count;
}

void system_profile_scheduler_slow(unsigned number, bool active) {
    SystemProfile *s = atomic_load_explicit(&the_system_profile, memory_order_acquire);
    if (s == NULL || !s->scheduler)
        return;
    Area area;
    Fragment *f = message_area_begin(&area, STAMP_WORDS + 7);
    Term elements[] = {am_profile, am_scheduler, small_make(number), active ? am_active : am_inactive,
                       small_make(others_active(number) + (active ? 1 : 0)), stamp(&area, s->stamp)};
    send(s, &area, f, elements, array_length(elements));
}

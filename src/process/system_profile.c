#include "process/system_profile.h"

#include "am.h"
#include "process/message.h"
#include "process/place.h"
#include "process/run_queue.h"

SystemWatcherPlace the_system_profile;

uint32_t system_profile_next_serial(void) {
    static _Atomic uint32_t serial;
    uint32_t next;
    do
        next = atomic_fetch_add(&serial, 1);
    while (next == 0);
    return next;
}

static SystemProfile *profile(void) { return (SystemProfile *)system_watcher_at(&the_system_profile); }

static void tell(SystemProfile *s, Area *area, Fragment *f, const Term *elements, unsigned count) {
    system_watcher_tell(&the_system_profile, &s->watcher, area, f, area_tuple(area, elements, count));
}

static Term stamp(Area *area, const SystemProfile *s) {
    return stamp_now(area, s->stamp == STAMP_WALL_CLOCK ? stamp_of_timestamp() : s->stamp);
}

static void tell_actor(SystemProfile *s, Process *p, bool active) {
    if (s->watcher.pid == p->pid || active == (p->profiled == s->serial))
        return;
    p->profiled = active ? s->serial : 0;
    Area area;
    Fragment *f = message_area_begin(&area, STAMP_WORDS + 4 + 6);
    Term place = p->body == NULL ? place_of_process(p, &area) : small_make(0);
    Term elements[] = {am_profile, p->pid, active ? am_active : am_inactive, place, stamp(&area, s)};
    tell(s, &area, f, elements, array_length(elements));
}

void system_profile_process_slow(Process *p, bool active) {
    SystemProfile *s = profile();
    if (s != NULL && s->runnable_procs)
        tell_actor(s, p, active);
}

void system_profile_port_slow(Process *port, bool active) {
    SystemProfile *s = profile();
    if (s != NULL && s->runnable_ports)
        tell_actor(s, port, active);
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
    SystemProfile *s = profile();
    if (s == NULL || !s->scheduler)
        return;
    Area area;
    Fragment *f = message_area_begin(&area, STAMP_WORDS + 7);
    Term elements[] = {am_profile,
                       am_scheduler,
                       small_make(number),
                       active ? am_active : am_inactive,
                       small_make(others_active(number) + (active ? 1 : 0)),
                       stamp(&area, s)};
    tell(s, &area, f, elements, array_length(elements));
}

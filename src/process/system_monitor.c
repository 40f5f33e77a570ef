#include "process/system_monitor.h"

#include "alloc/alloc.h"
#include "am.h"
#include "base/thread_progress.h"
#include "process/message.h"
#include "process/place.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "term/integer.h"

SystemMonitorPlace the_system_monitor;
static Mutex lock = MUTEX_INITIALIZER(LOCK_SYSTEM_MONITOR); /* of who changes which places there are */
static _Atomic uint64_t last_serial;

typedef struct LongQueue {
    struct LongQueue *next;
    uint64_t serial; /* of the place that was told */
} LongQueue;

SystemMonitorPlace *system_monitor_place_create(void) {
    SystemMonitorPlace *place = mem_calloc(ALLOC_TRACE, sizeof *place);
    place->serial = atomic_fetch_add(&last_serial, 1) + 1;
    mutex_lock(&lock);
    atomic_store(&place->next, atomic_load(&the_system_monitor.next));
    atomic_store_explicit(&the_system_monitor.next, place, memory_order_release);
    mutex_unlock(&lock);
    return place;
}

static void free_place(ProgressNode *node) { mem_free(ALLOC_TRACE, container_of(node, SystemMonitorPlace, progress)); }

void system_monitor_place_end(SystemMonitorPlace *place) {
    mutex_lock(&lock);
    SystemMonitorPlace *before = &the_system_monitor;
    while (atomic_load(&before->next) != place)
        before = atomic_load(&before->next);
    atomic_store_explicit(&before->next, atomic_load(&place->next), memory_order_release);
    mutex_unlock(&lock);
    (void)system_watcher_set(&place->watcher, NULL, 0);
    place->progress.run = free_place;
    thread_progress_later(&place->progress);
}

static SystemMonitorPlace *place_after(SystemMonitorPlace *place) {
    return atomic_load_explicit(&place->next, memory_order_acquire);
}

/* {monitor, Pid, What, Info}; `info` is a term of `area`. */
static void tell(const Process *p, SystemMonitorPlace *at, SystemMonitor *m, Area *area, Fragment *f, Term what,
                 Term info) {
    system_watcher_tell(&at->watcher, &m->watcher, area, f, area_tuple4(area, am_monitor, p->pid, what, info));
}

/* Who is to hear of p there, if anyone. */
static SystemMonitor *watcher_of(const Process *p, SystemMonitorPlace *at) {
    SystemWatcher *w = system_watcher_at(&at->watcher);
    return w != NULL && w->pid != p->pid ? (SystemMonitor *)w : NULL;
}

#define PAIR_WORDS (2 + 3 + 2) /* a cell, a pair, and a number that is no small */

static Term pair(Area *area, Term key, uint64_t value, Term list) {
    return area_cons(area, area_tuple2(area, key, integer_from_uint64(area, value)), list);
}

static Term heap_list(Area *area, const Heap *h) {
    Term list = pair(area, am_heap_size, (uint64_t)(h->area.top - h->start), NIL);
    list = pair(area, am_old_heap_size, (uint64_t)(h->old_top - h->old_start), list);
    list = pair(area, am_stack_size, (uint64_t)(h->end - h->area.limit), list);
    list = pair(area, am_mbuf_size, h->fragment_words, list);
    list = pair(area, am_heap_block_size, heap_size_words(h), list);
    return pair(area, am_old_heap_block_size, (uint64_t)(h->old_end - h->old_start), list);
}

static void tell_collected(const Process *p, SystemMonitorPlace *at, int64_t nanoseconds) {
    SystemMonitor *m = watcher_of(p, at);
    uint64_t ms = (uint64_t)nanoseconds / NANOSECONDS_PER_MILLISECOND;
    Area area;
    if (m == NULL)
        return;
    if (m->long_gc != 0 && ms >= m->long_gc) {
        Fragment *f = message_area_begin(&area, 7 * PAIR_WORDS + 5);
        tell(p, at, m, &area, f, am_long_gc, pair(&area, am_timeout, ms, heap_list(&area, &p->heap)));
    }
    size_t blocks = heap_size_words(&p->heap) + (size_t)(p->heap.old_end - p->heap.old_start);
    if (m->large_heap != 0 && blocks >= m->large_heap) {
        Fragment *f = message_area_begin(&area, 6 * PAIR_WORDS + 5);
        tell(p, at, m, &area, f, am_large_heap, heap_list(&area, &p->heap));
    }
}

/* On a dirty thread too (a collection after a call there), which is not online. */
void system_monitor_collected(Process *p, int64_t nanoseconds) {
    thread_progress_enter();
    for (SystemMonitorPlace *at = &the_system_monitor; at != NULL; at = place_after(at))
        tell_collected(p, at, nanoseconds);
    thread_progress_leave();
}

static Term place(Area *area, const Word *address) {
    CodePlace place;
    return address != NULL && range_place(address, &place) ? place_mfa(area, &place) : am_undefined;
}

static void tell_ran(const Process *p, SystemMonitorPlace *at, const Word *in, int64_t nanoseconds) {
    SystemMonitor *m = watcher_of(p, at);
    uint64_t ms = (uint64_t)nanoseconds / NANOSECONDS_PER_MILLISECOND;
    if (m == NULL || m->long_schedule == 0 || ms < m->long_schedule)
        return;
    Area area;
    Fragment *f = message_area_begin(&area, 3 * PAIR_WORDS + 2 * 4 + 5);
    Term out = area_tuple2(&area, am_out, process_is_exiting(p) ? am_undefined : place(&area, process_place(p)));
    Term list = area_cons(&area, out, NIL);
    list = area_cons(&area, area_tuple2(&area, am_in, place(&area, in)), list);
    tell(p, at, m, &area, f, am_long_schedule, pair(&area, am_timeout, ms, list));
}

void system_monitor_ran(Process *p, const Word *in, int64_t nanoseconds) {
    for (SystemMonitorPlace *at = &the_system_monitor; at != NULL; at = place_after(at))
        tell_ran(p, at, in, nanoseconds);
}

static void tell_port_ran(const Process *port, SystemMonitorPlace *at, Term operation, int64_t nanoseconds) {
    SystemMonitor *m = watcher_of(port, at);
    uint64_t ms = (uint64_t)nanoseconds / NANOSECONDS_PER_MILLISECOND;
    if (m == NULL || m->long_schedule == 0 || ms < m->long_schedule)
        return;
    Area area;
    Fragment *f = message_area_begin(&area, 2 * PAIR_WORDS + 5);
    Term list = area_cons(&area, area_tuple2(&area, am_port_op, operation), NIL);
    tell(port, at, m, &area, f, am_long_schedule, pair(&area, am_timeout, ms, list));
}

void system_monitor_port_ran(const Process *port, Term operation, int64_t nanoseconds) {
    for (SystemMonitorPlace *at = &the_system_monitor; at != NULL; at = place_after(at))
        tell_port_ran(port, at, operation, nanoseconds);
}

void system_monitor_busy_port_slow(const Process *p, Term port, bool is_of_node) {
    for (SystemMonitorPlace *at = &the_system_monitor; at != NULL; at = place_after(at)) {
        SystemMonitor *m = watcher_of(p, at);
        if (m == NULL || !(is_of_node ? m->busy_dist_port : m->busy_port))
            continue;
        Area area;
        Fragment *f = message_area_begin(&area, 5);
        tell(p, at, m, &area, f, is_of_node ? am_busy_dist_port : am_busy_port, port);
    }
}

/* Where the note stands that `serial` was told, or where it would. */
static LongQueue **note_of(Process *p, uint64_t serial) {
    LongQueue **note = &p->long_queues;
    while (*note != NULL && (*note)->serial != serial)
        note = &(*note)->next;
    return note;
}

static void add_note(Process *p, uint64_t serial) {
    LongQueue *note = mem_alloc(ALLOC_TRACE, sizeof *note);
    *note = (LongQueue){p->long_queues, serial};
    p->long_queues = note;
    p->flags |= FLAG_LONG_QUEUE;
}

static void drop_note(Process *p, LongQueue **note) {
    LongQueue *dropped = *note;
    *note = dropped->next;
    mem_free(ALLOC_TRACE, dropped);
    if (p->long_queues == NULL)
        p->flags &= ~(uint32_t)FLAG_LONG_QUEUE;
}

static void look_for(Process *p, SystemMonitorPlace *at) {
    SystemMonitor *m = watcher_of(p, at);
    LongQueue **note = note_of(p, at->serial);
    bool was_long = *note != NULL, is_wanted = m != NULL && m->queue_is_long != 0;
    bool is_long = is_wanted && p->message_count >= (was_long ? m->queue_leaves + 1 : m->queue_is_long);
    if (is_long == was_long)
        return;
    if (is_long)
        add_note(p, at->serial);
    else
        drop_note(p, note);
    if (!is_wanted)
        return;
    Area area;
    Fragment *f = message_area_begin(&area, 5);
    tell(p, at, m, &area, f, am_long_message_queue, is_long ? am_true : am_false);
}

static bool is_there(uint64_t serial) {
    for (SystemMonitorPlace *at = &the_system_monitor; at != NULL; at = place_after(at))
        if (at->serial == serial)
            return true;
    return false;
}

static void drop_notes_of_gone(Process *p) {
    for (LongQueue **note = &p->long_queues; *note != NULL;) {
        if (is_there((*note)->serial))
            note = &(*note)->next;
        else
            drop_note(p, note);
    }
}

void system_monitor_queue(Process *p) {
    for (SystemMonitorPlace *at = &the_system_monitor; at != NULL; at = place_after(at))
        look_for(p, at);
    if (p->long_queues != NULL)
        drop_notes_of_gone(p);
}

void system_monitor_forget(Process *p) {
    while (p->long_queues != NULL)
        drop_note(p, &p->long_queues);
}

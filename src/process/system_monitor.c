#include "process/system_monitor.h"

#include "am.h"
#include "base/thread_progress.h"
#include "process/message.h"
#include "process/place.h"
#include "sys/clock.h"
#include "term/integer.h"

SystemWatcherPlace the_system_monitor;

/* {monitor, Pid, What, Info}; `info` is a term of `area`. */
static void tell(const Process *p, SystemMonitor *m, Area *area, Fragment *f, Term what, Term info) {
    system_watcher_tell(&the_system_monitor, &m->watcher, area, f, area_tuple4(area, am_monitor, p->pid, what, info));
}

/* Who is to hear of p, if anyone. */
static SystemMonitor *watcher_of(const Process *p) {
    SystemWatcher *w = system_watcher_at(&the_system_monitor);
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

static void tell_collected(const Process *p, int64_t nanoseconds) {
    SystemMonitor *m = watcher_of(p);
    uint64_t ms = (uint64_t)nanoseconds / NANOSECONDS_PER_MILLISECOND;
    Area area;
    if (m == NULL)
        return;
    if (m->long_gc != 0 && ms >= m->long_gc) {
        Fragment *f = message_area_begin(&area, 7 * PAIR_WORDS + 5);
        tell(p, m, &area, f, am_long_gc, pair(&area, am_timeout, ms, heap_list(&area, &p->heap)));
    }
    size_t blocks = heap_size_words(&p->heap) + (size_t)(p->heap.old_end - p->heap.old_start);
    if (m->large_heap != 0 && blocks >= m->large_heap) {
        Fragment *f = message_area_begin(&area, 6 * PAIR_WORDS + 5);
        tell(p, m, &area, f, am_large_heap, heap_list(&area, &p->heap));
    }
}

/* On a dirty thread too (a collection after a call there), which is not online. */
void system_monitor_collected(Process *p, int64_t nanoseconds) {
    thread_progress_enter();
    tell_collected(p, nanoseconds);
    thread_progress_leave();
}

static Term place(Area *area, const Word *address) {
    CodePlace place;
    return address != NULL && range_place(address, &place) ? place_mfa(area, &place) : am_undefined;
}

void system_monitor_ran(Process *p, const Word *in, int64_t nanoseconds) {
    SystemMonitor *m = watcher_of(p);
    uint64_t ms = (uint64_t)nanoseconds / NANOSECONDS_PER_MILLISECOND;
    if (m == NULL || m->long_schedule == 0 || ms < m->long_schedule)
        return;
    Area area;
    Fragment *f = message_area_begin(&area, 3 * PAIR_WORDS + 2 * 4 + 5);
    Term out = area_tuple2(&area, am_out, process_is_exiting(p) ? am_undefined : place(&area, process_place(p)));
    Term list = area_cons(&area, out, NIL);
    list = area_cons(&area, area_tuple2(&area, am_in, place(&area, in)), list);
    tell(p, m, &area, f, am_long_schedule, pair(&area, am_timeout, ms, list));
}

void system_monitor_queue(Process *p) {
    SystemMonitor *m = watcher_of(p);
    bool was_long = (p->flags & FLAG_LONG_QUEUE) != 0;
    if (m == NULL || m->queue_is_long == 0) {
        p->flags &= ~(uint32_t)FLAG_LONG_QUEUE;
        return;
    }
    bool is_long = was_long ? p->message_count > m->queue_leaves : p->message_count >= m->queue_is_long;
    if (is_long == was_long)
        return;
    p->flags ^= FLAG_LONG_QUEUE;
    Area area;
    Fragment *f = message_area_begin(&area, 5);
    tell(p, m, &area, f, am_long_message_queue, is_long ? am_true : am_false);
}

#include "port/library_tell.h"

#include "alloc/alloc.h"
#include "base/visitor.h"
#include "process/message.h"
#include "process/reference.h"
#include "term/atom.h"

#define SIX_WORDS 6

/* {Kind, Ref, driver, Name, What}; `what` is immediate, or lies in the area. */
static Term notice(Area *area, const DriverLibrary *l, const LibraryMonitor *m, Term kind, Term what) {
    Term elements[] = {kind, reference_of_key(area, m->key), am_driver, atom_from_cstring(l->name), what};
    return area_tuple(area, elements, array_length(elements));
}

/* NON_VALUE: `what` as it is; else {what, Failure}. */
static Term with_failure(Area *area, Term what, Term why) {
    if (!is_value(why))
        return what;
    return area_tuple2(area, what, is_small(why) ? area_tuple2(area, am_open_error, why) : why);
}

static void tell(const DriverLibrary *l, const LibraryMonitor *monitor, Term kind, Term what, Term why) {
    FragmentArea built;
    fragment_area_init(&built, 4 * SIX_WORDS);
    Term term = notice(&built.area, l, monitor, kind, with_failure(&built.area, what, why));
    Message *m = message_create_with(term, fragment_area_finish(&built), NON_VALUE);
    m->token = TOKEN_OF_RUNTIME;
    visitor_enter();
    signal_send_or_drop(monitor->pid, &m->signal);
    visitor_leave();
}

static bool is_meant(const LibraryMonitor *m, LibraryAwait await) {
    return m->await == await || (await == AWAIT_UNLOADED && m->await == AWAIT_UNLOADED_ONLY);
}

static void tell_if(DriverLibrary *l, bool meant(const LibraryMonitor *, LibraryAwait), LibraryAwait await, Term kind,
                    Term what, Term why) {
    for (LibraryMonitor **at = &l->monitors, *m; (m = *at) != NULL;) {
        if (!meant(m, await)) {
            at = &m->next;
            continue;
        }
        tell(l, m, kind, what, why);
        *at = m->next;
        mem_free(ALLOC_PORT, m);
    }
}

void library_tell(DriverLibrary *l, LibraryAwait await, Term kind, Term what) {
    tell_if(l, is_meant, await, kind, what, NON_VALUE);
}

void library_tell_failure(DriverLibrary *l, Term why) {
    tell_if(l, is_meant, AWAIT_LOADED, am_DOWN, am_load_failure, why);
}

static bool is_same(const LibraryMonitor *m, LibraryAwait await) { return m->await == await; }

void library_tell_cancelled(DriverLibrary *l) {
    tell_if(l, is_same, AWAIT_UNLOADED, am_UP, am_unload_cancelled, NON_VALUE);
}

void library_forget_monitors(DriverLibrary *l, Term pid, uint64_t key) {
    for (LibraryMonitor **at = &l->monitors, *m; (m = *at) != NULL;) {
        if (m->pid != pid || (key != 0 && m->key != key)) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        mem_free(ALLOC_PORT, m);
    }
}

static size_t count_of(const LibraryMonitor *from, Term pid, bool load) {
    size_t count = 0;
    for (const LibraryMonitor *m = from; m != NULL; m = m->next)
        count += m->pid == pid && (m->await == AWAIT_LOADED) == load;
    return count;
}

static bool came_before(const DriverLibrary *l, const LibraryMonitor *m, bool load) {
    for (const LibraryMonitor *b = l->monitors; b != m; b = b->next)
        if (b->pid == m->pid && (b->await == AWAIT_LOADED) == load)
            return true;
    return false;
}

Term library_awaiting(const DriverLibrary *l, bool load, Area *area) {
    Term list = NIL;
    for (const LibraryMonitor *m = l->monitors; m != NULL; m = m->next)
        if ((m->await == AWAIT_LOADED) == load && !came_before(l, m, load))
            list = area_cons(area, area_tuple2(area, m->pid, small_make((int64_t)count_of(m, m->pid, load))), list);
    return list;
}

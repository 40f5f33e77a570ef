#include "process/rest.h"

#include "alloc/who.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "process/run_queue.h"
#include "process/trace_point.h"

#define NOT_AT_REST (STATE_RUNNING | STATE_QUEUED | STATE_DIRTY | STATE_FREE | STATE_LEFT)

/* What has begun to end, or has tasks, is about to run. */
static bool begin(Process *p) {
    uint32_t state = atomic_load(&p->state);
    do {
        if ((state & NOT_AT_REST) || process_state_has_work(state))
            return false;
    } while (!atomic_compare_exchange_weak(&p->state, &state, (state & ~STATE_HAS_BOUND) | STATE_RUNNING));
    if (state & STATE_HAS_BOUND)
        process_table_set_bound(p, BIRTH_NEVER);
    return true;
}

/* As a scheduler leaves one that waits: who pushes onto the empty list, and he, see each other. */
static void end(Process *p, uint32_t bound) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed), left;
    do {
        left = (state & ~STATE_RUNNING) | bound;
        if (process_state_has_work(left) || atomic_load_explicit(&p->signals_in, memory_order_relaxed) != NULL)
            left = (left & ~STATE_HAS_BOUND) | STATE_QUEUED;
    } while (!atomic_compare_exchange_weak(&p->state, &state, left));
    race_window("a process was looked at, signals may have come");
    if (left & STATE_QUEUED) {
        process_table_set_bound(p, BIRTH_NEVER);
        run_queue_add(p);
    } else if (atomic_load(&p->signals_in) != NULL) {
        process_wake(p);
    }
}

bool rest_look(Process *p, RestLook *look, const void *data) {
    if (!begin(p))
        return false;
    race_window("a process is looked at");
    bool is_free = !look(p, data), is_quiet = atomic_load(&p->signals_in) == NULL;
    if (is_quiet)
        process_table_set_bound(p, birth_newest());
    end(p, is_quiet ? STATE_HAS_BOUND : 0);
    return is_free && is_quiet;
}

static void do_it(Process *p, RestDeed *deed, const void *data) {
    LONG_WORK_FORBID;
    ALLOC_FOR(p->pid);
    deed(p, data);
}

bool rest_do(Process *p, RestDeed *deed, const void *data) {
    if (!begin(p))
        return false;
    assume(p->signals_begun == NULL);
    bool is_to_be_told = p->trace != NULL || trace_is_behind(p) || p->untold != NULL;
    bool is_done = !is_to_be_told && atomic_load(&p->signals_in) == NULL;
    if (likely(is_done))
        do_it(p, deed, data);
    race_window("something is done to a process");
    end(p, 0);
    return is_done;
}

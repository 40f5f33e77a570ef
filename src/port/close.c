#include "port/close.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "port/busy.h"
#include "port/callback.h"
#include "port/closing.h"
#include "port/data_lock.h"
#include "port/driver_use.h"
#include "port/halting.h"
#include "port/hold.h"
#include "port/kept_back.h"
#include "port/output.h"
#include "port/select.h"
#include "port/timer.h"
#include "port/trace.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/request.h"
#include "process/signal_handle.h"
#include "term/atom.h"

#define COST_OF_SIGNAL 10
#define COST_OF_CALLBACK 200

static void free_later(ProgressNode *node) { port_release(container_of(node, Port, progress)); }

static void call_stop(Port *port) {
    if (!port->is_started)
        return;
    port->is_started = false;
    port_timer_cancel(port);
    port_callback_begin(port);
    if (port->driver->entry->stop != NULL)
        port->driver->entry->stop(port->data);
    port_callback_end(port);
}

/* What its driver has queued is still to be written. */
static bool writes_still(const Port *port) { return port->close_flushes && port_queue_bytes(port) > 0; }

bool port_close_is_told_first(Port *port, Signal *s) {
    bool is_answered = s->kind == SIGNAL_LINK || s->kind == SIGNAL_MONITOR;
    if (!is_answered || !is_value(port->told_closed) || writes_still(port))
        return false;
    s->next = port->late;
    port->late = s;
    return true;
}

/* `left` is what came after those. */
static void answer_late(Port *port, Signal *left) {
    Signal *oldest = NULL, **end = &left;
    while (*end != NULL)
        end = &(*end)->next;
    *end = port->late;
    port->late = NULL;
    for (Signal *next; left != NULL; left = next) {
        next = left->next;
        left->next = oldest;
        oldest = left;
    }
    for (Signal *next; oldest != NULL; oldest = next) {
        next = oldest->next;
        port->actor.body->handle(&port->actor, oldest);
    }
}

static void end(Port *port) {
    Process *a = &port->actor;
    atomic_fetch_or(&a->state, STATE_FREE);
    port_leave_lists(port);
    port_table_remove(a->pid);
    race_window("a port is gone from the table, and still told");
    Signal *left = signal_list_close(a);
    if (is_value(port->told_closed))
        port_tell(port, port->told_closed, am_closed);
    port->told_closed = NON_VALUE;
    answer_late(port, left);
    if (port->peer != NULL)
        port->peer->leave(port->peer);
    port->peer = NULL;
    port_queue_release(port);
    port_halt_look(port, true);
    trace_points.release(a);
    driver_leave_for_good(port);
    port->progress.run = free_later;
    thread_progress_later(&port->progress);
}

/* Calls `next` until it has nothing left (true), or the slice is over. */
static bool tell_all(Port *port, bool (*next)(Process *, Term)) {
    while (port->actor.reductions > 0) {
        if (!next(&port->actor, kept_term(&port->reason)))
            return true;
        port->actor.reductions -= COST_OF_SIGNAL;
    }
    return false;
}

static bool monitors_end(Port *port) {
    while (port->actor.reductions > 0) {
        if (!monitor_release_next(&port->actor))
            return true;
        port->actor.reductions -= COST_OF_SIGNAL;
    }
    return false;
}

/* Its driver has not said whether it has begun: it has, and ended. */
static void answer_opener(Port *port) {
    if (port->open_request != 0)
        request_reply(port->opener, port->open_request, port_id(port));
    port->open_request = 0;
}

/* False: the slice is over, or the driver still writes. */
static bool do_step(Port *port) {
    switch (port->step) {
    case CLOSE_LINKS:
        watchers_first_down(&port->actor, kept_term(&port->reason));
        return tell_all(port, link_exit_next);
    case CLOSE_WATCHERS: return tell_all(port, watcher_down_next);
    case CLOSE_MONITORS: return monitors_end(port);
    case CLOSE_WAITING:
        answer_opener(port);
        port_wake_waiting(port);
        return port_kept_back_goes_on(port);
    case CLOSE_FLUSH:
        if (writes_still(port))
            port_call_flush(port);
        port->actor.reductions -= COST_OF_CALLBACK;
        return true;
    case CLOSE_WRITE: return !writes_still(port);
    default: call_stop(port); return true;
    }
}

/* There is a slice for it, however little is left of that of who closes it; what is used of it is taken from his. */
void port_close_tell(Port *port) {
    int64_t left = port->actor.reductions;
    port->actor.reductions = REDUCTIONS_PER_SLICE;
    while (port->step < CLOSE_WAITING && do_step(port))
        port->step++;
    port->actor.reductions += left - REDUCTIONS_PER_SLICE;
}

ActorNext port_close_goes_on(Process *actor) {
    Port *port = port_of(actor);
    while (port->step <= CLOSE_STOP) {
        race_window("between two steps of a port's end");
        if (!do_step(port))
            return port->step == CLOSE_WRITE ? ACTOR_WAITS : ACTOR_GOES_ON;
        port->step++;
    }
    while (monitor_release_next(&port->actor)) {
    } /* that its driver has made meanwhile */
    port_timer_cancel(port);
    port_select_end(port);
    port_trace_slice(port, false);
    end(port);
    return ACTOR_IS_GONE;
}

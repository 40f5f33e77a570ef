#include "trace/settle.h"

#include "process/port_table.h"
#include "process/process_table.h"
#include "process/run_queue.h"
#include "process/signal.h"

static _Atomic size_t on_their_way;

void trace_settle_put_off(void) { atomic_fetch_add(&on_their_way, 1); }
void trace_settle_again(void) { atomic_fetch_sub(&on_their_way, 1); }

typedef struct {
    uint64_t newest, oldest;
} Walk;

static void look(Process *p, void *data) {
    Walk *w = data;
    uint64_t seen = atomic_load_explicit(&p->trace_epoch, memory_order_acquire);
    if (seen < w->newest)
        process_wake(p);
    if (seen < w->oldest)
        w->oldest = seen;
}

/* What thread progress kept good of the session may be over after a walk: it is counted. */
void trace_settle(TraceSession *s, TracedKind kind) {
    trace_session_keep(s);
    uint64_t newest = atomic_load(&the_trace_epoch);
    Walk w = {newest, newest};
    void (*each)(void (*)(Process *, void *), void *) = kind == TRACED_PORTS ? port_table_each : process_table_each;
    each(look, &w);
    each(look, &w);
    if (atomic_load(&on_their_way) == 0) {
        mutex_lock(&trace_sessions_lock);
        orders_forget(&s->orders[kind], w.oldest);
        mutex_unlock(&trace_sessions_lock);
    }
    trace_session_release(s);
}

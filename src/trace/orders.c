#include "trace/orders.h"

#include "alloc/alloc.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/trace_point.h"
#include "sys/release.h"

static void drop_tracers(const TraceOrders *o) {
    tracer_drop(o->fresh_tracer);
    for (size_t i = 0; i < o->count; i++)
        tracer_drop(o->log[i].order.tracer);
}

static void free_block(ProgressNode *node) {
    TraceOrders *o = container_of(node, TraceOrders, progress);
    drop_tracers(o);
    mem_free(ALLOC_TRACE, o);
}

static TraceOrders *locked(TraceOrdersWord *word) { return atomic_load_explicit(word, memory_order_relaxed); }

/* Takes a count of each tracer in `o`; an empty block is none. */
static void replace(TraceOrdersWord *word, TraceOrders *o) {
    TraceOrders *before = locked(word);
    if (o != NULL && o->count == 0 && o->fresh_flags == 0) {
        mem_free(ALLOC_TRACE, o);
        o = NULL;
    }
    for (size_t i = 0; o != NULL && i < o->count; i++)
        tracer_keep(o->log[i].order.tracer);
    if (o != NULL)
        tracer_keep(o->fresh_tracer);
    if ((orders_fresh_flags(before) != 0) != (orders_fresh_flags(o) != 0))
        atomic_fetch_add(&trace_fresh_sessions, orders_fresh_flags(o) != 0 ? 1 : (size_t)-1);
    atomic_store_explicit(word, o, memory_order_release);
    if (before != NULL) {
        before->progress.run = free_block;
        thread_progress_later(&before->progress);
    }
}

/* With room for one order more. */
static TraceOrders *copy(const TraceOrders *from) {
    size_t count = from != NULL ? from->count : 0;
    TraceOrders *o = mem_alloc(ALLOC_TRACE, sizeof *o + (count + 1) * sizeof o->log[0]);
    o->fresh_flags = orders_fresh_flags(from);
    o->fresh_tracer = from != NULL ? from->fresh_tracer : TRACER_NOBODY;
    o->count = count;
    o->many = from != NULL ? from->many : ORDERS_BETWEEN;
    for (size_t i = 0; i < count; i++)
        o->log[i] = from->log[i];
    return o;
}

/* Does it give the flags that it leaves to its tracer? */
static bool clears_and_gives(const TraceOrder *o) {
    return !o->on && tracer_is_named(o->tracer) && release_has(RELEASE_CLEARED_BY_ANYBODY);
}

/* Does a newer order decide alone about the flags that both name? One may be refused where another has the tracer. */
static bool overrides(const TraceOrder *newer, const TraceOrder *order) {
    bool clears = !newer->on && !tracer_is_named(newer->tracer) && !clears_and_gives(order);
    return clears || (newer->on == order->on && tracer_is_same(newer->tracer, order->tracer));
}

/* Nobody can be given to a process that is no more, and who has it loses it anyway. */
static bool is_void(const TraceOrder *o) {
    return o->flags == 0 ||
           (tracer_is_named(o->tracer) && is_tracer_place(o->tracer.term) && actor_find(o->tracer.term) == NULL);
}

/* Does whether `order` is there decide whether a later one is refused? Then a tracer has the process that it would not
 * have without it, or has it no more. */
static bool decides_about(const TraceOrder *order, const TraceOrder *later) {
    if (!tracer_is_named(later->tracer))
        return false;
    bool same = tracer_is_named(order->tracer) && tracer_is_same(order->tracer, later->tracer);
    return order->on ? !same : later->on && (!same || clears_and_gives(order));
}

static bool decides_about_any(const TraceOrders *o, size_t i) {
    for (size_t later = i + 1; later < o->count; later++)
        if (!is_void(&o->log[later].order) && decides_about(&o->log[i].order, &o->log[later].order))
            return true;
    return false;
}

static void drop_void(TraceOrders *o) {
    size_t kept = 0;
    for (size_t i = 0; i < o->count; i++)
        if (!is_void(&o->log[i].order))
            o->log[kept++] = o->log[i];
    o->count = kept;
}

/* A process that has not seen it takes the newest that is said of a flag, if nothing between depends on what was said
 * before. So the log does not grow for ever. The newest come first: what depends on an older one may be void then. */
static void trim(TraceOrders *o, const TraceOrder *newer) {
    for (size_t i = o->count; i-- > 0;) {
        TraceOrder *order = &o->log[i].order;
        if ((order->flags & newer->flags) && overrides(newer, order) && !decides_about_any(o, i))
            order->flags &= ~newer->flags;
    }
    drop_void(o);
}

void orders_add(TraceOrdersWord *word, const TraceOrder *order, uint64_t epoch) {
    TraceOrders *o = copy(locked(word));
    trim(o, order);
    o->log[o->count++] = (LoggedOrder){epoch, *order};
    replace(word, o);
}

void orders_set_fresh(TraceOrdersWord *word, uint32_t flags, Tracer tracer) {
    if (flags == 0 && orders_fresh_flags(locked(word)) == 0)
        return;
    TraceOrders *o = copy(locked(word));
    o->fresh_flags = flags;
    o->fresh_tracer = flags != 0 ? tracer : TRACER_NOBODY;
    replace(word, o);
}

void orders_forget(TraceOrdersWord *word, uint64_t epoch) {
    TraceOrders *before = locked(word);
    if (before == NULL)
        return;
    TraceOrders *o = copy(before);
    size_t kept = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->log[i].epoch > epoch)
            o->log[kept++] = o->log[i];
    o->count = kept;
    o->many = kept + ORDERS_BETWEEN;
    replace(word, o);
}

void orders_clear(TraceOrdersWord *word) {
    if (locked(word) != NULL)
        replace(word, NULL);
}

#include "nif/monitor.h"

#include "alloc/alloc.h"
#include "process/key_table.h"
#include "process/monitor.h"
#include "process/reference.h"
#include "sys/thread.h"
#include "term/node.h"

#include <string.h>

typedef struct NifMonitor {
    NativeWatch watch; /* must be first */
    _Atomic(int) refc;
    KeyNode node;            /* in the resource's table while active, by the monitor's key */
    struct NifMonitors *all; /* one count */
    bool active;
    Term pid;
    uint32_t resource_numbers[3];
} NifMonitor;

/* Those of a resource, which may go before the last of its monitors. */
typedef struct NifMonitors {
    _Atomic(int) refc; /* the resource, until it ends, and each monitor */
    Mutex lock;
    NifResource *resource; /* good under the lock as long as any monitor is active */
    KeyTable active;
} NifMonitors;

static NifMonitor *monitor_of(KeyNode *node) { return node != NULL ? container_of(node, NifMonitor, node) : NULL; }

static NifMonitors *monitors_of(NifResource *r) { return atomic_load_explicit(&r->monitors, memory_order_acquire); }

static void monitors_release(NifMonitors *all) {
    if (atomic_fetch_sub_explicit(&all->refc, 1, memory_order_acq_rel) != 1)
        return;
    mutex_release(&all->lock);
    mem_free(ALLOC_NIF, all);
}

static NifMonitors *monitors_make(NifResource *r) {
    NifMonitors *all = monitors_of(r);
    if (all != NULL)
        return all;
    NifMonitors *made = mem_calloc(ALLOC_NIF, sizeof *made);
    atomic_init(&made->refc, 1);
    mutex_init(&made->lock, LOCK_NIF_MONITORS);
    made->resource = r;
    if (atomic_compare_exchange_strong(&r->monitors, &all, made))
        return made;
    monitors_release(made);
    return all;
}

static void monitor_release(NifMonitor *m) {
    if (atomic_fetch_sub_explicit(&m->refc, 1, memory_order_acq_rel) != 1)
        return;
    monitors_release(m->all);
    mem_free(ALLOC_NIF, m);
}

/* Under the lock. */
static NifMonitor *deactivate(NifMonitors *all, uint64_t key) {
    NifMonitor *m = monitor_of(key_table_remove(&all->active, key));
    if (m != NULL)
        m->active = false;
    return m;
}

/* A resource whose last count is gone is on its way out: it is not woken up. */
static bool retain_unless_dead(NifResource *r) {
    RefcBinary *binary = nif_resource_binary(r);
    int64_t now = atomic_load_explicit(&binary->refc, memory_order_relaxed);
    while (now > 0)
        if (atomic_compare_exchange_weak(&binary->refc, &now, now + 1))
            return true;
    return false;
}

static void describe(const NifMonitor *m, ErlNifMonitor *to) {
    memset(to, 0, sizeof *to);
    memcpy(to->data, &m->node.key, sizeof m->node.key);
}

static uint64_t key_of(const ErlNifMonitor *monitor) {
    uint64_t key;
    memcpy(&key, monitor->data, sizeof key);
    return key;
}

static void call_down(NifResource *r, const NifMonitor *m, Term pid) {
    NifOwner *owner = nif_owner_acquire(r->type);
    ErlNifPid who = {pid};
    ErlNifMonitor which;
    describe(m, &which);
    if (owner->fn.down != NULL) {
        NifOwnEnv own;
        nif_own_env_begin(&own, NIF_ENV_CALLBACK, NULL, owner->library);
        owner->fn.down(&own.env, r->data, &who, &which);
        nif_own_env_end(&own);
    }
    nif_owner_release(owner);
}

static void watch_down(NativeWatch *watch, Process *ending, Term pid, Term reason) {
    NifMonitor *m = (NifMonitor *)watch;
    NifMonitors *all = m->all;
    mutex_lock(&all->lock);
    bool fires = m->active && retain_unless_dead(all->resource);
    if (fires)
        (void)deactivate(all, m->node.key);
    NifResource *r = all->resource;
    mutex_unlock(&all->lock);
    if (fires) {
        call_down(r, m, pid);
        refc_binary_release(nif_resource_binary(r));
        monitor_release(m); /* the table's count */
    }
    monitor_release(m);
}

static void watch_drop(NativeWatch *watch) { monitor_release((NifMonitor *)watch); }

/* The resource; as a reference that does not keep it, when it is on its way out. */
static Term watch_origin(const NativeWatch *watch, Area *area) {
    const NifMonitor *m = (const NifMonitor *)watch;
    mutex_lock(&m->all->lock);
    RefcBinary *binary = nif_resource_binary(m->all->resource);
    bool kept = m->active && retain_unless_dead(m->all->resource);
    mutex_unlock(&m->all->lock);
    return kept ? magic_ref_make(area, m->resource_numbers, binary) : ref_make(area, m->resource_numbers, 3);
}

static NifMonitor *monitor_create(NifResource *r, Term pid) {
    NifMonitors *all = monitors_make(r);
    NifMonitor *m = mem_alloc(ALLOC_NIF, sizeof *m);
    *m = (NifMonitor){.watch = {watch_down, watch_drop, watch_origin, NULL, false},
                      .all = all,
                      .active = true,
                      .node.key = reference_next(),
                      .pid = pid};
    atomic_init(&m->refc, 2);
    memcpy(m->resource_numbers, nif_resource_binary(r)->magic_numbers, sizeof m->resource_numbers);
    atomic_fetch_add_explicit(&all->refc, 1, memory_order_relaxed);
    mutex_lock(&all->lock);
    key_table_add(&all->active, &m->node);
    mutex_unlock(&all->lock);
    return m;
}

/* Nobody will tell of it: it is taken out again, unless the end of the process was faster. */
static void monitor_cancel(NifMonitor *m) {
    mutex_lock(&m->all->lock);
    bool was_active = deactivate(m->all, m->node.key) != NULL;
    mutex_unlock(&m->all->lock);
    if (was_active)
        monitor_release(m);
    monitor_release(m);
}

static bool has_down(NifResource *r) {
    NifOwner *owner = nif_owner_acquire(r->type);
    bool has = owner->fn.down != NULL;
    nif_owner_release(owner);
    return has;
}

/* False: there is no such process. */
static bool monitor_begin(NifResource *r, Term pid, ErlNifMonitor *monitor) {
    const Process *p = is_local_pid(pid) ? process_find(pid) : NULL;
    if (p == NULL || process_is_exiting(p))
        return false;
    NifMonitor *m = monitor_create(r, pid);
    if (monitor != NULL)
        describe(m, monitor);
    if (monitor_native(pid, m->node.key, &m->watch))
        return true;
    monitor_cancel(m);
    return false;
}

void nif_monitors_end(NifResource *r) {
    NifMonitors *all = monitors_of(r);
    if (all == NULL)
        return;
    for (;;) {
        mutex_lock(&all->lock);
        NifMonitor *m = monitor_of(key_table_take_any(&all->active));
        if (m != NULL)
            m->active = false;
        mutex_unlock(&all->lock);
        if (m == NULL)
            break;
        visitor_enter();
        demonitor_native(m->pid, m->node.key);
        visitor_leave();
        monitor_release(m);
    }
}

void nif_monitors_release(NifResource *r) {
    nif_monitors_end(r);
    NifMonitors *all = monitors_of(r);
    if (all != NULL)
        monitors_release(all);
}

static NifMonitor *take(NifMonitors *all, uint64_t key) {
    mutex_lock(&all->lock);
    NifMonitor *m = deactivate(all, key);
    mutex_unlock(&all->lock);
    return m;
}

/* The interface */

int enif_monitor_process(ErlNifEnv *env, void *object, const ErlNifPid *pid, ErlNifMonitor *monitor) {
    NifResource *r = nif_resource_of(object);
    if (!has_down(r))
        return -1;
    visitor_enter();
    bool begun = monitor_begin(r, pid->pid, monitor);
    visitor_leave();
    return begun ? 0 : 1;
}

int enif_demonitor_process(ErlNifEnv *env, void *object, const ErlNifMonitor *monitor) {
    NifMonitors *all = monitors_of(nif_resource_of(object));
    NifMonitor *m = all != NULL ? take(all, key_of(monitor)) : NULL;
    if (m == NULL)
        return 1;
    visitor_enter();
    demonitor_native(m->pid, m->node.key);
    visitor_leave();
    monitor_release(m);
    return 0;
}

int enif_compare_monitors(const ErlNifMonitor *a, const ErlNifMonitor *b) { return memcmp(a, b, sizeof *a); }

ERL_NIF_TERM enif_make_monitor_term(ErlNifEnv *env, const ErlNifMonitor *monitor) {
    return reference_of_key(env->area, key_of(monitor));
}

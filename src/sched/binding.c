#include "sched/binding.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/report.h"
#include "process/run_queue.h"
#include "sched/topology.h"
#include "sys/errno_name.h"
#include "term/text.h"

/* A processor, and for the how manieth time it is asked for: who asks once more has it done once more. */
typedef uint64_t Wanted;
#define TIMES_SHIFT 32
#define WANTS_NOTHING ((Wanted)0)
static Wanted wanted_make(uint64_t times, int32_t processor) {
    return times << TIMES_SHIFT | (uint32_t)(processor - BOUND_TO_NONE);
}
static int32_t wanted_processor(Wanted wanted) { return (int32_t)(uint32_t)wanted + BOUND_TO_NONE; }

typedef struct {
    _Atomic Wanted wanted; /* written under the lock */
    /* Written by the thread that serves the scheduler: */
    _Atomic int32_t is;
    _Atomic int32_t refused; /* what was reported */
} Binding;

static Binding *bindings; /* of each scheduler */
static unsigned count;    /* of them */

static Mutex lock = MUTEX_INITIALIZER(LOCK_BINDING);
/* Under the lock: */
static BindType type;
static unsigned active;
static int32_t *order; /* processors, as schedulers get them */
static size_t ordered;
static uint64_t times;

/* What the calling thread has done last, successful or not. */
static __thread Wanted followed;

void binding_init(unsigned schedulers) {
    count = schedulers;
    bindings = mem_calloc(ALLOC_SCHEDULER, count * sizeof *bindings);
    for (unsigned i = 0; i < count; i++) {
        atomic_init(&bindings[i].wanted, WANTS_NOTHING);
        atomic_init(&bindings[i].is, BOUND_TO_NONE);
        atomic_init(&bindings[i].refused, BOUND_TO_NONE);
    }
}

/* --- What is wanted ----------------------------------------------------------------------------------------------- */

static int32_t processor_of_locked(unsigned scheduler) {
    return scheduler < active && scheduler < ordered ? order[scheduler] : BOUND_TO_NONE;
}

/* Those for which it has changed, or all. Who sleeps hears of it by the call, or finds it before he sleeps. */
static void tell_locked(bool all) {
    times += all;
    for (unsigned i = 0; i < count; i++) {
        int32_t processor = processor_of_locked(i);
        if (!all && wanted_processor(atomic_load_explicit(&bindings[i].wanted, memory_order_relaxed)) == processor)
            continue;
        atomic_store_explicit(&bindings[i].wanted, wanted_make(times, processor), memory_order_relaxed);
        race_window("another binding is wanted, and the scheduler is not called");
        run_queue_call(run_queue_at(i));
    }
}

static void order_locked(Topology *t) {
    ProcessorSet usable;
    mem_free(ALLOC_SCHEDULER, order);
    order = NULL;
    ordered = 0;
    if (type == BIND_UNBOUND || t->count == 0)
        return;
    order = mem_alloc(ALLOC_SCHEDULER, t->count * sizeof *order);
    (void)affinity_of_program(&usable);
    bind_order_sort(t->places, t->count, type);
    for (size_t i = 0; i < t->count; i++)
        if (processor_set_has(&usable, t->places[i].logical))
            order[ordered++] = t->places[i].logical;
}

static void renew_locked(void) {
    Topology t = topology_copy(TOPOLOGY_USED);
    order_locked(&t);
    tell_locked(true);
    topology_release(&t);
}

BindType binding_type(void) {
    mutex_lock(&lock);
    BindType answer = type;
    mutex_unlock(&lock);
    return answer;
}

static bool has_topology(void) {
    Topology t = topology_copy(TOPOLOGY_USED);
    bool has = t.count > 0;
    topology_release(&t);
    return has;
}

bool binding_set_type(BindType wanted, BindType *old) {
    topology_prepare(); /* reads files, without the lock */
    mutex_lock(&lock);
    bool can = has_topology();
    *old = type;
    if (can) {
        type = wanted;
        renew_locked();
    }
    mutex_unlock(&lock);
    return can;
}

void binding_renew(void) {
    topology_prepare();
    mutex_lock(&lock);
    if (type != BIND_UNBOUND)
        renew_locked();
    mutex_unlock(&lock);
}

void binding_set_active(unsigned number) {
    mutex_lock(&lock);
    active = number;
    tell_locked(false);
    mutex_unlock(&lock);
}

int32_t binding_of(unsigned scheduler) { return atomic_load_explicit(&bindings[scheduler].is, memory_order_relaxed); }

/* --- Who follows -------------------------------------------------------------------------------------------------- */

static void report_refusal(unsigned scheduler, int32_t processor, int error) {
    TEXT(text);
    if (atomic_load_explicit(&bindings[scheduler].refused, memory_order_relaxed) == processor)
        return;
    atomic_store_explicit(&bindings[scheduler].refused, processor, memory_order_relaxed);
    text_format(&text, "Scheduler %u failed to bind to cpu %d: %s\n", scheduler + 1, processor, errno_name(error));
    report_of_runtime(text_cstring(&text));
}

bool binding_is_due(unsigned scheduler) {
    return atomic_load_explicit(&bindings[scheduler].wanted, memory_order_relaxed) != followed;
}

/* BOUND_TO_NONE, too: that a thread cannot go back to all processors is no reason to do anything. */
static int try(int32_t processor) {
    int error = processor == BOUND_TO_NONE ? 0 : affinity_bind(processor);
    if (error != 0 || processor == BOUND_TO_NONE)
        (void)!affinity_unbind(); /* from the one before */
    return error;
}

void binding_follow(unsigned scheduler) {
    Binding *b = &bindings[scheduler];
    Wanted wanted = atomic_load_explicit(&b->wanted, memory_order_relaxed);
    if (wanted == followed)
        return;
    int32_t processor = wanted_processor(wanted);
    int error = try(processor);
    followed = wanted;
    atomic_store_explicit(&b->is, error == 0 ? processor : BOUND_TO_NONE, memory_order_relaxed);
    if (error != 0)
        report_refusal(scheduler, processor, error);
    else
        atomic_store_explicit(&b->refused, BOUND_TO_NONE, memory_order_relaxed);
}

void binding_leave(void) {
    if (followed == WANTS_NOTHING)
        return;
    (void)try(BOUND_TO_NONE);
    followed = WANTS_NOTHING;
}

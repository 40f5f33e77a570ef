#include "sched/topology.h"

#include <string.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "sys/thread.h"

static Mutex lock = MUTEX_INITIALIZER(LOCK_CPU_TOPOLOGY);
/* Under the lock: */
static Topology defined, detected;
static ProcessorSet usable; /* when they were detected */
static bool is_detected, is_skipped;

void topology_skip_detection(void) { is_skipped = true; }

static Topology copy(const CpuPlace *places, size_t count) {
    Topology t = {.count = count};
    if (count > 0) {
        t.places = mem_alloc(ALLOC_MISC, count * sizeof *places);
        memcpy(t.places, places, count * sizeof *places);
    }
    return t;
}

/* What the node keeps is nobody's. */
static Topology copy_for_all(const CpuPlace *places, size_t count) {
    ALLOC_FOR_ALL;
    return copy(places, count);
}

void topology_release(Topology *t) {
    mem_free(ALLOC_MISC, t->places);
    *t = (Topology){0};
}

static Topology detect(ProcessorSet *set) {
    size_t most = PROCESSORS_MAX;
    CpuPlace *places = mem_alloc(ALLOC_TEMP, most * sizeof *places);
    Topology t = copy_for_all(places, is_skipped ? 0 : cpu_topology_detect(places, most));
    mem_free(ALLOC_TEMP, places);
    (void)affinity_of_program(set);
    return t;
}

static bool is_same(const Topology *a, const Topology *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->places, b->places, a->count * sizeof *a->places) == 0);
}

static bool is_known(void) {
    mutex_lock(&lock);
    bool answer = is_detected;
    mutex_unlock(&lock);
    return answer;
}

bool topology_detect_again(void) {
    ProcessorSet set;
    topology_prepare();
    Topology now = detect(&set);
    mutex_lock(&lock);
    bool changed = !is_same(&now, &detected) || memcmp(&set, &usable, sizeof set) != 0;
    Topology before = detected;
    detected = now;
    usable = set;
    mutex_unlock(&lock);
    topology_release(&before);
    return changed;
}

void topology_prepare(void) {
    ProcessorSet set;
    if (is_known())
        return;
    Topology now = detect(&set);
    mutex_lock(&lock);
    bool is_first = !is_detected;
    if (is_first) {
        detected = now;
        usable = set;
        is_detected = true;
    }
    mutex_unlock(&lock);
    if (!is_first)
        topology_release(&now);
}

static Topology copy_locked(TopologyKind kind) {
    bool is_defined = kind == TOPOLOGY_DEFINED || (kind == TOPOLOGY_USED && defined.count > 0);
    const Topology *t = is_defined ? &defined : &detected;
    return copy(t->places, t->count);
}

Topology topology_define(Topology t) {
    topology_prepare();
    Topology kept = copy_for_all(t.places, t.count);
    topology_release(&t);
    mutex_lock(&lock);
    Topology old = copy_locked(TOPOLOGY_USED), before = defined;
    defined = kept;
    mutex_unlock(&lock);
    topology_release(&before);
    return old;
}

Topology topology_copy(TopologyKind kind) {
    topology_prepare();
    mutex_lock(&lock);
    Topology answer = copy_locked(kind);
    mutex_unlock(&lock);
    return answer;
}

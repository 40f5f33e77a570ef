/*
 * erlang:statistics/1 and memory/0,1. Source: erlang(3).
 *
 * Counts come from the run queues and the allocation types; "since the last call" is kept here, for all processes
 * alike. What goes in and out through ports is counted by them.
 */
#include <stdatomic.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/system/system_text.h"
#include "bif/system/thread_statistics.h"
#include "bif_table.h"
#include "port/port.h"
#include "process/clock.h"
#include "process/dirty_queue.h"
#include "process/run_queue.h"
#include "process/saved_calls.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

static Term number(Process *p, int64_t n) { return integer_from_int64(process_area(p), n); }

/* {Total, SinceLastCall} */
static Term total_and_since(Process *p, int64_t now, _Atomic int64_t *last) {
    int64_t before = atomic_exchange(last, now);
    return area_tuple2(process_area(p), number(p, now), number(p, now - before));
}

static Term get_runtime(Process *p) {
    static _Atomic int64_t last;
    return total_and_since(p, clock_cpu() / NANOSECONDS_PER_MILLISECOND, &last);
}

static Term get_wall_clock(Process *p) {
    static _Atomic int64_t last;
    return total_and_since(p, (monotonic_time() - MONOTONIC_START) / NANOSECONDS_PER_MILLISECOND, &last);
}

/* What schedulers have counted, and what this process has done in its slice. */
static Term get_reductions(Process *p, _Atomic int64_t *last) {
    int64_t sum = REDUCTIONS_PER_SLICE - process_reductions_left(p);
    sum += (int64_t)atomic_load_explicit(&reductions_elsewhere, memory_order_relaxed);
    for (unsigned i = 0; i < run_queue_count(); i++)
        sum += (int64_t)atomic_load_explicit(&run_queue_at(i)->reductions, memory_order_relaxed);
    return total_and_since(p, sum, last);
}

static Term get_context_switches(Process *p) {
    int64_t sum = 0;
    for (unsigned i = 0; i < run_queue_count(); i++)
        sum += (int64_t)atomic_load_explicit(&run_queue_at(i)->context_switches, memory_order_relaxed);
    return area_tuple2(process_area(p), number(p, sum), small_make(0));
}

static Term get_io(Process *p) {
    Area *area = process_area(p);
    Term in = area_tuple2(area, am_input, number(p, (int64_t)atomic_load(&ports_bytes_in)));
    Term out = area_tuple2(area, am_output, number(p, (int64_t)atomic_load(&ports_bytes_out)));
    return area_tuple2(area, in, out);
}

/* Queue lengths, or with `active` also what runs now, of the ordinary queues. */
static int64_t queue_tasks(unsigned index, bool active) {
    RunQueue *rq = run_queue_at(index);
    int64_t tasks = run_queue_length(rq);
    bool idle = atomic_load_explicit(&rq->is_sleeping, memory_order_relaxed) ||
                atomic_load_explicit(&rq->is_looking, memory_order_relaxed) ||
                atomic_load_explicit(&rq->is_closed, memory_order_relaxed);
    return active && !idle ? tasks + 1 : tasks;
}

/* In the stock order: each scheduler's, the dirty CPU queue's, and for the items with _all the dirty I/O queue's. */
static Term task_list(Process *p, bool active, bool all) {
    Area *area = process_area(p);
    Term list = all ? area_cons(area, number(p, (int64_t)dirty_queue_length(true)), NIL) : NIL;
    list = area_cons(area, number(p, (int64_t)dirty_queue_length(false)), list);
    for (unsigned i = run_queue_count(); i-- > 0;)
        list = area_cons(area, number(p, queue_tasks(i, active)), list);
    return list;
}

/* Lengths of all queues, the dirty ones last. */
static Term queue_tuple(Process *p) {
    unsigned n = run_queue_count();
    Term *tuple = area_alloc(process_area(p), 1 + n + 2);
    tuple[0] = header_make(KIND_TUPLE, n + 2);
    for (unsigned i = 0; i < n; i++)
        tuple[1 + i] = small_make((SWord)queue_tasks(i, false));
    tuple[1 + n] = small_make((SWord)dirty_queue_length(false));
    tuple[2 + n] = small_make((SWord)dirty_queue_length(true));
    return boxed_make(tuple);
}

static Term task_sum(Process *p, bool active, bool all) {
    int64_t sum = (int64_t)dirty_queue_length(false) + (all ? (int64_t)dirty_queue_length(true) : 0);
    for (unsigned i = 0; i < run_queue_count(); i++)
        sum += queue_tasks(i, active);
    return number(p, sum);
}

Term erlang_statistics_1(Process *p, const Term *a) {
    static _Atomic int64_t last, last_exact; /* reductions: each item since its own last call */
    switch (a[0]) {
    case am_runtime: return get_runtime(p);
    case am_wall_clock: return get_wall_clock(p);
    case am_reductions: return get_reductions(p, &last);
    case am_exact_reductions: return get_reductions(p, &last_exact);
    case am_context_switches: return get_context_switches(p);
    case am_io: return get_io(p);
    case am_run_queue: return task_sum(p, false, false);
    case am_run_queue_lengths: return task_list(p, false, false);
    case am_run_queue_lengths_all: return task_list(p, false, true);
    case am_active_tasks: return task_list(p, true, false);
    case am_active_tasks_all: return task_list(p, true, true);
    case am_total_run_queue_lengths: return task_sum(p, false, false);
    case am_total_run_queue_lengths_all: return task_sum(p, false, true);
    case am_total_active_tasks: return task_sum(p, true, false);
    case am_total_active_tasks_all: return task_sum(p, true, true);
    case am_run_queues: return queue_tuple(p);
    case am_garbage_collection: return statistics_collections(p);
    case am_scheduler_wall_time: return statistics_wall_time(p, false);
    case am_scheduler_wall_time_all: return statistics_wall_time(p, true);
    case am_microstate_accounting: return statistics_microstates(p);
    default: return fail_badarg(p);
    }
}

/* Memory, from the sums over the allocation types */

static const struct {
    Term item;
    AllocClass class;
} memory_classes[] = {
    {am_processes, CLASS_PROCESSES}, {am_processes_used, CLASS_PROCESSES},
    {am_atom, CLASS_ATOM},           {am_binary, CLASS_BINARY},
    {am_code, CLASS_CODE},           {am_ets, CLASS_ETS},
};

typedef struct {
    int64_t of_class[ALLOC_CLASS_COUNT], total;
} MemorySums;

static void memory_sums(MemorySums *sums) {
    *sums = (MemorySums){.total = 0};
    for (int type = 0; type < ALLOC_TYPE_COUNT; type++) {
        int64_t bytes = alloc_sum((AllocType)type).bytes;
        sums->of_class[alloc_type_info[type].class] += bytes;
        sums->total += bytes;
    }
}

/* NON_VALUE for what is no item. */
static Term memory_item(Process *p, const MemorySums *sums, Term item) {
    if (item == am_total)
        return number(p, sums->total);
    if (item == am_system)
        return number(p, sums->total - sums->of_class[CLASS_PROCESSES]);
    if (item == am_atom_used) {
        size_t used, total;
        atom_memory(&used, &total);
        return number(p, (int64_t)used);
    }
    for (size_t i = 0; i < array_length(memory_classes); i++)
        if (memory_classes[i].item == item)
            return number(p, sums->of_class[memory_classes[i].class]);
    return NON_VALUE;
}

void put_memory_text(Text *to) {
    MemorySums sums;
    size_t used, total;
    memory_sums(&sums);
    atom_memory(&used, &total);
    long long processes = sums.of_class[CLASS_PROCESSES];
    text_format(to, "total: %lld\nprocesses: %lld\nprocesses_used: %lld\nsystem: %lld\natom: %lld\natom_used: %zu\n",
                (long long)sums.total, processes, processes, (long long)sums.total - processes,
                (long long)sums.of_class[CLASS_ATOM], used);
    text_format(to, "binary: %lld\ncode: %lld\nets: %lld\n", (long long)sums.of_class[CLASS_BINARY],
                (long long)sums.of_class[CLASS_CODE], (long long)sums.of_class[CLASS_ETS]);
}

/* [{Item, Bytes}] for a list of items, in its order; NON_VALUE when it is no such list. */
static Term memory_list(Process *p, Term items) {
    MemorySums sums;
    Term reversed = NIL, list = NIL;
    Area *area = process_area(p);
    memory_sums(&sums);
    for (; is_list(items); items = list_tail(items)) {
        Term value = memory_item(p, &sums, list_head(items));
        if (!is_value(value))
            return NON_VALUE;
        reversed = area_cons(area, area_tuple2(area, list_head(items), value), reversed);
    }
    for (; is_list(reversed); reversed = list_tail(reversed))
        list = area_cons(area, list_head(reversed), list);
    return is_nil(items) ? list : NON_VALUE;
}

Term erlang_memory_0(Process *p, const Term *a) {
    static const Term items[] = {am_total,     am_processes, am_processes_used, am_system, am_atom,
                                 am_atom_used, am_binary,    am_code,           am_ets};
    Term list = NIL;
    for (size_t i = array_length(items); i-- > 0;)
        list = area_cons(process_area(p), items[i], list);
    return memory_list(p, list);
}

Term erlang_memory_1(Process *p, const Term *a) {
    MemorySums sums;
    Term result;
    if (is_atom(a[0])) {
        memory_sums(&sums);
        result = memory_item(p, &sums, a[0]);
    } else {
        result = memory_list(p, a[0]);
    }
    return is_value(result) ? result : fail_badarg(p);
}

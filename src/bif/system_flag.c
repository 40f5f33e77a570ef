/*
 * erlang:system_flag/2: settings of the whole system; the old value is returned. Source: erlang(3) system_flag/2.
 *
 * Defaults of new processes, the depth of stack traces, and who gets the logger's events of the runtime. Numbers of
 * schedulers can only be set to what they are.
 */
#include <stdatomic.h>

#include "bif/argument.h"
#include "bif/process_spawn.h"
#include "bif/thread_statistics.h"
#include "bif_table.h"
#include "code/export.h"
#include "emu/exception.h"
#include "process/report.h"
#include "process/registry.h"
#include "process/seq_trace.h"
#include "process/spawn.h"
#include "process/system_task.h"
#include "sched/scheduler.h"
#include "term/atom.h"
#include "term/integer.h"

#define BACKTRACE_MAX 65535
#define FULLSWEEP_MAX 65535

static Term number(Process *p, size_t n) { return integer_from_uint64(process_area(p), n); }

static Term set_backtrace_depth(Process *p, Term value) {
    if (!is_small_within(value, 0, SMALL_MAX))
        return fail_badarg(p);
    unsigned old = exception_depth;
    exception_depth = small_value(value) > BACKTRACE_MAX ? BACKTRACE_MAX : (unsigned)small_value(value);
    return small_make(old);
}

static Term set_fullsweep_after(Process *p, Term value) {
    if (!is_small_within(value, 0, SMALL_MAX))
        return fail_badarg(p);
    uint32_t limit = small_value(value) > FULLSWEEP_MAX ? FULLSWEEP_MAX : (uint32_t)small_value(value);
    return small_make(atomic_exchange(&spawn_defaults.fullsweep_after, limit));
}

static Term set_words(Process *p, _Atomic size_t *words, Term value) {
    if (!is_small_within(value, 0, SMALL_MAX))
        return fail_badarg(p);
    return number(p, atomic_exchange(words, heap_step((size_t)small_value(value))));
}

static Term set_max_heap_size(Process *p, Term value) {
    size_t words = spawn_defaults.max_heap_words;
    uint8_t flags = (uint8_t)spawn_defaults.max_heap_flags;
    if (!max_heap_size_decode(value, &words, &flags) || (words != 0 && words < spawn_defaults.min_heap_words))
        return fail_badarg(p);
    uint8_t old_flags = (uint8_t)spawn_defaults.max_heap_flags;
    Term old = max_heap_size_term(process_area(p), spawn_defaults.max_heap_words, old_flags);
    spawn_defaults.max_heap_words = words;
    spawn_defaults.max_heap_flags = flags;
    return old;
}

static Term set_constant(Process *p, Term value, Term constant) {
    return value == constant ? constant : fail_badarg(p);
}

static Term set_requests_limit(Process *p, Term value) {
    if (!is_small_within(value, 1, SYSTEM_REQUESTS_LIMIT_MAX))
        return fail_badarg(p);
    return small_make(atomic_exchange(&system_requests_limit, (uint32_t)small_value(value)));
}

/* `logger` (the registered process), a pid, or undefined. */
static Term set_system_logger(Process *p, Term value) {
    if (!is_local_pid(value) && value != am_logger && value != am_undefined)
        return fail_badarg(p);
    return report_set_logger(value);
}

/* Where the stock kernel counts who wants it, it does so; else it is done here (bif/thread_statistics.c). */
static Term set_wall_time(Process *p, Term value) {
    if ((value == am_true || value == am_false) && is_value(registry_whereis(am_kernel_refc)))
        return bif_trap(p, export_put(am_kernel_refc, am_scheduler_wall_time, 1), 1, &value);
    return set_scheduler_wall_time(p, value);
}

static Term set_sequential_tracer(Process *p, Term value) {
    bool is_process = is_local_pid(value) && process_find(value);
    return is_process || value == am_false ? seq_trace_set_tracer(value) : fail_badarg(p);
}

static Term reset_seq_trace(void) {
    seq_trace_reset_all();
    return am_true;
}

Term erlang_system_flag_2(Process *p, const Term *a) {
    Term value = a[1];
    switch (a[0]) {
    case am_backtrace_depth: return set_backtrace_depth(p, value);
    case am_fullsweep_after: return set_fullsweep_after(p, value);
    case am_min_heap_size: return set_words(p, &spawn_defaults.min_heap_words, value);
    case am_min_bin_vheap_size: return set_words(p, &spawn_defaults.min_virtual_words, value);
    case am_max_heap_size: return set_max_heap_size(p, value);
    case am_schedulers_online: return set_constant(p, value, small_make(schedulers_options()->schedulers));
    case am_dirty_cpu_schedulers_online: return set_constant(p, value, small_make(schedulers_options()->dirty_cpu));
    case am_scheduler_bind_type: return set_constant(p, value, am_unbound);
    case am_outstanding_system_requests_limit: return set_requests_limit(p, value);
    case am_system_logger: return set_system_logger(p, value);
    case am_time_offset: return value == am_finalize ? am_final : fail_badarg_cause(p, am_badopt);
    case am_scheduler_wall_time: return set_wall_time(p, value);
    case am_microstate_accounting: return set_microstate_accounting(p, value);
    case am_sequential_tracer: return set_sequential_tracer(p, value);
    case am_reset_seq_trace: return reset_seq_trace();
    default: return fail_badarg_cause(p, am_badopt);
    }
}

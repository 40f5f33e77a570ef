/*
 * erlang:system_flag/2: settings of the whole system; the old value is returned. Source: erlang(3) system_flag/2.
 *
 * Defaults of new processes, the depth of stack traces, who gets the logger's events of the runtime, and how many
 * schedulers run processes (sched/online.h).
 */
#include <stdatomic.h>

#include "bif/argument.h"
#include "bif/process/process_options.h"
#include "bif/system/cpu_topology.h"
#include "bif/system/system_info.h"
#include "bif/system/thread_statistics.h"
#include "bif_table.h"
#include "code/export.h"
#include "emu/exception.h"
#include "process/clock.h"
#include "process/registry.h"
#include "process/report.h"
#include "process/request.h"
#include "process/seq_trace.h"
#include "process/spawn.h"
#include "process/system_task.h"
#include "process/time_offset.h"
#include "sched/online.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/stock_word.h"
#include "trace/session.h"

#define BACKTRACE_MAX 64
#define FULLSWEEP_MAX 65535

static Term number(Process *p, size_t n) { return integer_from_uint64(process_area(p), n); }

static Term set_backtrace_depth(Process *p, Term value) {
    if (!is_small_within(value, 0, STOCK_SMALL_MAX))
        return fail_badarg(p);
    unsigned depth = small_value(value) > BACKTRACE_MAX ? BACKTRACE_MAX : (unsigned)small_value(value);
    return small_make(atomic_exchange(&exception_depth, depth));
}

static Term set_fullsweep_after(Process *p, Term value) {
    if (!is_small_within(value, 0, STOCK_SMALL_MAX))
        return fail_badarg(p);
    uint32_t limit = small_value(value) > FULLSWEEP_MAX ? FULLSWEEP_MAX : (uint32_t)small_value(value);
    return small_make(atomic_exchange(&spawn_defaults.fullsweep_after, limit));
}

static Term set_words(Process *p, _Atomic size_t *words, Term value) {
    if (!is_small_within(value, 0, STOCK_SMALL_MAX))
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

/* Those that go offline are past their slice when the call returns. */
static Term set_schedulers_online(Process *p, Term value) {
    unsigned old;
    if (!is_small_within(value, 1, SMALL_MAX) || !online_set_schedulers((size_t)small_value(value), &old))
        return fail_badarg(p);
    return small_value(value) < old ? request_wait_for_progress(p, small_make(old)) : small_make(old);
}

static Term set_dirty_cpu_online(Process *p, Term value) {
    unsigned old;
    if (!is_small_within(value, 1, SMALL_MAX) || !online_set_dirty_cpu((size_t)small_value(value), &old))
        return fail_badarg(p);
    return small_make(old);
}

static Term set_multi_scheduling(Process *p, Term value) {
    switch (value) {
    case am_block:
    case am_block_normal:
        online_block(p->pid, value == am_block ? BLOCK_FULL : BLOCK_NORMAL);
        return request_wait_for_progress(p, multi_scheduling_state());
    case am_unblock:
    case am_unblock_normal:
        online_unblock(p->pid, value == am_unblock ? BLOCK_FULL : BLOCK_NORMAL);
        return multi_scheduling_state();
    default: return fail_badarg(p);
    }
}

static Term set_scheduler_bind_type(Process *p, Term value) {
    report_warning(p, "A call to erlang:system_flag(scheduler_bind_type, _) was\n"
                      "made. The scheduler_bind_type argument is deprecated and\n"
                      "scheduled for removal in Erlang/OTP 18. For more\n"
                      "information see the erlang:system_flag/2 documentation.\n");
    return set_bind_type(p, value);
}

/* The stock module reads it, and gives it to set_internal_cpu_topology. */
static Term set_topology(Process *p, Term value) {
    report_warning(p, "A call to erlang:system_flag(cpu_topology, _) was made.\n"
                      "The cpu_topology argument is deprecated and scheduled\n"
                      "for removal in Erlang/OTP 18. For more information\n"
                      "see the erlang:system_flag/2 documentation.\n");
    return bif_trap(p, export_put(am_erlang, am_set_cpu_topology, 1), 1, &value);
}

static Term set_trace_control_word(Process *p, Term value) {
    if (!is_small_within(value, 0, UINT32_MAX))
        return fail_badarg(p);
    return small_make(atomic_exchange(&trace_control_word, (uint32_t)small_value(value)));
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

/* Where the stock kernel counts who wants it, it does so; else it is done here (bif/system/thread_statistics.c). */
static Term set_wall_time(Process *p, Term value) {
    if ((value == am_true || value == am_false) && is_value(registry_whereis(am_kernel_refc)))
        return bif_trap(p, export_put(am_kernel_refc, am_scheduler_wall_time, 1), 1, &value);
    return set_scheduler_wall_time(p, value);
}

static Term set_sequential_tracer(Process *p, Term value) {
    Tracer tracer = TRACER_NOBODY;
    bool is_pair = is_tuple_arity(value, 2);
    if (value != am_false && !tracer_read(is_pair ? tuple_elements(value) : &value, is_pair ? 2 : 1, &tracer))
        return fail_badarg(p);
    if (!is_nil(tracer.term) && !tracer_is_alive(tracer.term, p->pid)) {
        tracer_drop(tracer);
        return fail_badarg(p);
    }
    Term old = seq_trace_tracer(process_area(p));
    seq_trace_set_tracer(tracer);
    return old;
}

static Term finalize_offset(Process *p, Term value) {
    if (value != am_finalize)
        return fail_badarg_cause(p, am_badopt);
    OffsetState before = clock_finalize();
    if (before == OFFSET_PRELIMINARY)
        time_offset_tell();
    return offset_state_term(before);
}

Term erlang_system_flag_2(Process *p, const Term *a) {
    Term value = a[1], answer;
    if (request_goes_on(p, &answer))
        return answer;
    switch (a[0]) {
    case am_backtrace_depth: return set_backtrace_depth(p, value);
    case am_fullsweep_after: return set_fullsweep_after(p, value);
    case am_min_heap_size: return set_words(p, &spawn_defaults.min_heap_words, value);
    case am_min_bin_vheap_size: return set_words(p, &spawn_defaults.min_virtual_words, value);
    case am_max_heap_size: return set_max_heap_size(p, value);
    case am_schedulers_online: return set_schedulers_online(p, value);
    case am_dirty_cpu_schedulers_online: return set_dirty_cpu_online(p, value);
    case am_multi_scheduling: return set_multi_scheduling(p, value);
    case am_cpu_topology: return set_topology(p, value);
    case am_internal_cpu_topology: return set_internal_cpu_topology(p, value);
    case am_scheduler_bind_type: return set_scheduler_bind_type(p, value);
    case am_trace_control_word: return set_trace_control_word(p, value);
    case am_outstanding_system_requests_limit: return set_requests_limit(p, value);
    case am_system_logger: return set_system_logger(p, value);
    case am_time_offset: return finalize_offset(p, value);
    case am_scheduler_wall_time: return set_wall_time(p, value);
    case am_microstate_accounting: return set_microstate_accounting(p, value);
    case am_sequential_tracer: return set_sequential_tracer(p, value);
    case am_reset_seq_trace: seq_trace_reset_all(); return am_true;
    default: return fail_badarg_cause(p, am_badopt);
    }
}

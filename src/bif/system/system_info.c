/*
 * erlang:system_info/1. Source: erlang(3) system_info/1.
 *
 * Items whose answer never changes are in one table, the others are functions in a second. What this runtime has not at
 * all (ports, distribution, old allocators) is answered by its absence in the same form: zero, none, the empty list.
 */
#include "bif/system/system_info.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>
#include <sys/utsname.h>

#include "bif/argument.h"
#include "bif/code/code_info.h"
#include "bif/process/process_options.h"
#include "bif/system/cpu_topology.h"
#include "bif/system/halt.h"
#include "bif/system/system_text.h"
#include "bif_table.h"
#include "distribution/channel.h"
#include "ets/tables.h"
#include "heap/heap.h"
#include "jit/emit.h"
#include "nif/library.h"
#include "nif/version.h"
#include "port/library.h"
#include "port/port.h"
#include "port/select.h"
#include "process/async_pool.h"
#include "process/clock.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/report.h"
#include "process/run_queue.h"
#include "process/seq_trace.h"
#include "process/spawn.h"
#include "process/system_task.h"
#include "sched/online.h"
#include "sched/scheduler.h"
#include "sys/clock.h"
#include "sys/cpu_quota.h"
#include "sys/thread.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"
#include "trace/session.h"

/* The text behind `prefix` of the folder's first entry that begins with it and has a digit there. */
static void version_in(const char *folder, const char *prefix, char *to) {
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *version = entry->d_name + strlen(prefix);
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || *version < '0' || *version > '9')
            continue;
        if (strlen(version) < RELEASE_TEXT_MAX)
            memcpy(to, version, strlen(version) + 1);
        break;
    }
    closedir(dir);
}

void system_info_set_otp_root(const char *root) {
    if (!root)
        return;
    TEXT(path);
    static const struct {
        const char *folder, *prefix;
        char *to;
    } places[] = {{"/releases", "", otp_release}, {"/lib", "erts-", erts_version}, {"", "erts-", erts_version}};
    for (size_t i = 0; i < array_length(places); i++) {
        text_clear(&path);
        text_string(&path, root);
        text_string(&path, places[i].folder);
        version_in(text_cstring(&path), places[i].prefix, places[i].to);
    }
    release_choose();
}

/* The first number of a version of erts, and the release: 13 is of OTP 25, 14 of OTP 26, and so on. */
#define RELEASE_BEFORE_ERTS 12

void system_info_set_runtime(const char *version) {
    if (strlen(version) >= RELEASE_TEXT_MAX || version[0] < '0' || version[0] > '9')
        return;
    memcpy(erts_version, version, strlen(version) + 1);
    snprintf(otp_release, RELEASE_TEXT_MAX, "%d", (int)strtol(version, NULL, 10) + RELEASE_BEFORE_ERTS);
    release_choose();
}

static Term string(Process *p, const char *s) { return list_from_bytes(process_area(p), s, strlen(s), NIL); }
static Term count_term(Process *p, size_t n) { return integer_from_uint64(process_area(p), n); }

static bool break_is_ignored;
void system_info_set_break_ignored(void) { break_is_ignored = true; }
static Term get_break_ignored(Process *p) { return bool_term(break_is_ignored); }

static Term get_otp_release(Process *p) { return string(p, otp_release); }
static Term get_version(Process *p) { return string(p, erts_version); }
static Term get_machine(Process *p) { return string(p, "BEAM"); }
#define VERSION_TEXT(major, minor) VERSION_TEXT_OF(major, minor)
#define VERSION_TEXT_OF(major, minor) #major "." #minor
static Term get_nif_version(Process *p) { return string(p, VERSION_TEXT(NIF_MAJOR_VERSION, NIF_MINOR_VERSION)); }
static Term get_driver_version(Process *p) {
    return string(p, VERSION_TEXT(DRIVER_MAJOR_VERSION, DRIVER_MINOR_VERSION));
}
static char **emulator_arguments;
void system_info_set_arguments(char **arguments) { emulator_arguments = arguments; }

static Term get_emu_args(Process *p) {
    Term list = NIL;
    size_t count = 0;
    while (emulator_arguments != NULL && emulator_arguments[count] != NULL)
        count++;
    while (count-- > 0)
        list = area_cons(process_area(p), list_from_native_text(process_area(p), emulator_arguments[count]), list);
    return list;
}

static Term get_architecture(Process *p) { return string(p, "x86_64-pc-linux-gnu"); }

void system_version_text(Text *to) {
    const SchedulerOptions *o = schedulers_options();
    text_format(to, "Erlang/OTP %s [erts-%s] [vivarium] [64-bit] [smp:%u:%u] [ds:%u:%u:%u]%s\n", otp_release,
                erts_version, o->schedulers, o->schedulers, o->dirty_cpu, o->dirty_cpu, o->dirty_io,
                native_is_on ? " [jit]" : "");
}

static Term get_emu_flavor(Process *p) { return native_is_on ? am_jit : am_emu; }

static Term get_system_version(Process *p) {
    TEXT(text);
    system_version_text(&text);
    return list_from_bytes(process_area(p), text.bytes, text.size, NIL);
}

static Term get_os_version(Process *p) {
    struct utsname name;
    unsigned long part[3] = {0, 0, 0};
    char *at = uname(&name) == 0 ? name.release : "";
    for (int i = 0; i < 3 && *at >= '0' && *at <= '9'; i++) {
        part[i] = strtoul(at, &at, 10);
        if (*at == '.')
            at++;
    }
    return area_tuple3(process_area(p), small_make((SWord)part[0]), small_make((SWord)part[1]),
                       small_make((SWord)part[2]));
}

static Term get_os_type(Process *p) { return area_tuple2(process_area(p), am_unix, am_linux); }

static Term get_compiler(Process *p) {
    Term version = area_tuple3(process_area(p), small_make(__clang_major__), small_make(__clang_minor__),
                               small_make(__clang_patchlevel__));
    return area_tuple2(process_area(p), am_clang, version);
}

/* There is no config.h: what is asked of the system is asked when it runs. */
static Term get_compile_info(Process *p) {
    Area *area = process_area(p);
    Term list = area_cons(area, area_tuple2(area, am_config_h, NIL), NIL);
    list = area_cons(area, area_tuple2(area, am_cflags, string(p, VIV_COMPILE_FLAGS)), list);
    return area_cons(area, area_tuple2(area, am_ldflags, string(p, VIV_LINK_FLAGS)), list);
}

static Term get_compat_rel(Process *p) { return small_make(otp_release_number); }
static Term get_atom_count(Process *p) { return count_term(p, atom_count()); }
static Term get_atom_limit(Process *p) { return count_term(p, atom_limit()); }
static Term get_port_limit(Process *p) { return count_term(p, port_table_limit()); }
static Term get_port_count(Process *p) { return count_term(p, port_table_count()); }
static Term get_process_count(Process *p) { return count_term(p, process_table_count()); }
static Term get_process_limit(Process *p) { return count_term(p, process_table_limit()); }
static Term get_requests_limit(Process *p) { return small_make(system_requests_limit); }
static Term get_schedulers(Process *p) { return small_make(schedulers_options()->schedulers); }
static Term get_dirty_cpu(Process *p) { return small_make(schedulers_options()->dirty_cpu); }

/* The one set of descriptors, as the stock runtime shows its own. */
static Term get_check_io(Process *p) {
    Area *area = process_area(p);
    const struct {
        Term name, value;
    } items[] = {{am_name, am_erts_poll},
                 {am_primary, am_epoll},
                 {am_kernel_poll, am_epoll},
                 {am_memory_size, small_make(0)},
                 {am_total_poll_set_size, small_make((int64_t)port_select_count())},
                 {am_lazy_updates, am_false},
                 {am_pending_updates, small_make(0)},
                 {am_batch_updates, am_false},
                 {am_concurrent_updates, am_true},
                 {am_fallback, am_false},
                 {am_max_fds, small_make(sysconf(_SC_OPEN_MAX))},
                 {am_active_fds, small_make(0)},
                 {am_poll_threads, small_make(1)}};
    Term set = NIL;
    for (size_t i = array_length(items); i-- > 0;)
        set = area_cons(area, area_tuple2(area, items[i].name, items[i].value), set);
    return area_cons(area, set, NIL);
}

static Term get_async_threads(Process *p) { return small_make(async_pool_count()); }
static Term get_dirty_io(Process *p) { return small_make(schedulers_options()->dirty_io); }
static Term get_schedulers_online(Process *p) { return small_make(online_schedulers()); }
static Term get_schedulers_active(Process *p) { return small_make(online_active()); }
static Term get_dirty_cpu_online(Process *p) { return small_make(online_dirty_cpu()); }
/* {Kind, Number, Online, Active} */
static Term thread_state(Process *p, Term kind, unsigned n, unsigned online, unsigned active) {
    return area_tuple4(process_area(p), kind, small_make(n), small_make(online), small_make(active));
}

static Term get_all_schedulers_state(Process *p) {
    const SchedulerOptions *o = schedulers_options();
    Area *area = process_area(p);
    Term io = thread_state(p, am_dirty_io, o->dirty_io, o->dirty_io, online_active_dirty(true));
    Term cpu = thread_state(p, am_dirty_cpu, o->dirty_cpu, online_dirty_cpu(), online_active_dirty(false));
    Term list = area_cons(area, cpu, area_cons(area, io, NIL));
    return area_cons(area, thread_state(p, am_normal, o->schedulers, online_schedulers(), online_active()), list);
}

static Term get_schedulers_state(Process *p) {
    return area_tuple3(process_area(p), small_make(schedulers_options()->schedulers), small_make(online_schedulers()),
                       small_make(online_active()));
}

/* {What, From, Operations}: atomic operations are those of the language. */
static Term get_ethread_info(Process *p) {
    static const struct {
        const char *what, *from;
    } kinds[] = {
        {"32-bit native atomics", "C11"},
        {"64-bit native atomics", "C11"},
        {"Double word native atomics", "no"},
    };
    Area *area = process_area(p);
    Term list = NIL;
    for (size_t i = array_length(kinds); i-- > 0;)
        list = area_cons(area, area_tuple3(area, string(p, kinds[i].what), string(p, kinds[i].from), NIL), list);
    return list;
}

static Term get_trace_control_word(Process *p) { return count_term(p, trace_control_word); }
static Term get_processors(Process *p) { return small_make(cpu_count_configured()); }
static Term get_processors_online(Process *p) { return small_make(cpu_count_online()); }
static Term get_processors_available(Process *p) { return small_make(thread_cpu_count()); }
static Term get_creation(Process *p) { return count_term(p, node_this_creation()); }
static Term get_start_time(Process *p) { return small_make(MONOTONIC_START); }
static Term get_end_time(Process *p) {
    return integer_from_int64(process_area(p), MONOTONIC_END_MS * NANOSECONDS_PER_MILLISECOND);
}

Term offset_state_term(OffsetState state) {
    static const Term names[] = {
        [OFFSET_FINAL] = am_final, [OFFSET_PRELIMINARY] = am_preliminary, [OFFSET_VOLATILE] = am_volatile};
    return names[state];
}

Term multi_scheduling_state(void) {
    return online_is_blocked(BLOCK_FULL)     ? am_blocked
           : online_is_blocked(BLOCK_NORMAL) ? am_blocked_normal
                                             : am_enabled;
}
static Term get_multi_scheduling(Process *p) { return multi_scheduling_state(); }
static Term get_blockers(Process *p) { return online_blockers(process_area(p), BLOCK_FULL); }
static Term get_normal_blockers(Process *p) { return online_blockers(process_area(p), BLOCK_NORMAL); }

/* Of the scheduler that the call runs on, or whose thread has just given it away, from 1. */
static Term get_scheduler_id(Process *p) {
    const RunQueue *rq = run_queue_self();
    return small_make(1 + (rq ? rq->index : atomic_load_explicit(&p->home_queue, memory_order_relaxed)));
}

static Term get_used_topology(Process *p) { return get_cpu_topology(p, am_used); }

static Term pair(Process *p, Term item, size_t n) { return area_tuple2(process_area(p), item, count_term(p, n)); }
static Term get_fullsweep_after(Process *p) { return pair(p, am_fullsweep_after, spawn_defaults.fullsweep_after); }
static Term get_min_heap_size(Process *p) { return pair(p, am_min_heap_size, spawn_defaults.min_heap_words); }
static Term get_min_bin_vheap_size(Process *p) {
    return pair(p, am_min_bin_vheap_size, spawn_defaults.min_virtual_words);
}
static Term get_max_heap_size(Process *p) {
    return max_heap_size_term(process_area(p), spawn_defaults.max_heap_words, (uint8_t)spawn_defaults.max_heap_flags);
}
static Term get_message_queue_data(Process *p) { return spawn_defaults.off_heap ? am_off_heap : am_on_heap; }

static Term get_garbage_collection(Process *p) {
    Area *area = process_area(p);
    Term list = area_cons(area, get_fullsweep_after(p), NIL);
    list = area_cons(area, get_min_heap_size(p), list);
    list = area_cons(area, get_min_bin_vheap_size(p), list);
    return area_cons(area, pair(p, am_max_heap_size, spawn_defaults.max_heap_words), list);
}

static Term get_heap_sizes(Process *p) {
    size_t sizes[256], count = 0, before = 0;
    for (size_t words = heap_step(1); count < array_length(sizes) && words != before; words = heap_step_above(words))
        sizes[count++] = before = words;
    Term list = NIL;
    while (count-- > 0)
        list = area_cons(process_area(p), count_term(p, sizes[count]), list);
    return list;
}

static Term clock_source(Process *p, Term clock_id, int64_t now, bool monotonic) {
    Area *area = process_area(p);
    Term list = area_cons(area, area_tuple2(area, am_time, integer_from_int64(area, now)), NIL);
    list = area_cons(area, area_tuple2(area, am_parallel, am_yes), list);
    if (monotonic)
        list = area_cons(area, area_tuple2(area, am_extended, am_no), list);
    if (monotonic && release_has(RELEASE_USED_RESOLUTION))
        list = area_cons(area, area_tuple2(area, am_used_resolution, small_make(NANOSECONDS_PER_SECOND)), list);
    list = area_cons(area, area_tuple2(area, am_resolution, small_make(NANOSECONDS_PER_SECOND)), list);
    list = area_cons(area, area_tuple2(area, am_clock_id, clock_id), list);
    return area_cons(area, area_tuple2(area, am_function, am_clock_gettime), list);
}
static Term get_monotonic_source(Process *p) {
    return clock_source(p, atom_from_cstring("CLOCK_MONOTONIC"), clock_monotonic(), true);
}
static Term get_system_source(Process *p) {
    return clock_source(p, atom_from_cstring("CLOCK_REALTIME"), clock_real(), false);
}

static Term get_port_parallelism(Process *p) { return bool_term(port_defaults.is_parallel); }

/* Those that is_builtin/3 calls so, but for those that only traps reach. */
static Term get_snifs(Process *p) {
    Area *area = process_area(p);
    Term list = area_cons(area, area_tuple3(area, am_erlang, am_hibernate, small_make(3)), NIL); /* in no table */
    for (uint32_t i = bif_count; i-- > 0;) {
        const BifEntry *b = &bif_table[i];
        if (!(b->flags & BIF_INTERNAL) && bif_is_there(b) && bif_is_builtin(b))
            list = area_cons(area, area_tuple3(area, b->module, b->name, small_make(b->arity)), list);
    }
    return list;
}

static Term get_schedulers_total(Process *p) {
    const SchedulerOptions *o = schedulers_options();
    return small_make(o->schedulers + o->dirty_cpu + o->dirty_io);
}

/* As the user says, but no less than the stock runtime's figure; neither there nor here is it a limit any more. */
#define ETS_LIMIT_MIN 8192
static int64_t ets_limit = ETS_LIMIT_MIN;
void system_info_set_ets_limit(int64_t tables) { ets_limit = tables > ETS_LIMIT_MIN ? tables : ETS_LIMIT_MIN; }
static Term get_ets_limit(Process *p) { return small_make(ets_limit); }

static Term get_taints(Process *p) {
    return library_ever_loaded(process_area(p), nif_library_modules(process_area(p)));
}
static Term get_ets_count(Process *p) { return small_make(tables_count()); }

static Term get_sequential_tracer(Process *p) {
    return area_tuple2(process_area(p), am_sequential_tracer, seq_trace_tracer(process_area(p)));
}

/* Schedulers sleep on one each, no other thread has one. */
static Term get_used_events(Process *p) { return small_make(run_queue_count()); }

static Term get_system_logger(Process *p) { return report_logger(); }

/* {Allocator, Version, Features, Settings}: one that is none of those the stock runtime tells apart. */
static Term get_allocator(Process *p) { return area_tuple4(process_area(p), am_undefined, NIL, NIL, NIL); }

static Term get_time_correction(Process *p) { return bool_term(clock_corrects()); }
static Term get_tolerant_timeofday(Process *p) {
    return clock_corrects() && clock_offset_state() == OFFSET_FINAL ? am_enabled : am_disabled;
}
static Term get_time_offset(Process *p) { return offset_state_term(clock_offset_state()); }
static Term get_time_warp_mode(Process *p) {
    static const Term names[] = {[NO_TIME_WARP] = am_no_time_warp,
                                 [SINGLE_TIME_WARP] = am_single_time_warp,
                                 [MULTI_TIME_WARP] = am_multi_time_warp};
    return names[clock_warp()];
}

static Term get_cpu_quota(Process *p) { return cpu_quota() == 0 ? am_unknown : small_make(cpu_quota()); }

typedef struct {
    Process *p;
    Term list;
} ControllerList;

static void add_controller(Entry *entry, void *data) {
    Process *p = ((ControllerList *)data)->p;
    const Channel *c = entry_up_channel(entry);
    if (c == NULL)
        return;
    Term pair = area_tuple2(process_area(p), entry->name, c->controller);
    ((ControllerList *)data)->list = area_cons(process_area(p), pair, ((ControllerList *)data)->list);
}

static Term get_dist_ctrl(Process *p) {
    ControllerList l = {p, NIL};
    entries_each(add_controller, &l);
    return l.list;
}

static Term get_dist_busy_limit(Process *p) { return count_term(p, channel_busy_limit); }

static const struct {
    Term item;
    Term (*get)(Process *p);
} getters[] = {
    {am_dist_ctrl, get_dist_ctrl},
    {am_dist_buf_busy_limit, get_dist_busy_limit},
    {am_cpu_quota, get_cpu_quota},
    {am_time_correction, get_time_correction},
    {am_tolerant_timeofday, get_tolerant_timeofday},
    {am_time_offset, get_time_offset},
    {am_time_warp_mode, get_time_warp_mode},
    {am_otp_release, get_otp_release},
    {am_version, get_version},
    {am_machine, get_machine},
    {am_nif_version, get_nif_version},
    {am_driver_version, get_driver_version},
    {am_emu_args, get_emu_args},
    {am_info, get_info_text},
    {am_loaded, get_loaded_text},
    {am_dist, get_dist_text},
    {am_procs, get_procs_text},
    {am_system_architecture, get_architecture},
    {am_system_version, get_system_version},
    {am_os_type, get_os_type},
    {am_os_version, get_os_version},
    {am_c_compiler_used, get_compiler},
    {am_compile_info, get_compile_info},
    {am_compat_rel, get_compat_rel},
    {am_atom_count, get_atom_count},
    {am_atom_limit, get_atom_limit},
    {am_port_count, get_port_count},
    {am_ets_limit, get_ets_limit},
    {am_port_limit, get_port_limit},
    {am_process_count, get_process_count},
    {am_process_limit, get_process_limit},
    {am_break_ignored, get_break_ignored},
    {am_outstanding_system_requests_limit, get_requests_limit},
    {am_schedulers, get_schedulers},
    {am_schedulers_online, get_schedulers_online},
    {am_schedulers_active, get_schedulers_active},
    {am_schedulers_state, get_schedulers_state},
    {am_all_schedulers_state, get_all_schedulers_state},
    {am_run_queues, get_schedulers},
    {am_ethread_info, get_ethread_info},
    {am_dirty_cpu_schedulers, get_dirty_cpu},
    {am_dirty_cpu_schedulers_online, get_dirty_cpu_online},
    {am_multi_scheduling, get_multi_scheduling},
    {am_multi_scheduling_blockers, get_blockers},
    {am_normal_multi_scheduling_blockers, get_normal_blockers},
    {am_trace_control_word, get_trace_control_word},
    {am_dirty_io_schedulers, get_dirty_io},
    {am_thread_pool_size, get_async_threads},
    {am_check_io, get_check_io},
    {am_logical_processors, get_processors},
    {am_logical_processors_available, get_processors_available},
    {am_logical_processors_online, get_processors_online},
    {am_creation, get_creation},
    {am_start_time, get_start_time},
    {am_end_time, get_end_time},
    {am_scheduler_id, get_scheduler_id},
    {am_scheduler_bindings, get_scheduler_bindings},
    {am_scheduler_bind_type, get_bind_type},
    {am_update_cpu_info, update_cpu_info},
    {am_cpu_topology, get_used_topology},
    {am_fullsweep_after, get_fullsweep_after},
    {am_min_heap_size, get_min_heap_size},
    {am_min_bin_vheap_size, get_min_bin_vheap_size},
    {am_max_heap_size, get_max_heap_size},
    {am_message_queue_data, get_message_queue_data},
    {am_garbage_collection, get_garbage_collection},
    {am_heap_sizes, get_heap_sizes},
    {am_os_monotonic_time_source, get_monotonic_source},
    {am_os_system_time_source, get_system_source},
    {am_snifs, get_snifs},
    {am_port_parallelism, get_port_parallelism},
    {am_schedulers_total, get_schedulers_total},
    {am_emu_flavor, get_emu_flavor},
    {am_ets_count, get_ets_count},
    {am_taints, get_taints},
    {am_sequential_tracer, get_sequential_tracer},
    {am_system_logger, get_system_logger},
    {am_allocated_areas, get_allocated_areas},
    {am_allocator, get_allocator},
    {am_ethread_used_tse, get_used_events},
};

#define SMALL(n) ((Term)(n) * 8) /* small_make as a constant expression */
static const struct {
    Term item, value;
} constants[] = {
    {am_wordsize, SMALL(8)},
    {am_build_type, am_opt},
    {am_emu_type, am_opt},
    {am_debug_compiled, am_false},
    {am_smp_support, am_true},
    {am_threads, am_true},
    {am_endian, am_little},
    {am_heap_type, am_private},
    {am_kernel_poll, am_true},
    {am_dynamic_trace, am_none},
    {am_dynamic_trace_probes, am_false},
    {am_lock_counting, am_false},
    {am_modified_timing_level, am_undefined},
    {am_alloc_util_allocators, NIL},
    {am_beam_jump_table, am_true},
    {am_eager_check_io, am_true},
    {am_ets_always_compress, am_false},
    {am_ets_realloc_moves, am_false},
    {am_hipe_architecture, am_undefined},
    {am_context_reductions, SMALL(REDUCTIONS_PER_SLICE)},
    {am_constant_pool_support, am_true},
    {am_lock_checking, am_false},
    {am_io_thread, am_false},
    {am_delayed_node_table_gc, SMALL(0)},
};

/* The allocators of the stock runtime are not here, which is told as when one is switched off. */
static Term allocator_of(Process *p, Term name) {
    static const Term names[] = {am_sys_alloc,    am_mseg_alloc,   am_temp_alloc, am_sl_alloc,  am_std_alloc,
                                 am_ll_alloc,     am_eheap_alloc,  am_ets_alloc,  am_fix_alloc, am_literal_alloc,
                                 am_binary_alloc, am_driver_alloc, am_erts_mmap};
    for (size_t i = 0; i < array_length(names); i++)
        if (names[i] == name)
            return am_false;
    return fail_badarg(p);
}

static Term allocators_of(Process *p, Term list) {
    Term reversed = NIL, result = NIL;
    for (; is_list(list); list = list_tail(list)) {
        if (!is_atom(list_head(list)) || !is_value(allocator_of(p, list_head(list))))
            return fail_badarg(p);
        reversed = area_cons(process_area(p), area_tuple2(process_area(p), list_head(list), am_false), reversed);
    }
    for (; is_list(reversed); reversed = list_tail(reversed))
        result = area_cons(process_area(p), list_head(reversed), result);
    return is_nil(list) ? result : fail_badarg(p);
}

/* {wordsize, internal | external}, {cpu_topology, _}, {allocator, _}, {allocator_sizes, _} */
static Term pair_item(Process *p, const Term *e) {
    if (e[0] == am_wordsize && (e[1] == am_internal || e[1] == am_external))
        return small_make(8);
    if (e[0] == am_cpu_topology && (e[1] == am_defined || e[1] == am_detected || e[1] == am_used))
        return get_cpu_topology(p, e[1]);
    if (e[0] == am_allocator || e[0] == am_allocator_sizes)
        return is_atom(e[1]) ? allocator_of(p, e[1]) : allocators_of(p, e[1]);
    return fail_badarg(p);
}

Term erlang_system_info_1(Process *p, const Term *a) {
    if (a[0] == am_halt_flush_timeout && release_has(RELEASE_FLUSH_TIMEOUT))
        return halt_flush_timeout(process_area(p));
    if (a[0] == am_async_dist && release_has(RELEASE_ASYNC_DIST))
        return am_false; /* +pad, which is not taken */
    if (is_tuple_arity(a[0], 2))
        return pair_item(p, tuple_elements(a[0]));
    for (size_t i = 0; i < array_length(getters); i++)
        if (getters[i].item == a[0])
            return getters[i].get(p);
    for (size_t i = 0; i < array_length(constants); i++)
        if (constants[i].item == a[0])
            return constants[i].value;
    return fail_badarg(p);
}

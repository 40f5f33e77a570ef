/*
 * erts_debug: a look behind the scenes, for test suites that cannot see otherwise what they test.
 *
 * get_internal_state/1 and set_internal_state/2 are undefined until somebody has made them available. Items about the
 * inside of the stock runtime alone are badarg. Items are rows of two tables; those of processes are functions of
 * internal_processes.c, those of tables of internal_tables.c, dirty operations are in dirty_test.c.
 * Source: OTP 25's own test suites, and what its runtime answers them.
 */
#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "bif/argument.h"
#include "bif/loop_limit.h"
#include "bif/data/persistent_term.h"
#include "bif/magic_object.h"
#include "bif/system/internal_state.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "port/select.h"
#include "process/receive_marker.h"
#include "process/report.h"
#include "process/request.h"
#include "process/sampling.h"
#include "process/saved_calls.h"
#include "process/system_task.h"
#include "sched/balance.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/hash.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"
#include "term/print.h"

static _Atomic bool is_available;

/* --- What is asked --- */

typedef Term GetItem(Process *p, Term argument);

static Term get_available(Process *p, Term none) { return am_true; }
/* How often all run queues were evened out. */
static Term get_nbalance(Process *p, Term none) { return integer_from_uint64(process_area(p), balance_rounds()); }
static Term get_reds_left(Process *p, Term none) { return small_make(process_reductions_left(p)); }
/* Whether the stock runtime was built to put all that built-in functions build outside of the heap; whether it counts
 * the memory of counters; whether dumps tell of the schedulers. */
static Term get_no(Process *p, Term none) { return am_false; }
static Term get_notsup(Process *p, Term none) { return am_notsup; }

/* #{table => Places}: persistent_term:info() tells of the rest. */
static Term get_persistent_term(Process *p, Term none) {
    Term pair[] = {am_table, small_make((SWord)persistent_term_table_size())};
    return map_from_pairs(process_area(p), pair, 1);
}

/* heap_binary or {refc_binary, BytesUsed, {binary, Bytes}, Flags}; flags 3: it can be appended to in place. */
static Term get_binary_info(Process *p, Term t) {
    if (!is_bitstring(t))
        return fail_badarg(p);
    if (is_boxed_kind(t, KIND_SUB_BITS))
        t = ((const SubBits *)boxed_ptr(t))->origin;
    if (!is_boxed_kind(t, KIND_BIN_REF))
        return am_heap_binary;
    const BinRef *ref = (const BinRef *)boxed_ptr(t);
    Area *area = process_area(p);
    Term whole = area_tuple2(area, am_binary, small_make((SWord)ref->binary->size));
    Term flags = small_make(ref->flags == small_make(0) ? 0 : 3);
    return area_tuple4(area, am_refc_binary, ref->size, whole, flags);
}

/* The figures of erlang:memory/0; the stock runtime counts them in another way. */
static Term get_memory(Process *p, Term none) { return erlang_memory_0(p, NULL); }

static Term get_internal_hash(Process *p, Term t) { return small_make((SWord)term_hash(t)); }

/* The atom of that number: they are numbered as they are made. */
static Term get_atom(Process *p, Term number) {
    bool is_there = is_small_within(number, 0, (SWord)atom_count() - 1);
    return is_there ? atom_make((uint32_t)small_value(number)) : fail_badarg(p);
}

static bool destroy_nothing(RefcBinary *object) { return true; }

static Term address_of(Process *p, const RefcBinary *object) {
    return integer_from_int64(process_area(p), (int64_t)(uintptr_t)object);
}

/* {Address, References, IsMagic}: that of a reference made by set_internal_state(make, magic_ref), or another's. */
static Term get_magic_ref(Process *p, Term t) {
    if (!is_magic_ref(t))
        return am_false;
    RefcBinary *object = magic_ref_binary(t);
    Term count = small_make(atomic_load(&object->refc));
    Term address = address_of(p, object);
    return area_tuple3(process_area(p), address, count, bool_term(object->destructor == destroy_nothing));
}

/* {Errors, Descriptors in use, structures of drivers, of native libraries}: there is no other trace of a descriptor
 * than that somebody has selected it, so none can be wrong. */
static Term get_check_io_debug(Process *p, Term no) {
    Term used = small_make((int64_t)port_select_count());
    return area_tuple4(process_area(p), small_make(0), used, used, small_make(0));
}

/* {check_time_config, Correction, Warp}: could the node be started so? All go with each other. */
static Term get_can_have_time(Process *p, Term corrects, Term warp) {
    bool is_mode = warp == am_no_time_warp || warp == am_single_time_warp || warp == am_multi_time_warp;
    return is_mode && (corrects == am_true || corrects == am_false) ? am_true : fail_badarg(p);
}

static const struct {
    Term name;
    bool has_argument;
    GetItem *get;
} asked[] = {
    {am_available_internal_state, false, get_available},
    {am_reds_left, false, get_reds_left},
    {am_nbalance, false, get_nbalance},
    {am_check_io_debug, false, get_check_io_debug},
    {am_force_heap_frags, false, get_no},
    {am_scheduler_dump, false, get_no},
    {am_flxctr_memory_usage, false, get_notsup},
    {am_persistent_term, false, get_persistent_term},
    {am_memory, false, get_memory},
    {am_process_status, true, inside_process_status},
    {am_process_info_args, false, inside_process_info_items},
    {am_processes, false, inside_processes},
    {am_processes_bif_info, false, inside_processes_bif},
    {am_next_pid, false, inside_next_pid},
    {am_next_port, false, inside_next_port},
    {am_fake_scheduler_bindings, true, inside_bind_order},
    {am_link_list, true, inside_links},
    {am_monitor_list, true, inside_monitors},
    {am_binary_info, true, get_binary_info},
    {am_internal_hash, true, get_internal_hash},
    {am_magic_ref, true, get_magic_ref},
    {am_atom, true, get_atom},
    {am_node_and_dist_references, false, inside_node_references},
    {am_dist_ctrl, true, inside_controller},
    {am_atom_out_cache_index, true, inside_atom_set},
    {am_max_atom_out_cache_index, false, inside_last_atom_set},
    {am_monitoring_nodes, false, inside_node_monitors},
};

static Term undefined(Process *p) { return fail_with(p, FAIL_UNDEF); }

Term erts_debug_get_internal_state_1(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!atomic_load(&is_available))
        return undefined(p);
    if (is_tuple_arity(a[0], 3) && tuple_elements(a[0])[0] == am_check_time_config)
        return get_can_have_time(p, tuple_elements(a[0])[1], tuple_elements(a[0])[2]);
    bool has_argument = is_tuple_arity(a[0], 2);
    Term name = has_argument ? tuple_elements(a[0])[0] : a[0];
    for (size_t i = 0; i < array_length(asked); i++)
        if (asked[i].name == name && asked[i].has_argument == has_argument)
            return asked[i].get(p, has_argument ? tuple_elements(a[0])[1] : NON_VALUE);
    return fail_badarg(p);
}

/* --- What is set --- */

typedef Term SetItem(Process *p, Term to);

/* In stock's words. */
static void warn(Process *p) {
    TEXT(text);
    text_string(&text, "Process ");
    print_term(&text, p->pid);
    text_string(&text, " enabled access to the emulator internal state.\n"
                       "NOTE: This is an erts internal test feature and should *only* be used by OTP test-suites.\n");
    report_warning(p, text_cstring(&text));
}

static Term set_available(Process *p, Term to) {
    if (to != am_true && to != am_false)
        return atomic_load(&is_available) ? fail_badarg(p) : undefined(p);
    if (to == am_true)
        warn(p);
    return bool_term(atomic_exchange(&is_available, to == am_true));
}

/* The slice goes on for as long, as the engine counts it, from the end of this call on. */
static Term set_reds_left(Process *p, Term to) {
    if (!is_small(to))
        return fail_badarg(p);
    SWord n = small_value(to);
    sampling_leave_pieces(p);
    p->reductions = n < 0 ? 0 : n > REDUCTIONS_PER_SLICE ? REDUCTIONS_PER_SLICE : n;
    return am_true;
}

/* The scheduler does nothing else meanwhile. */
static Term set_sleep(Process *p, Term to) {
    if (!is_small_within(to, 0, INT32_MAX))
        return fail_badarg(p);
    SWord ms = small_value(to);
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
    return am_true;
}

static Term set_force_gc(Process *p, Term pid) {
    if (!is_local_pid(pid))
        return am_false;
    uint64_t request = request_begin(p);
    system_task_send(pid, system_task_create_request(&system_task_collect, p, request, small_make(COLLECT_MAJOR)));
    return request_wait(p);
}

/* Till all that was to be freed when it was called could have been. */
static Term set_wait(Process *p, Term what) {
    if (what != am_deallocations && what != am_timer_cancellations && what != am_aux_work && what != am_thread_progress)
        return fail_badarg(p);
    return request_wait_for_progress(p, am_ok);
}

static Term set_make(Process *p, Term what) {
    if (what != am_magic_ref)
        return fail_badarg(p);
    void *object;
    Term reference = native_new(p, sizeof(Word), destroy_nothing, &object);
    Term address = address_of(p, magic_ref_binary(reference));
    return area_tuple2(process_area(p), reference, address);
}

_Atomic uint32_t loop_limits[LOOP_KINDS];

/* The old one; for `default` what stock has. */
static Term set_loop_limit(Process *p, LoopKind kind, Term usual, Term to) {
    if (to != am_default && !is_small_within(to, 0, INT32_MAX))
        return fail_badarg(p);
    uint32_t old = atomic_exchange(&loop_limits[kind], to == am_default ? 0 : (uint32_t)small_value(to));
    return old == 0 ? usual : small_make(old);
}

static Term set_binary_loop_limit(Process *p, Term to) { return set_loop_limit(p, LOOP_BINARY, small_make(0), to); }
static Term set_re_loop_limit(Process *p, Term to) { return set_loop_limit(p, LOOP_RE, small_make(40000), to); }
static Term set_unicode_loop_limit(Process *p, Term to) {
    return set_loop_limit(p, LOOP_UNICODE, small_make(40000), to);
}

/* The term, copied to where the heap does not reach until it is collected. */
static Term set_fragment(Process *p, Term t) {
    FragmentArea fragment;
    fragment_area_init(&fragment, 1);
    Term copy = term_copy(t, &fragment.area);
    heap_adopt_fragments(&p->heap, fragment_area_finish(&fragment));
    return copy;
}

/* What is built next finds no room. */
static Term set_full_heap(Process *p, Term to) {
    Area *area = process_area(p);
    while (area->limit - area->top > STACK_RESERVE)
        *area->top++ = NIL;
    return am_ok;
}

/* Where the numbers of the process's receive markers go on. */
static Term set_uniq_counter(Process *p, Term to) {
    int64_t number;
    if (!integer_to_int64(to, &number))
        return fail_badarg(p);
    receive_markers_count_from(p, (uint64_t)number);
    return am_ok;
}

/* Whether senders to the process put signals beside each other, without waiting: they always do here, on stock where
 * messages are kept off the heap. */
static Term set_signal_buffers(Process *p, Term to) { return to == am_true ? am_true : am_notsup; }

static Term set_notsup(Process *p, Term to) { return am_notsup; }

static const struct {
    Term name;
    SetItem *set;
} settable[] = {
    {am_reds_left, set_reds_left},
    {am_sleep, set_sleep},
    {am_force_gc, set_force_gc},
    {am_wait, set_wait},
    {am_make, set_make},
    {am_ets_force_trap, set_notsup},
    {am_binary_loop_limit, set_binary_loop_limit},
    {am_re_loop_limit, set_re_loop_limit},
    {am_unicode_loop_limit, set_unicode_loop_limit},
    {am_next_pid, inside_set_next_pid},
    {am_next_port, inside_set_next_port},
    {am_gc_state, inside_set_collections},
    {am_test_long_gc_sleep, inside_set_slow_collections},
    {am_block, inside_block},
    {am_code_write_permission, inside_set_code_permission},
    {am_mbuf, set_fragment},
    {am_fill_heap, set_full_heap},
    {am_ets_force_split, inside_set_splitting},
    {am_ets_debug_random_split_join, inside_set_shuffling},
    {am_colliding_names, inside_colliding_names},
    {am_process_uniq_counter, set_uniq_counter},
    {am_proc_sig_buffers, set_signal_buffers},
};

Term erts_debug_set_internal_state_2(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return is_value(result) && a[0] == am_block ? inside_sleep_blocked(p, a[1]) : result;
    if (a[0] == am_available_internal_state)
        return set_available(p, a[1]);
    if (!atomic_load(&is_available))
        return undefined(p);
    for (size_t i = 0; i < array_length(settable); i++)
        if (settable[i].name == a[0])
            return settable[i].set(p, a[1]);
    return fail_badarg(p);
}

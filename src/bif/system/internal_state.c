/*
 * erts_debug: a look behind the scenes, for test suites that cannot see otherwise what they test.
 *
 * get_internal_state/1 and set_internal_state/2 are undefined until somebody has made them available. Items about the
 * inside of the stock runtime alone are badarg. Items are rows of two tables; those of processes are functions of
 * internal_processes.c, those of tables of internal_tables.c, dirty operations are in dirty_test.c.
 * Source: OTP 25's own test suites, and what its runtime answers them.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#include "process/reference.h"
#include "process/request.h"
#include "process/sampling.h"
#include "process/saved_calls.h"
#include "process/system_task.h"
#include "sched/balance.h"
#include "sys/thread.h"
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
/* Whether the stock runtime was built to put all that built-in functions build outside of the heap; whether dumps tell
 * what other schedulers ran: here these come to rest before. */
static Term get_no(Process *p, Term none) { return am_false; }
/* Whether it counts the memory of counters; in which order locks were taken. */
static Term get_notsup(Process *p, Term none) { return am_notsup; }
/* Where its super carrier lies: there is none, as with its own flags where none are said. */
static Term get_undefined(Process *p, Term none) { return am_undefined; }

/* The least ones of any sign, and the counter of the strictly monotonic ones. */
static Term get_unique_min(Process *p, Term none) { return integer_from_int64(process_area(p), UNIQUE_INTEGER_MIN); }
static Term get_monotonic(Process *p, Term none) {
    return integer_from_uint64(process_area(p), unique_integer_last_monotonic());
}

/* What a built-in function has of its thread's stack. */
static Term get_stack_left(Process *p, Term none) { return integer_from_uint64(process_area(p), thread_stack_left()); }

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

/* The atom of that number: they are numbered as they are made. If there is none yet, it is made with all before it. */
static Term get_atom(Process *p, Term number) {
    if (!is_small_within(number, 0, (SWord)atom_limit() - 1))
        return fail_badarg(p);
    for (size_t n = atom_count(); (size_t)small_value(number) >= atom_count(); n++) {
        char name[24];
        int length = snprintf(name, sizeof name, "am%zx", n);
        if (!is_value(atom_put((const uint8_t *)name, (size_t)length, NULL)))
            return fail_system_limit(p);
    }
    return atom_make((uint32_t)small_value(number));
}

static bool destroy_nothing(RefcBinary *object) { return true; }

static Term address_of(Process *p, const RefcBinary *object) {
    return integer_from_int64(process_area(p), (int64_t)(uintptr_t)object);
}

/* {Address, References, IsTest}: that of a reference made by set_internal_state(make, magic_ref), or another's. True:
 * what it led to has gone. */
static Term get_magic_ref(Process *p, Term t) {
    if (!is_magic_ref(t))
        return bool_term(is_local_ref(t) && reference_was_magic(t));
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

/* Options but `iovec`, in their order. */
static Term without_iovec(Area *area, Term options, bool *was_there) {
    Term first = NIL, *end = &first;
    *was_there = false;
    for (; is_list(options); options = list_tail(options)) {
        if (list_head(options) == am_iovec) {
            *was_there = true;
            continue;
        }
        *end = area_cons(area, list_head(options), NIL);
        end = &list_ptr(*end)[1];
    }
    *end = options;
    return first;
}

/* {term_to_binary, Term, Options}: that, or with `iovec` among the options term_to_iovec. */
static Term get_encoded(Process *p, Term t, Term options) {
    bool is_iovec;
    Term arguments[] = {t, without_iovec(process_area(p), options, &is_iovec)};
    return is_iovec ? erlang_term_to_iovec_2(p, arguments) : erlang_term_to_binary_2(p, arguments);
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
    {am_mmap, false, get_undefined},
    {am_lc_graph, false, get_notsup},
    {am_stack_check, false, get_stack_left},
    {am_DbTable_words, false, inside_table_words},
    {am_unique_monotonic_integer_state, false, get_monotonic},
    {am_min_unique_monotonic_integer, false, get_unique_min},
    {am_min_unique_integer, false, get_unique_min},
    {am_node_and_dist_references, false, inside_node_references},
    {am_dist_ctrl, true, inside_controller},
    {am_connection_id, true, inside_connection_id},
    {am_channel_number, true, inside_channel_number},
    {am_atom_out_cache_index, true, inside_atom_set},
    {am_max_atom_out_cache_index, false, inside_last_atom_set},
    {am_monitoring_nodes, false, inside_node_monitors},
};

static Term undefined(Process *p) { return fail_with(p, FAIL_UNDEF); }

static Term get_by_two(Process *p, const Term *e) {
    return e[0] == am_check_time_config ? get_can_have_time(p, e[1], e[2])
           : e[0] == am_term_to_binary  ? get_encoded(p, e[1], e[2])
                                        : fail_badarg(p);
}

Term erts_debug_get_internal_state_1(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!atomic_load(&is_available))
        return undefined(p);
    if (is_tuple_arity(a[0], 3))
        return get_by_two(p, tuple_elements(a[0]));
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

/* The slice goes on for as long, as the engine counts it, from the end of this call on; if that is no slice, it is left
 * as it was. */
static Term set_reds_left(Process *p, Term to) {
    int64_t n;
    if (!integer_to_int64(to, &n))
        return fail_badarg(p);
    if (n < 0 || n > REDUCTIONS_PER_SLICE)
        return am_true;
    sampling_leave_pieces(p);
    p->reductions = n;
    return am_true;
}

/* The scheduler does nothing else meanwhile. */
static Term set_sleep(Process *p, Term to) {
    int64_t ms;
    if (!integer_to_int64(to, &ms))
        return fail_badarg(p);
    inside_sleep(ms);
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

/* Traps of ETS where there is no need; native code as text: the stock runtime has them by how it was built. */
static Term set_notsup(Process *p, Term to) { return am_notsup; }

/* So many zeroes, off the heap however few; false: there is no room. */
static Term set_binary(Process *p, Term to) {
    int64_t size;
    if (!integer_to_int64(to, &size))
        return fail_badarg(p);
    RefcBinary *zeroes = size < 0 ? NULL : refc_binary_try_create((size_t)size);
    if (zeroes == NULL)
        return am_false;
    memset(zeroes->bytes, 0, (size_t)size);
    return binary_from_refc(process_area(p), zeroes, (size_t)size);
}

/* The end, with a core of it, and these last words. */
static Term set_abort(Process *p, Term words) {
    TEXT(text);
    print_term(&text, words);
    (void)fprintf(stderr, "%s\n", text_cstring(&text));
    abort();
}

/* The counter of the strictly monotonic integers: 64 bits, as they are or with a sign. */
static Term set_monotonic(Process *p, Term to) {
    int64_t last;
    uint64_t unsigned_last;
    if (integer_to_int64(to, &last))
        unique_integer_set_last_monotonic((uint64_t)last);
    else if (integer_to_uint64(to, &unsigned_last))
        unique_integer_set_last_monotonic(unsigned_last);
    else
        return am_false;
    return am_true;
}

/* For how many milliseconds nodes stay in the table when nobody refers to them any more; negative: as from the start.
 * They go at once, which is all that can be had. */
static Term set_node_delay(Process *p, Term to) {
    int64_t ms;
    return integer_to_int64(to, &ms) && ms <= 0 ? am_ok : fail_badarg(p);
}

static const struct {
    Term name;
    SetItem *set;
} settable[] = {
    {am_reds_left, set_reds_left},
    {am_sleep, set_sleep},
    {am_block_scheduler, set_sleep},
    {am_binary, set_binary},
    {am_abort, set_abort},
    {am_unique_monotonic_integer_state, set_monotonic},
    {am_node_tab_delayed_delete, set_node_delay},
    {am_jit_asm_dump, set_notsup},
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
    {am_proc_sig_block, inside_block_signals},
    {am_multizero_timeout_in_timeout, inside_set_nested_timers},
    {am_kill_dist_connection, inside_kill_connection},
    {am_remove_hopefull_dflags, inside_withhold},
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

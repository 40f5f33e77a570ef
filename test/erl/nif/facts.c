/* Prints what a compiled library depends on: sizes, offsets and values of erl_nif.h. Compiled with each header there is
 * (test/scenario/nif_header), and the outputs compared. */
#include "erl_nif.h"

#include <stddef.h>
#include <stdio.h>

#define VALUE(x) printf(#x " %lld\n", (long long)(x))
#define SIZE(type) printf("sizeof " #type " %zu align %zu\n", sizeof(type), _Alignof(type))
#define FIELD(type, field) printf(#type "." #field " %zu+%zu\n", offsetof(type, field), sizeof(((type *)0)->field))
#define IS_SIGNED(type) printf(#type " signed %d\n", (type) - 1 < (type)1)

/* clang-format off */
static void sizes(void) {
    SIZE(ERL_NIF_TERM); SIZE(ERL_NIF_UINT); SIZE(ErlNifSInt64); SIZE(ErlNifUInt64); SIZE(ErlNifSInt); SIZE(ErlNifUInt);
    SIZE(ErlNifTime); SIZE(ErlNifEvent); SIZE(ErlNifPid); SIZE(ErlNifPort); SIZE(ErlNifBinary); SIZE(ErlNifMonitor);
    SIZE(ErlNifEntry); SIZE(ErlNifFunc); SIZE(ErlNifMapIterator); SIZE(ErlNifIOVec); SIZE(SysIOVec); SIZE(ErlNifTid);
    SIZE(ErlNifTSDKey); SIZE(ErlNifSysInfo); SIZE(ErlNifThreadOpts); SIZE(ErlNifResourceTypeInit);
    SIZE(ErlNifResourceFlags); SIZE(ErlNifCharEncoding); SIZE(ErlNifDirtyTaskFlags); SIZE(enum ErlNifSelectFlags);
    SIZE(ErlNifTimeUnit); SIZE(ErlNifTermType); SIZE(ErlNifHash); SIZE(ErlNifMapIteratorEntry); SIZE(ErlDirtyJobFlags);
    SIZE(ErlNifUniqueInteger); SIZE(ErlNifBinaryToTerm); SIZE(ErlNifIOQueueOpts);
    IS_SIGNED(ERL_NIF_TERM); IS_SIGNED(ErlNifTime); IS_SIGNED(ErlNifSInt64); IS_SIGNED(ErlNifUInt64);
}

static void fields(void) {
    FIELD(ErlNifEntry, major); FIELD(ErlNifEntry, minor); FIELD(ErlNifEntry, name); FIELD(ErlNifEntry, num_of_funcs);
    FIELD(ErlNifEntry, funcs); FIELD(ErlNifEntry, load); FIELD(ErlNifEntry, reload); FIELD(ErlNifEntry, upgrade);
    FIELD(ErlNifEntry, unload); FIELD(ErlNifEntry, vm_variant); FIELD(ErlNifEntry, options);
    FIELD(ErlNifEntry, sizeof_ErlNifResourceTypeInit); FIELD(ErlNifEntry, min_erts);
    FIELD(ErlNifFunc, name); FIELD(ErlNifFunc, arity); FIELD(ErlNifFunc, fptr); FIELD(ErlNifFunc, flags);
    FIELD(ErlNifBinary, size); FIELD(ErlNifBinary, data); FIELD(ErlNifBinary, ref_bin); FIELD(ErlNifBinary, __spare__);
    FIELD(ErlNifPid, pid); FIELD(ErlNifPort, port_id); FIELD(ErlNifMonitor, data);
    FIELD(ErlNifMapIterator, map); FIELD(ErlNifMapIterator, size); FIELD(ErlNifMapIterator, idx);
    FIELD(ErlNifMapIterator, u); FIELD(ErlNifMapIterator, u.flat.ks); FIELD(ErlNifMapIterator, u.flat.vs);
    FIELD(ErlNifMapIterator, u.hash.wstack); FIELD(ErlNifMapIterator, u.hash.kv);
    FIELD(ErlNifMapIterator, __spare__);
    FIELD(ErlNifIOVec, iovcnt); FIELD(ErlNifIOVec, size); FIELD(ErlNifIOVec, iov); FIELD(ErlNifIOVec, ref_bins);
    FIELD(ErlNifIOVec, flags); FIELD(ErlNifIOVec, small_iov); FIELD(ErlNifIOVec, small_ref_bin);
    FIELD(SysIOVec, iov_base); FIELD(SysIOVec, iov_len);
    FIELD(ErlNifResourceTypeInit, dtor); FIELD(ErlNifResourceTypeInit, stop); FIELD(ErlNifResourceTypeInit, down);
    FIELD(ErlNifResourceTypeInit, members); FIELD(ErlNifResourceTypeInit, dyncall);
    FIELD(ErlNifSysInfo, driver_major_version); FIELD(ErlNifSysInfo, driver_minor_version);
    FIELD(ErlNifSysInfo, erts_version); FIELD(ErlNifSysInfo, otp_release); FIELD(ErlNifSysInfo, thread_support);
    FIELD(ErlNifSysInfo, smp_support); FIELD(ErlNifSysInfo, async_threads); FIELD(ErlNifSysInfo, scheduler_threads);
    FIELD(ErlNifSysInfo, nif_major_version); FIELD(ErlNifSysInfo, nif_minor_version);
    FIELD(ErlNifSysInfo, dirty_scheduler_support); FIELD(ErlNifThreadOpts, suggested_stack_size);
}

static void values(void) {
    VALUE(ERL_NIF_MAJOR_VERSION); VALUE(ERL_NIF_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD);
    VALUE(ERL_NIF_SEC); VALUE(ERL_NIF_MSEC); VALUE(ERL_NIF_USEC); VALUE(ERL_NIF_NSEC); VALUE(ERL_NIF_TIME_ERROR);
    VALUE(ERL_NIF_SELECT_READ); VALUE(ERL_NIF_SELECT_WRITE); VALUE(ERL_NIF_SELECT_STOP); VALUE(ERL_NIF_SELECT_CANCEL);
    VALUE(ERL_NIF_SELECT_CUSTOM_MSG); VALUE(ERL_NIF_SELECT_ERROR); VALUE(ERL_NIF_SELECT_STOP_CALLED);
    VALUE(ERL_NIF_SELECT_STOP_SCHEDULED); VALUE(ERL_NIF_SELECT_INVALID_EVENT); VALUE(ERL_NIF_SELECT_FAILED);
    VALUE(ERL_NIF_SELECT_READ_CANCELLED); VALUE(ERL_NIF_SELECT_WRITE_CANCELLED);
    VALUE(ERL_NIF_SELECT_ERROR_CANCELLED); VALUE(ERL_NIF_SELECT_NOTSUP);
    VALUE(ERL_NIF_RT_CREATE); VALUE(ERL_NIF_RT_TAKEOVER); VALUE(ERL_NIF_LATIN1);
    VALUE(ERL_NIF_DIRTY_JOB_CPU_BOUND); VALUE(ERL_NIF_DIRTY_JOB_IO_BOUND); VALUE(ERL_DIRTY_JOB_CPU_BOUND);
    VALUE(ERL_DIRTY_JOB_IO_BOUND); VALUE(ERL_NIF_MAP_ITERATOR_FIRST); VALUE(ERL_NIF_MAP_ITERATOR_LAST);
    VALUE(ERL_NIF_MAP_ITERATOR_HEAD); VALUE(ERL_NIF_MAP_ITERATOR_TAIL); VALUE(ERL_NIF_UNIQUE_POSITIVE);
    VALUE(ERL_NIF_UNIQUE_MONOTONIC); VALUE(ERL_NIF_BIN2TERM_SAFE); VALUE(ERL_NIF_INTERNAL_HASH); VALUE(ERL_NIF_PHASH2);
    VALUE(ERL_NIF_IOVEC_SIZE); VALUE(ERL_NIF_IOQ_NORMAL); VALUE(ERL_NIF_THR_UNDEFINED);
    VALUE(ERL_NIF_THR_NORMAL_SCHEDULER); VALUE(ERL_NIF_THR_DIRTY_CPU_SCHEDULER);
    VALUE(ERL_NIF_THR_DIRTY_IO_SCHEDULER); VALUE(ERL_NIF_TERM_TYPE_ATOM); VALUE(ERL_NIF_TERM_TYPE_BITSTRING);
    VALUE(ERL_NIF_TERM_TYPE_FLOAT); VALUE(ERL_NIF_TERM_TYPE_FUN); VALUE(ERL_NIF_TERM_TYPE_INTEGER);
    VALUE(ERL_NIF_TERM_TYPE_LIST); VALUE(ERL_NIF_TERM_TYPE_MAP); VALUE(ERL_NIF_TERM_TYPE_PID);
    VALUE(ERL_NIF_TERM_TYPE_PORT); VALUE(ERL_NIF_TERM_TYPE_REFERENCE); VALUE(ERL_NIF_TERM_TYPE_TUPLE);
    VALUE(ERL_NIF_TERM_TYPE__MISSING_DEFAULT_CASE__READ_THE_MANUAL);
    printf("%s\n", ERL_NIF_VM_VARIANT);
#ifdef SINCE_2_17
    VALUE(ERL_NIF_MINOR_VERSION); VALUE(ERL_NIF_UTF8); VALUE(ERL_NIF_OPT_DELAY_HALT); VALUE(ERL_NIF_OPT_ON_HALT);
    VALUE(ERL_NIF_OPT_ON_UNLOAD_THREAD); SIZE(ErlNifOption);
    printf("%s\n", ERL_NIF_MIN_ERTS_VERSION);
#endif
}

/* Every short form and macro compiles, with the types that it should have. */
#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(__typeof__(a), __typeof__(b)), #a)
/* clang-format on */

SAME(enif_make_tuple1, ERL_NIF_TERM(ErlNifEnv *, ERL_NIF_TERM));
SAME(enif_make_list3, ERL_NIF_TERM(ErlNifEnv *, ERL_NIF_TERM, ERL_NIF_TERM, ERL_NIF_TERM));
SAME(enif_make_tuple9, ERL_NIF_TERM(ErlNifEnv *, ERL_NIF_TERM, ERL_NIF_TERM, ERL_NIF_TERM, ERL_NIF_TERM, ERL_NIF_TERM,
                                    ERL_NIF_TERM, ERL_NIF_TERM, ERL_NIF_TERM, ERL_NIF_TERM));
SAME(enif_get_int64, int(ErlNifEnv *, ERL_NIF_TERM, ErlNifSInt64 *));
SAME(enif_make_uint64, ERL_NIF_TERM(ErlNifEnv *, ErlNifUInt64));
static ErlNifPid pid;
SAME(enif_make_pid(NULL, &pid), ERL_NIF_TERM);
SAME(enif_compare_pids(&pid, &pid), int);
SAME(enif_select_read(NULL, 0, NULL, NULL, 0, NULL), int);
SAME(enif_select_write(NULL, 0, NULL, NULL, 0, NULL), int);
SAME(enif_select_error(NULL, 0, NULL, NULL, 0, NULL), int);

static ErlNifFunc functions[] = {{"f", 0, NULL, 0}};
ERL_NIF_INIT(facts, functions, NULL, NULL, NULL, NULL)

int main(void) {
    sizes();
    fields();
    values();
    ErlNifEntry *e = nif_init();
    printf("%d %s %d %d %zu\n", e->major, e->name, e->num_of_funcs, e->options, e->sizeof_ErlNifResourceTypeInit);
    return 0;
}

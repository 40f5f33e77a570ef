/*
 * The native function interface, version 2.17: what a NIF library includes.
 *
 * Written for Vivarium; compatible at source and binary level with the header of the same name that OTP 27 ships, and
 * so with libraries built for 2.15 and later (erl_nif(3) is the manual; docs/NIF.md says what holds here). Layouts,
 * values and prototypes must not change. ERL_NIF_TERM and all that is called internal below is opaque.
 */
#ifndef __ERL_NIF_H__
#define __ERL_NIF_H__

#include "erl_drv_nif.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERL_NIF_MAJOR_VERSION 2
#define ERL_NIF_MINOR_VERSION 17
/* The oldest runtime that takes a library with this version of the entry. */
#define ERL_NIF_MIN_ERTS_VERSION "erts-14.0"
#define ERL_NIF_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD 2
#define ERL_NIF_VM_VARIANT "beam.vanilla"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers and terms */
typedef ErlNapiSInt64 ErlNifSInt64;
typedef ErlNapiUInt64 ErlNifUInt64;
typedef ErlNapiSInt ErlNifSInt;
typedef ErlNapiUInt ErlNifUInt;
typedef ErlNifUInt ERL_NIF_TERM;
typedef ERL_NIF_TERM ERL_NIF_UINT;

typedef enum {
    ERL_NIF_TERM_TYPE_ATOM = 1,
    ERL_NIF_TERM_TYPE_BITSTRING = 2,
    ERL_NIF_TERM_TYPE_FLOAT = 3,
    ERL_NIF_TERM_TYPE_FUN = 4,
    ERL_NIF_TERM_TYPE_INTEGER = 5,
    ERL_NIF_TERM_TYPE_LIST = 6,
    ERL_NIF_TERM_TYPE_MAP = 7,
    ERL_NIF_TERM_TYPE_PID = 8,
    ERL_NIF_TERM_TYPE_PORT = 9,
    ERL_NIF_TERM_TYPE_REFERENCE = 10,
    ERL_NIF_TERM_TYPE_TUPLE = 11,
    /* Never returned: it makes compilers ask for a default case, which later versions may need. */
    ERL_NIF_TERM_TYPE__MISSING_DEFAULT_CASE__READ_THE_MANUAL = -1
} ErlNifTermType;

typedef enum { ERL_NIF_LATIN1 = 1, ERL_NIF_UTF8 = 2 } ErlNifCharEncoding;
typedef enum { ERL_NIF_INTERNAL_HASH = 1, ERL_NIF_PHASH2 = 2 } ErlNifHash;
typedef enum { ERL_NIF_UNIQUE_POSITIVE = 1, ERL_NIF_UNIQUE_MONOTONIC = 2 } ErlNifUniqueInteger;
typedef enum { ERL_NIF_BIN2TERM_SAFE = 0x20000000 } ErlNifBinaryToTerm;

typedef struct {
    ERL_NIF_TERM pid; /* internal */
} ErlNifPid;
typedef struct {
    ERL_NIF_TERM port_id; /* internal */
} ErlNifPort;

/* Bytes: read-only when inspected, writable when allocated, until made a term of or released. */
typedef struct {
    size_t size;
    unsigned char *data;
    void *ref_bin;      /* internal */
    void *__spare__[2]; /* internal */
} ErlNifBinary;

typedef struct { /* all of it internal */
    ERL_NIF_TERM map;
    ERL_NIF_UINT size;
    ERL_NIF_UINT idx;
    union {
        struct {
            ERL_NIF_TERM *ks;
            ERL_NIF_TERM *vs;
        } flat;
        struct {
            struct ErtsDynamicWStack_ *wstack;
            ERL_NIF_TERM *kv;
        } hash;
    } u;
    void *__spare__[2];
} ErlNifMapIterator;
typedef enum {
    ERL_NIF_MAP_ITERATOR_FIRST = 1,
    ERL_NIF_MAP_ITERATOR_LAST = 2,
    ERL_NIF_MAP_ITERATOR_HEAD = 1, /* older names of the two above */
    ERL_NIF_MAP_ITERATOR_TAIL = 2
} ErlNifMapIteratorEntry;

/* Time */
typedef ErlNifSInt64 ErlNifTime;
#define ERL_NIF_TIME_ERROR ((ErlNifSInt64)ERTS_NAPI_TIME_ERROR__)
typedef enum {
    ERL_NIF_SEC = ERTS_NAPI_SEC__,
    ERL_NIF_MSEC = ERTS_NAPI_MSEC__,
    ERL_NIF_USEC = ERTS_NAPI_USEC__,
    ERL_NIF_NSEC = ERTS_NAPI_NSEC__
} ErlNifTimeUnit;

/* A library: its functions and callbacks, as nif_init returns them */
typedef struct enif_environment_t ErlNifEnv;
typedef struct enif_func_t {
    const char *name;
    unsigned arity;
    ERL_NIF_TERM (*fptr)(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]);
    unsigned flags; /* 0, or one of ErlNifDirtyTaskFlags */
} ErlNifFunc;
typedef enum {
    ERL_NIF_DIRTY_JOB_CPU_BOUND = ERL_DIRTY_JOB_CPU_BOUND,
    ERL_NIF_DIRTY_JOB_IO_BOUND = ERL_DIRTY_JOB_IO_BOUND
} ErlNifDirtyTaskFlags;
typedef struct enif_entry_t {
    int major;
    int minor;
    const char *name;
    int num_of_funcs;
    ErlNifFunc *funcs;
    int (*load)(ErlNifEnv *, void **priv_data, ERL_NIF_TERM load_info);
    int (*reload)(ErlNifEnv *, void **priv_data, ERL_NIF_TERM load_info);
    int (*upgrade)(ErlNifEnv *, void **priv_data, void **old_priv_data, ERL_NIF_TERM load_info);
    void (*unload)(ErlNifEnv *, void *priv_data);
    const char *vm_variant;               /* since 2.1 */
    unsigned options;                     /* since 2.7; 1 is what ERL_NIF_INIT says */
    size_t sizeof_ErlNifResourceTypeInit; /* since 2.12 */
    const char *min_erts;                 /* since 2.14 */
} ErlNifEntry;

typedef enum {
    ERL_NIF_OPT_DELAY_HALT = 1,
    ERL_NIF_OPT_ON_HALT = 2,
    ERL_NIF_OPT_ON_UNLOAD_THREAD = 3
} ErlNifOption;
typedef void ErlNifOnHaltCallback(void *priv_data);
typedef void ErlNifOnUnloadThreadCallback(void *priv_data);

/* Resources, monitors, events */
typedef int ErlNifEvent;
typedef ErlDrvMonitor ErlNifMonitor;
typedef struct enif_resource_type_t ErlNifResourceType;
typedef enum { ERL_NIF_RT_CREATE = 1, ERL_NIF_RT_TAKEOVER = 2 } ErlNifResourceFlags;
typedef void ErlNifResourceDtor(ErlNifEnv *, void *);
typedef void ErlNifResourceStop(ErlNifEnv *, void *, ErlNifEvent, int is_direct_call);
typedef void ErlNifResourceDown(ErlNifEnv *, void *, ErlNifPid *, ErlNifMonitor *);
typedef void ErlNifResourceDynCall(ErlNifEnv *, void *obj, void *call_data);
typedef struct {
    ErlNifResourceDtor *dtor;
    ErlNifResourceStop *stop;
    ErlNifResourceDown *down;
    int members; /* how many callbacks are filled in: enif_init_resource_type */
    ErlNifResourceDynCall *dyncall;
} ErlNifResourceTypeInit;

/* What enif_select returns: negative ERL_NIF_SELECT_FAILED bits make it an error. */
#define ERL_NIF_SELECT_STOP_CALLED 1
#define ERL_NIF_SELECT_STOP_SCHEDULED 2
#define ERL_NIF_SELECT_INVALID_EVENT 4
#define ERL_NIF_SELECT_FAILED 8
#define ERL_NIF_SELECT_READ_CANCELLED 16
#define ERL_NIF_SELECT_WRITE_CANCELLED 32
#define ERL_NIF_SELECT_ERROR_CANCELLED 64
#define ERL_NIF_SELECT_NOTSUP 128

/* I/O vectors and queues */
#define ERL_NIF_IOVEC_SIZE 16
typedef struct erl_nif_io_vec {
    int iovcnt;
    size_t size; /* bytes in all */
    SysIOVec *iov;
    void **ref_bins; /* internal, as all that follows */
    int flags;
    SysIOVec small_iov[ERL_NIF_IOVEC_SIZE];
    void *small_ref_bin[ERL_NIF_IOVEC_SIZE];
} ErlNifIOVec;
typedef struct erts_io_queue ErlNifIOQueue;
typedef enum { ERL_NIF_IOQ_NORMAL = 1 } ErlNifIOQueueOpts;

/* Threads */
typedef ErlDrvSysInfo ErlNifSysInfo;
typedef ErlDrvThreadOpts ErlNifThreadOpts;
typedef struct ErlDrvTid_ *ErlNifTid;
typedef struct ErlDrvMutex_ ErlNifMutex;
typedef struct ErlDrvCond_ ErlNifCond;
typedef struct ErlDrvRWLock_ ErlNifRWLock;
typedef int ErlNifTSDKey;
/* What enif_thread_type returns */
#define ERL_NIF_THR_UNDEFINED 0
#define ERL_NIF_THR_NORMAL_SCHEDULER 1
#define ERL_NIF_THR_DIRTY_CPU_SCHEDULER 2
#define ERL_NIF_THR_DIRTY_IO_SCHEDULER 3

/* The functions */
#define ERL_NIF_API_FUNC_DECL(RET_TYPE, NAME, ARGS) extern RET_TYPE NAME ARGS
#include "erl_nif_api_funcs.h"
#undef ERL_NIF_API_FUNC_DECL

/* Functions under a second name, and short forms */
#define enif_get_int64 enif_get_long
#define enif_get_uint64 enif_get_ulong
#define enif_make_int64 enif_make_long
#define enif_make_uint64 enif_make_ulong
#define enif_make_pid(ENV, PID) ((void)(ENV), (const ERL_NIF_TERM)((PID)->pid))
#define enif_compare_pids(A, B) (enif_compare((A)->pid, (B)->pid))
#define ERL_NIF_SELECT_CUSTOM__(ENV, E, FLAG, OBJ, PID, MSG, MSG_ENV)                                                  \
    enif_select_x(ENV, E, (enum ErlNifSelectFlags)((FLAG) | ERL_NIF_SELECT_CUSTOM_MSG), OBJ, PID, MSG, MSG_ENV)
#define enif_select_read(ENV, E, OBJ, PID, MSG, MSG_ENV)                                                               \
    ERL_NIF_SELECT_CUSTOM__(ENV, E, ERL_NIF_SELECT_READ, OBJ, PID, MSG, MSG_ENV)
#define enif_select_write(ENV, E, OBJ, PID, MSG, MSG_ENV)                                                              \
    ERL_NIF_SELECT_CUSTOM__(ENV, E, ERL_NIF_SELECT_WRITE, OBJ, PID, MSG, MSG_ENV)
#define enif_select_error(ENV, E, OBJ, PID, MSG, MSG_ENV)                                                              \
    ERL_NIF_SELECT_CUSTOM__(ENV, E, ERL_NIF_SELECT_ERROR, OBJ, PID, MSG, MSG_ENV)

/* Tuples and lists of one to nine elements, checked by the compiler */
#define ERL_NIF_MAKE_N__(N, PARAMETERS, ...)                                                                           \
    static __inline__ ERL_NIF_TERM enif_make_tuple##N PARAMETERS { return enif_make_tuple(env, N, __VA_ARGS__); }      \
    static __inline__ ERL_NIF_TERM enif_make_list##N PARAMETERS { return enif_make_list(env, N, __VA_ARGS__); }
#define ERL_NIF_T__ ERL_NIF_TERM
ERL_NIF_MAKE_N__(1, (ErlNifEnv *env, ERL_NIF_T__ a), a)
ERL_NIF_MAKE_N__(2, (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b), a, b)
ERL_NIF_MAKE_N__(3, (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c), a, b, c)
ERL_NIF_MAKE_N__(4, (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c, ERL_NIF_T__ d), a, b, c, d)
ERL_NIF_MAKE_N__(5,
    (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c, ERL_NIF_T__ d, ERL_NIF_T__ e), a, b, c, d, e)
ERL_NIF_MAKE_N__(6,
    (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c, ERL_NIF_T__ d, ERL_NIF_T__ e, ERL_NIF_T__ f),
    a, b, c, d, e, f)
ERL_NIF_MAKE_N__(7,
    (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c, ERL_NIF_T__ d, ERL_NIF_T__ e, ERL_NIF_T__ f,
     ERL_NIF_T__ g), a, b, c, d, e, f, g)
ERL_NIF_MAKE_N__(8,
    (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c, ERL_NIF_T__ d, ERL_NIF_T__ e, ERL_NIF_T__ f,
     ERL_NIF_T__ g, ERL_NIF_T__ h), a, b, c, d, e, f, g, h)
ERL_NIF_MAKE_N__(9,
    (ErlNifEnv *env, ERL_NIF_T__ a, ERL_NIF_T__ b, ERL_NIF_T__ c, ERL_NIF_T__ d, ERL_NIF_T__ e, ERL_NIF_T__ f,
     ERL_NIF_T__ g, ERL_NIF_T__ h, ERL_NIF_T__ i), a, b, c, d, e, f, g, h, i)
#undef ERL_NIF_MAKE_N__
#undef ERL_NIF_T__

#ifdef __cplusplus
}
#define ERL_NIF_INIT_PROLOGUE extern "C" {
#define ERL_NIF_INIT_EPILOGUE }
#else
#define ERL_NIF_INIT_PROLOGUE
#define ERL_NIF_INIT_EPILOGUE
#endif

/* ERL_NIF_INIT defines the one function by which the runtime finds everything else: nif_init, or, for a library that is
 * linked into a program, NAME_nif_init (STATIC_ERLANG_NIF; STATIC_ERLANG_NIF_LIBNAME gives another NAME). */
#define ERL_NIF_INIT_ARGS void
#if defined(__GNUC__) || defined(__clang__)
#define ERL_NIF_INIT_EXPORT __attribute__((visibility("default")))
#else
#define ERL_NIF_INIT_EXPORT
#endif
#define ERL_NIF_JOIN__(A, B) A##B
#define ERL_NIF_INIT_OF__(LIBRARY) ERL_NIF_JOIN__(LIBRARY, _nif_init)
#if defined(STATIC_ERLANG_NIF_LIBNAME)
#define ERL_NIF_INIT_NAME(MODNAME) ERL_NIF_INIT_OF__(STATIC_ERLANG_NIF_LIBNAME)
#define ERL_NIF_INIT_DECL(MODNAME) ErlNifEntry *ERL_NIF_INIT_NAME(MODNAME)(ERL_NIF_INIT_ARGS)
#elif defined(STATIC_ERLANG_NIF)
#define ERL_NIF_INIT_NAME(MODNAME) ERL_NIF_INIT_OF__(MODNAME)
#define ERL_NIF_INIT_DECL(MODNAME) ErlNifEntry *ERL_NIF_INIT_NAME(MODNAME)(ERL_NIF_INIT_ARGS)
#else
#define ERL_NIF_INIT_DECL(MODNAME) ERL_NIF_INIT_EXPORT ErlNifEntry *nif_init(ERL_NIF_INIT_ARGS)
#endif
#define ERL_NIF_INIT(NAME, FUNCS, LOAD, RELOAD, UPGRADE, UNLOAD)                                                       \
    ERL_NIF_INIT_PROLOGUE                                                                                              \
    ERL_NIF_INIT_DECL(NAME);                                                                                           \
    ERL_NIF_INIT_DECL(NAME) {                                                                                          \
        static ErlNifEntry entry = {ERL_NIF_MAJOR_VERSION, ERL_NIF_MINOR_VERSION, #NAME,                               \
            sizeof(FUNCS) / sizeof(*FUNCS), FUNCS, LOAD, RELOAD, UPGRADE, UNLOAD, ERL_NIF_VM_VARIANT, 1,               \
            sizeof(ErlNifResourceTypeInit), ERL_NIF_MIN_ERTS_VERSION};                                                 \
        return &entry;                                                                                                 \
    }                                                                                                                  \
    ERL_NIF_INIT_EPILOGUE

#endif

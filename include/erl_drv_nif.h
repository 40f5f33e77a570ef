/*
 * What the native function interface shares with drivers: integer types of fixed width, the system information block,
 * thread options, dirty job kinds, event flags, monitors and I/O vectors.
 *
 * Written for Vivarium; compatible at source and binary level with the header of the same name that OTP 22 to 27 ship
 * (erl_nif(3), erl_driver(3)). Layouts and values must not change: compiled libraries depend on them. A test compiles
 * this header and the stock ones and compares every size, offset and value.
 */
#ifndef __ERL_DRV_NIF_H__
#define __ERL_DRV_NIF_H__

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* Widths, for sources that ask the preprocessor. */
#ifndef SIZEOF_CHAR
#define SIZEOF_CHAR 1
#endif
#ifndef SIZEOF_SHORT
#define SIZEOF_SHORT __SIZEOF_SHORT__
#endif
#ifndef SIZEOF_INT
#define SIZEOF_INT __SIZEOF_INT__
#endif
#ifndef SIZEOF_LONG
#define SIZEOF_LONG __SIZEOF_LONG__
#endif
#ifndef SIZEOF_LONG_LONG
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#endif
#ifndef SIZEOF_VOID_P
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#endif
#if SIZEOF_LONG != 8 || SIZEOF_VOID_P != 8 || SIZEOF_INT != 4
#error "erl_drv_nif.h: this interface exists for 64-bit Unix systems only"
#endif

typedef long ErlNapiSInt64;
typedef unsigned long ErlNapiUInt64;
typedef ErlNapiSInt64 ErlNapiSInt;
typedef ErlNapiUInt64 ErlNapiUInt;
#define ERL_NAPI_SINT64_MAX__ LONG_MAX
#define ERL_NAPI_SINT64_MIN__ LONG_MIN

/* Time units, and the time that means an error. */
#define ERTS_NAPI_SEC__ 0
#define ERTS_NAPI_MSEC__ 1
#define ERTS_NAPI_USEC__ 2
#define ERTS_NAPI_NSEC__ 3
#define ERTS_NAPI_TIME_ERROR__ ERL_NAPI_SINT64_MIN__

/* A caller that has to deal with the return value is told so by its compiler. */
#if defined(__GNUC__) || defined(__clang__)
#define ERL_NAPI_ATTR_WUR __attribute__((warn_unused_result))
#else
#define ERL_NAPI_ATTR_WUR
#endif

/* One stretch of memory: binary compatible with struct iovec. */
#ifdef HAVE_SYS_UIO_H
#include <sys/uio.h>
typedef struct iovec SysIOVec;
#else
typedef struct {
    char *iov_base;
    size_t iov_len;
} SysIOVec;
#endif

/* Identifies a monitor; opaque, to be compared by enif_compare_monitors only. */
typedef struct {
    unsigned char data[4 * sizeof(void *)];
} ErlDrvMonitor;

/* Flags of enif_select. */
enum ErlNifSelectFlags {
    ERL_NIF_SELECT_READ = 1,
    ERL_NIF_SELECT_WRITE = 2,
    ERL_NIF_SELECT_STOP = 4,
    ERL_NIF_SELECT_CANCEL = 8,
    ERL_NIF_SELECT_CUSTOM_MSG = 16,
    ERL_NIF_SELECT_ERROR = 32
};

/* Which pool of dirty threads a job is for. */
typedef enum { ERL_DIRTY_JOB_CPU_BOUND = 1, ERL_DIRTY_JOB_IO_BOUND = 2 } ErlDirtyJobFlags;

typedef struct {
    int suggested_stack_size; /* kilowords; negative: the default */
} ErlDrvThreadOpts;

/* What enif_system_info fills in. New members come last: the caller passes the size that it knows. */
typedef struct {
    int driver_major_version;
    int driver_minor_version;
    char *erts_version;
    char *otp_release;
    int thread_support;
    int smp_support;
    int async_threads;
    int scheduler_threads;
    int nif_major_version;
    int nif_minor_version;
    int dirty_scheduler_support;
} ErlDrvSysInfo;

#endif

/*
 * The driver interface, version 3.3: what a driver library includes.
 *
 * Written for Vivarium; compatible at source and binary level with the header of the same name that OTP 25 to 27 ship
 * (erl_driver(3), driver_entry(3)). Layouts, values and prototypes must not change. docs/PORTS.md says what holds here.
 */
#ifndef __ERL_DRIVER_H__
#define __ERL_DRIVER_H__

#include "driver_int.h"
#include "erl_drv_nif.h"

#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERL_DRV_EXTENDED_MARKER 0xfeeeeeed
#define ERL_DRV_EXTENDED_MAJOR_VERSION 3
#define ERL_DRV_EXTENDED_MINOR_VERSION 3
/* The oldest major version that is loaded. */
#define ERL_DRV_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD 2

/* Modes of driver_select */
#define ERL_DRV_READ ((int)ERL_NIF_SELECT_READ)
#define ERL_DRV_WRITE ((int)ERL_NIF_SELECT_WRITE)
#define ERL_DRV_USE ((int)ERL_NIF_SELECT_STOP)
#define ERL_DRV_USE_NO_CALLBACK (ERL_DRV_USE | (ERL_DRV_USE << 1))
#define DO_READ ERL_DRV_READ
#define DO_WRITE ERL_DRV_WRITE

#define PORT_CONTROL_FLAG_BINARY 1
#define PORT_CONTROL_FLAG_HEAVY 2
#define PORT_FLAG_BINARY 1
#define PORT_FLAG_LINE 2

/* driver_flags */
#define ERL_DRV_FLAG_USE_PORT_LOCKING 1
#define ERL_DRV_FLAG_SOFT_BUSY 2
#define ERL_DRV_FLAG_NO_BUSY_MSGQ 4
#define ERL_DRV_FLAG_USE_INIT_ACK 8

typedef ErlNapiUInt64 ErlDrvUInt64;
typedef ErlNapiSInt64 ErlDrvSInt64;
typedef ErlNapiUInt ErlDrvUInt;
typedef ErlNapiSInt ErlDrvSInt;
typedef ErlNapiUInt ErlDrvTermData;
typedef size_t ErlDrvSizeT;
typedef ssize_t ErlDrvSSizeT;

/* A binary: its bytes are not changed once it was handed out. */
typedef struct erl_drv_binary {
    ErlDrvSInt orig_size;
    char orig_bytes[1];
} ErlDrvBinary;

/* Opaque, and apart from each other for the compiler's sake. */
typedef struct _erl_drv_data *ErlDrvData;
#ifndef ERL_SYS_DRV
typedef struct _erl_drv_event *ErlDrvEvent;
#endif
typedef struct _erl_drv_port *ErlDrvPort;
typedef struct _erl_drv_port *ErlDrvThreadData;

typedef struct {
    unsigned long megasecs;
    unsigned long secs;
    unsigned long microsecs;
} ErlDrvNowData;

typedef ErlDrvSInt64 ErlDrvTime;
#define ERL_DRV_TIME_ERROR ((ErlDrvSInt64)ERTS_NAPI_TIME_ERROR__)
typedef enum {
    ERL_DRV_SEC = ERTS_NAPI_SEC__,
    ERL_DRV_MSEC = ERTS_NAPI_MSEC__,
    ERL_DRV_USEC = ERTS_NAPI_USEC__,
    ERL_DRV_NSEC = ERTS_NAPI_NSEC__
} ErlDrvTimeUnit;

/* What `start` returns when it fails: einval; errno's name; badarg. */
#define ERL_DRV_ERROR_GENERAL ((ErlDrvData) - 1)
#define ERL_DRV_ERROR_ERRNO ((ErlDrvData) - 2)
#define ERL_DRV_ERROR_BADARG ((ErlDrvData) - 3)

typedef struct erl_io_vec {
    int vsize;
    ErlDrvSizeT size;
    SysIOVec *iov;
    ErlDrvBinary **binv;
} ErlIOVec;

typedef struct ErlDrvTid_ *ErlDrvTid;
typedef struct ErlDrvMutex_ ErlDrvMutex;
typedef struct ErlDrvCond_ ErlDrvCond;
typedef struct ErlDrvRWLock_ ErlDrvRWLock;
typedef int ErlDrvTSDKey;
typedef struct erl_drv_port_data_lock *ErlDrvPDL;

/* A driver. The order is the interface. */
typedef struct erl_drv_entry {
    int (*init)(void);
#ifndef ERL_SYS_DRV
    ErlDrvData (*start)(ErlDrvPort port, char *command);
#else
    ErlDrvData (*start)(ErlDrvPort port, char *command, SysDriverOpts *options);
#endif
    void (*stop)(ErlDrvData data);
    void (*output)(ErlDrvData data, char *bytes, ErlDrvSizeT size);
    void (*ready_input)(ErlDrvData data, ErlDrvEvent event);
    void (*ready_output)(ErlDrvData data, ErlDrvEvent event);
    char *driver_name;
    void (*finish)(void);
    void *handle; /* the runtime's */
    ErlDrvSSizeT (*control)(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **result,
                            ErlDrvSizeT room);
    void (*timeout)(ErlDrvData data);
    void (*outputv)(ErlDrvData data, ErlIOVec *bytes);
    void (*ready_async)(ErlDrvData data, ErlDrvThreadData result);
    void (*flush)(ErlDrvData data);
    ErlDrvSSizeT (*call)(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **result,
                         ErlDrvSizeT room, unsigned int *flags);
    void (*unused_event_callback)(void);
    int extended_marker;
    int major_version;
    int minor_version;
    int driver_flags;
    void *handle2; /* the runtime's */
    void (*process_exit)(ErlDrvData data, ErlDrvMonitor *monitor);
    void (*stop_select)(ErlDrvEvent event, void *reserved);
    void (*emergency_close)(ErlDrvData data);
} ErlDrvEntry;

#ifdef STATIC_ERLANG_DRIVER
#define ERLANG_DRIVER_NAME(NAME) NAME##_driver_init
#define ERL_DRIVER_EXPORT
#else
#define ERLANG_DRIVER_NAME(NAME) driver_init
#define ERL_DRIVER_EXPORT __attribute__((visibility("default")))
#endif

#ifndef ERL_DRIVER_TYPES_ONLY

#define DRIVER_INIT(DRIVER_NAME)                                                                                       \
    ERL_DRIVER_EXPORT ErlDrvEntry *ERLANG_DRIVER_NAME(DRIVER_NAME)(void);                                              \
    ERL_DRIVER_EXPORT ErlDrvEntry *ERLANG_DRIVER_NAME(DRIVER_NAME)(void)

#define ERL_DRV_BUSY_MSGQ_DISABLED (~((ErlDrvSizeT)0))
#define ERL_DRV_BUSY_MSGQ_READ_ONLY ((ErlDrvSizeT)0)
#define ERL_DRV_BUSY_MSGQ_LIM_MAX (ERL_DRV_BUSY_MSGQ_DISABLED - 1)
#define ERL_DRV_BUSY_MSGQ_LIM_MIN ((ErlDrvSizeT)1)

/* Busy ports */
void set_busy_port(ErlDrvPort port, int on);
void set_port_control_flags(ErlDrvPort port, int flags);
int get_port_flags(ErlDrvPort port);
void erl_drv_busy_msgq_limits(ErlDrvPort port, ErlDrvSizeT *low, ErlDrvSizeT *high);

/* What becomes ready */
int driver_select(ErlDrvPort port, ErlDrvEvent event, int mode, int on);
int driver_set_timer(ErlDrvPort port, unsigned long milliseconds);
int driver_cancel_timer(ErlDrvPort port);
int driver_read_timer(ErlDrvPort port, unsigned long *left);

/* To the connected process */
int driver_output(ErlDrvPort port, char *bytes, ErlDrvSizeT size);
int driver_output2(ErlDrvPort port, char *header, ErlDrvSizeT header_size, char *bytes, ErlDrvSizeT size);
int driver_output_binary(ErlDrvPort port, char *header, ErlDrvSizeT header_size, ErlDrvBinary *binary,
                         ErlDrvSizeT offset, ErlDrvSizeT size);
int driver_outputv(ErlDrvPort port, char *header, ErlDrvSizeT header_size, ErlIOVec *vector, ErlDrvSizeT skip);
ErlDrvSizeT driver_vec_to_buf(ErlIOVec *vector, char *to, ErlDrvSizeT room);

/* The beginning of a port that has started (ERL_DRV_FLAG_USE_INIT_ACK), and its slices */
void erl_drv_init_ack(ErlDrvPort port, ErlDrvData data);
int erl_drv_consume_timeslice(ErlDrvPort port, int percent);

/* The end of a port */
char *erl_errno_id(int error);
int driver_failure_eof(ErlDrvPort port);
int driver_failure_atom(ErlDrvPort port, char *reason);
int driver_failure_posix(ErlDrvPort port, int error);
int driver_failure(ErlDrvPort port, int error);
int driver_exit(ErlDrvPort port, int error);

/* Processes that are watched */
int driver_monitor_process(ErlDrvPort port, ErlDrvTermData pid, ErlDrvMonitor *monitor);
int driver_demonitor_process(ErlDrvPort port, const ErlDrvMonitor *monitor);
ErlDrvTermData driver_get_monitored_process(ErlDrvPort port, const ErlDrvMonitor *monitor);
int driver_compare_monitors(const ErlDrvMonitor *a, const ErlDrvMonitor *b);

/* Memory and binaries */
void driver_free(void *block);
void *driver_alloc(ErlDrvSizeT size) ERL_NAPI_ATTR_WUR;
void *driver_realloc(void *block, ErlDrvSizeT size) ERL_NAPI_ATTR_WUR;
void driver_free_binary(ErlDrvBinary *binary);
ErlDrvBinary *driver_alloc_binary(ErlDrvSizeT size) ERL_NAPI_ATTR_WUR;
ErlDrvBinary *driver_realloc_binary(ErlDrvBinary *binary, ErlDrvSizeT size) ERL_NAPI_ATTR_WUR;
ErlDrvSInt driver_binary_get_refc(ErlDrvBinary *binary);
ErlDrvSInt driver_binary_inc_refc(ErlDrvBinary *binary);
ErlDrvSInt driver_binary_dec_refc(ErlDrvBinary *binary);

/* The queue of a port */
int driver_enq(ErlDrvPort port, char *bytes, ErlDrvSizeT size);
int driver_pushq(ErlDrvPort port, char *bytes, ErlDrvSizeT size);
ErlDrvSizeT driver_deq(ErlDrvPort port, ErlDrvSizeT size);
ErlDrvSizeT driver_sizeq(ErlDrvPort port);
int driver_enq_bin(ErlDrvPort port, ErlDrvBinary *binary, ErlDrvSizeT offset, ErlDrvSizeT size);
int driver_pushq_bin(ErlDrvPort port, ErlDrvBinary *binary, ErlDrvSizeT offset, ErlDrvSizeT size);
ErlDrvSizeT driver_peekqv(ErlDrvPort port, ErlIOVec *bytes);
SysIOVec *driver_peekq(ErlDrvPort port, int *count);
int driver_enqv(ErlDrvPort port, ErlIOVec *bytes, ErlDrvSizeT skip);
int driver_pushqv(ErlDrvPort port, ErlIOVec *bytes, ErlDrvSizeT skip);

/* A lock over the queue, for other threads */
ErlDrvPDL driver_pdl_create(ErlDrvPort port);
void driver_pdl_lock(ErlDrvPDL lock);
void driver_pdl_unlock(ErlDrvPDL lock);
ErlDrvSInt driver_pdl_get_refc(ErlDrvPDL lock);
ErlDrvSInt driver_pdl_inc_refc(ErlDrvPDL lock);
ErlDrvSInt driver_pdl_dec_refc(ErlDrvPDL lock);

/* What other threads do */
unsigned int driver_async_port_key(ErlDrvPort port);
long driver_async(ErlDrvPort port, unsigned int *key, void (*invoke)(void *), void *data, void (*free)(void *));

/* Drivers */
void add_driver_entry(ErlDrvEntry *entry);
int remove_driver_entry(ErlDrvEntry *entry);
int driver_lock_driver(ErlDrvPort port);

/* Threads, as native libraries have them */
void erl_drv_mutex_destroy(ErlDrvMutex *mutex);
ErlDrvMutex *erl_drv_mutex_create(char *name) ERL_NAPI_ATTR_WUR;
int erl_drv_mutex_trylock(ErlDrvMutex *mutex);
void erl_drv_mutex_lock(ErlDrvMutex *mutex);
void erl_drv_mutex_unlock(ErlDrvMutex *mutex);
char *erl_drv_mutex_name(ErlDrvMutex *mutex);
void erl_drv_cond_destroy(ErlDrvCond *cond);
ErlDrvCond *erl_drv_cond_create(char *name) ERL_NAPI_ATTR_WUR;
void erl_drv_cond_signal(ErlDrvCond *cond);
void erl_drv_cond_broadcast(ErlDrvCond *cond);
void erl_drv_cond_wait(ErlDrvCond *cond, ErlDrvMutex *mutex);
char *erl_drv_cond_name(ErlDrvCond *cond);
void erl_drv_rwlock_destroy(ErlDrvRWLock *lock);
ErlDrvRWLock *erl_drv_rwlock_create(char *name) ERL_NAPI_ATTR_WUR;
int erl_drv_rwlock_tryrlock(ErlDrvRWLock *lock);
void erl_drv_rwlock_rlock(ErlDrvRWLock *lock);
void erl_drv_rwlock_runlock(ErlDrvRWLock *lock);
int erl_drv_rwlock_tryrwlock(ErlDrvRWLock *lock);
void erl_drv_rwlock_rwlock(ErlDrvRWLock *lock);
void erl_drv_rwlock_rwunlock(ErlDrvRWLock *lock);
char *erl_drv_rwlock_name(ErlDrvRWLock *lock);
int erl_drv_tsd_key_create(char *name, ErlDrvTSDKey *key);
void erl_drv_tsd_key_destroy(ErlDrvTSDKey key);
void erl_drv_tsd_set(ErlDrvTSDKey key, void *data);
void *erl_drv_tsd_get(ErlDrvTSDKey key);
void erl_drv_thread_opts_destroy(ErlDrvThreadOpts *options);
ErlDrvThreadOpts *erl_drv_thread_opts_create(char *name) ERL_NAPI_ATTR_WUR;
int erl_drv_thread_create(char *name, ErlDrvTid *thread, void *(*run)(void *), void *data, ErlDrvThreadOpts *options);
ErlDrvTid erl_drv_thread_self(void);
int erl_drv_equal_tids(ErlDrvTid a, ErlDrvTid b);
void erl_drv_thread_exit(void *result);
int erl_drv_thread_join(ErlDrvTid thread, void **result);
char *erl_drv_thread_name(ErlDrvTid thread);

/* Time, the environment, the system */
int driver_get_now(ErlDrvNowData *now);
ErlDrvTime erl_drv_monotonic_time(ErlDrvTimeUnit unit);
ErlDrvTime erl_drv_time_offset(ErlDrvTimeUnit unit);
ErlDrvTime erl_drv_convert_time_unit(ErlDrvTime time, ErlDrvTimeUnit from, ErlDrvTimeUnit to);
int erl_drv_putenv(const char *name, char *value);
int erl_drv_getenv(const char *name, char *value, size_t *size);
void driver_system_info(ErlDrvSysInfo *info, size_t size);
void *driver_dl_open(char *path);
void *driver_dl_sym(void *library, char *symbol);
int driver_dl_close(void *library);
char *driver_dl_error(void);
int null_func(void);

/* The pid that port_info shows */
void erl_drv_set_os_pid(ErlDrvPort port, ErlDrvSInt pid);

#endif

/* flags of `call`: the result's buffer stays the driver's */
#define DRIVER_CALL_KEEP_BUFFER 1

/* Terms: what stands in arrays of ErlDrvTermData, elements before what they are in. Behind each its values. */
#define TERM_DATA(x) ((ErlDrvTermData)(x))
#define ERL_DRV_NIL ((ErlDrvTermData)1)
#define ERL_DRV_ATOM ((ErlDrvTermData)2)         /* of driver_mk_atom */
#define ERL_DRV_INT ((ErlDrvTermData)3)          /* ErlDrvSInt */
#define ERL_DRV_PORT ((ErlDrvTermData)4)         /* of driver_mk_port */
#define ERL_DRV_BINARY ((ErlDrvTermData)5)       /* ErlDrvBinary *, size, offset */
#define ERL_DRV_STRING ((ErlDrvTermData)6)       /* char *, size */
#define ERL_DRV_TUPLE ((ErlDrvTermData)7)        /* how many elements */
#define ERL_DRV_LIST ((ErlDrvTermData)8)         /* the same, the tail with them */
#define ERL_DRV_STRING_CONS ((ErlDrvTermData)9)  /* char *, size; the tail comes before */
#define ERL_DRV_PID ((ErlDrvTermData)10)         /* of driver_connected, driver_caller */
#define ERL_DRV_FLOAT ((ErlDrvTermData)11)       /* double * */
#define ERL_DRV_EXT2TERM ((ErlDrvTermData)12)    /* char *, size */
#define ERL_DRV_UINT ((ErlDrvTermData)13)        /* ErlDrvUInt */
#define ERL_DRV_BUF2BINARY ((ErlDrvTermData)14)  /* char *, size */
#define ERL_DRV_INT64 ((ErlDrvTermData)15)       /* ErlDrvSInt64 * */
#define ERL_DRV_UINT64 ((ErlDrvTermData)16)      /* ErlDrvUInt64 * */
#define ERL_DRV_MAP ((ErlDrvTermData)17)         /* how many pairs: key, value */

#ifndef ERL_DRIVER_TYPES_ONLY

ErlDrvTermData driver_mk_atom(char *name);
ErlDrvTermData driver_mk_port(ErlDrvPort port);
ErlDrvTermData driver_connected(ErlDrvPort port);
ErlDrvTermData driver_caller(ErlDrvPort port);
extern const ErlDrvTermData driver_term_nil;
ErlDrvTermData driver_mk_term_nil(void);
ErlDrvPort driver_create_port(ErlDrvPort port, ErlDrvTermData owner, char *name, ErlDrvData data);
int driver_output_term(ErlDrvPort port, ErlDrvTermData *spec, int length);
int driver_send_term(ErlDrvPort port, ErlDrvTermData to, ErlDrvTermData *spec, int length);
int erl_drv_output_term(ErlDrvTermData port, ErlDrvTermData *spec, int length);
int erl_drv_send_term(ErlDrvTermData port, ErlDrvTermData to, ErlDrvTermData *spec, int length);

#endif

#ifdef __cplusplus
}
#endif

#endif

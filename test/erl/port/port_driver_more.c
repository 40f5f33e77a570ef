/* A driver that does what it is told by port_control: queues, vectors, other threads, limits, the system. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "erl_driver.h"

typedef struct {
    ErlDrvPort port;
    ErlDrvPDL lock;
    int is_waiting;
} Data;

static Data *data_of(ErlDrvData d) { return (Data *)d; }

static ErlDrvData start(ErlDrvPort port, char *command) {
    Data *d = driver_alloc(sizeof *d);
    *d = (Data){.port = port, .is_waiting = 1};
    return (ErlDrvData)d;
}

static void stop(ErlDrvData data) { driver_free(data); }

static void say(Data *d, char *what, int number) {
    ErlDrvTermData spec[] = {
        ERL_DRV_ATOM, driver_mk_atom(what), ERL_DRV_INT, (ErlDrvTermData)(ErlDrvSInt)number, ERL_DRV_TUPLE, 2};
    erl_drv_output_term(driver_mk_port(d->port), spec, sizeof spec / sizeof *spec);
}

/* What comes goes into the queue, by turns at its end and in front. */
static void outputv(ErlDrvData data, ErlIOVec *v) {
    static int turn;
    char bytes[100];
    Data *d = data_of(data);
    int copied = (int)driver_vec_to_buf(v, bytes, sizeof bytes);
    say(d, "copied", copied);
    driver_outputv(d->port, "hh", 2, v, 0);
    driver_outputv(d->port, NULL, 0, v, 2);
    driver_outputv(d->port, "h", 1, v, v->size);
    if (turn++ % 2 == 0)
        driver_enqv(d->port, v, 0);
    else
        driver_pushqv(d->port, v, 0);
}

static void flush(ErlDrvData data) {
    Data *d = data_of(data);
    say(d, "flush", (int)driver_sizeq(d->port));
    driver_set_timer(d->port, 5);
}

/* One byte each time. */
static void timeout(ErlDrvData data) {
    Data *d = data_of(data);
    driver_deq(d->port, 1);
    if (driver_sizeq(d->port) > 0)
        driver_set_timer(d->port, 1);
}

static ErlDrvSSizeT numbers(char *to, const int *from, int count) {
    for (int i = 0; i < count; i++)
        to[i] = (char)from[i];
    return count;
}

/* --- other threads ------------------------------------------------------------------------------------------------ */

typedef struct {
    int number, slept;
} Job;

static void invoke(void *data) { usleep(((Job *)data)->slept); }
static void free_job(void *data) { driver_free(data); }
static void ready_async(ErlDrvData data, ErlDrvThreadData result) {
    say(data_of(data), "ready", ((Job *)result)->number);
    driver_free(result);
}

static ErlDrvSSizeT start_jobs(Data *d, int count, int slept) {
    unsigned key = driver_async_port_key(d->port);
    for (int i = 0; i < count; i++) {
        Job *job = driver_alloc(sizeof *job);
        *job = (Job){i, slept};
        if (driver_async(d->port, i % 2 == 0 ? &key : NULL, invoke, job, free_job) < 0)
            return -1;
    }
    return 0;
}

static ErlDrvMutex *mutex;
static ErlDrvCond *cond;
static ErlDrvRWLock *rwlock;
static ErlDrvTSDKey key;

static void *run(void *data) {
    Data *d = data;
    char *unset = erl_drv_tsd_get(key);
    erl_drv_tsd_set(key, "mine");
    ErlDrvTermData spec[] = {ERL_DRV_ATOM,
                             driver_connected(d->port) == 0 ? 0 : driver_mk_atom("from_thread"),
                             ERL_DRV_STRING,
                             (ErlDrvTermData)erl_drv_tsd_get(key),
                             4,
                             ERL_DRV_TUPLE,
                             2};
    erl_drv_send_term(driver_mk_port(d->port), driver_connected(d->port), spec, sizeof spec / sizeof *spec);
    erl_drv_mutex_lock(mutex);
    d->is_waiting = 0;
    erl_drv_cond_signal(cond);
    erl_drv_mutex_unlock(mutex);
    return unset == NULL ? data : NULL;
}

static ErlDrvSSizeT threads(Data *d, char *to) {
    ErlDrvTid thread;
    void *result = NULL;
    mutex = erl_drv_mutex_create("a mutex");
    cond = erl_drv_cond_create("a cond");
    rwlock = erl_drv_rwlock_create("a lock");
    erl_drv_tsd_key_create("a key", &key);
    erl_drv_tsd_set(key, "other");
    ErlDrvThreadOpts *options = erl_drv_thread_opts_create("options");
    int created = erl_drv_thread_create("a thread", &thread, run, d, options);
    erl_drv_thread_opts_destroy(options);
    erl_drv_mutex_lock(mutex);
    int busy = erl_drv_mutex_trylock(mutex) != 0;
    while (d->is_waiting)
        erl_drv_cond_wait(cond, mutex);
    erl_drv_mutex_unlock(mutex);
    int named = strcmp(erl_drv_thread_name(thread), "a thread") == 0 &&
                strcmp(erl_drv_mutex_name(mutex), "a mutex") == 0 && strcmp(erl_drv_cond_name(cond), "a cond") == 0 &&
                strcmp(erl_drv_rwlock_name(rwlock), "a lock") == 0;
    int self = erl_drv_equal_tids(thread, erl_drv_thread_self()) == 0;
    int joined = erl_drv_thread_join(thread, &result);
    erl_drv_rwlock_rlock(rwlock);
    int shared = erl_drv_rwlock_tryrlock(rwlock), alone = erl_drv_rwlock_tryrwlock(rwlock) != 0;
    erl_drv_rwlock_runlock(rwlock);
    erl_drv_rwlock_runlock(rwlock);
    erl_drv_rwlock_rwlock(rwlock);
    erl_drv_rwlock_rwunlock(rwlock);
    int mine = strcmp(erl_drv_tsd_get(key), "other") == 0;
    erl_drv_tsd_set(key, NULL);
    erl_drv_tsd_key_destroy(key);
    erl_drv_mutex_destroy(mutex);
    erl_drv_cond_destroy(cond);
    erl_drv_rwlock_destroy(rwlock);
    return numbers(to, (int[]){created, busy, named, self, joined, result == d, shared, alone, mine}, 9);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static ErlDrvSSizeT locks(Data *d, char *to) {
    d->lock = driver_pdl_create(d->port);
    int second = driver_pdl_create(d->port) == NULL, first = (int)driver_pdl_get_refc(d->lock),
        more = (int)driver_pdl_inc_refc(d->lock), less = (int)driver_pdl_dec_refc(d->lock);
    driver_pdl_lock(d->lock);
    int queued = driver_enq(d->port, "abc", 3), size = (int)driver_sizeq(d->port), left = (int)driver_deq(d->port, 3);
    driver_pdl_unlock(d->lock);
    return numbers(to, (int[]){second, first, more, less, queued, size, left}, 7);
}

static void limits_of(Data *d, char *to, ErlDrvSizeT low, ErlDrvSizeT high) {
    erl_drv_busy_msgq_limits(d->port, &low, &high);
    sprintf(to + strlen(to), "%ld %ld. ", (long)low, (long)high);
}

static ErlDrvSSizeT limits(Data *d, char **to) {
    char *text = *to = driver_alloc(1000);
    *text = 0;
    limits_of(d, text, 0, 0);
    limits_of(d, text, 100, 200);
    limits_of(d, text, 0, 50);
    limits_of(d, text, 70, 0);
    limits_of(d, text, 90, 80);
    limits_of(d, text, 0, 0);
    limits_of(d, text, ERL_DRV_BUSY_MSGQ_DISABLED, 0);
    limits_of(d, text, 5, 10);
    return (ErlDrvSSizeT)strlen(text);
}

static ErlDrvSSizeT queue(Data *d, char **to) {
    int count;
    ErlIOVec v;
    driver_enq(d->port, "cd", 2);
    driver_pushq(d->port, "ab", 2);
    ErlDrvBinary *b = driver_alloc_binary(3);
    memcpy(b->orig_bytes, "xyz", 3);
    driver_enq_bin(d->port, b, 1, 2);
    driver_pushq_bin(d->port, b, 0, 1);
    driver_free_binary(b);
    ErlDrvSizeT all = driver_peekqv(d->port, &v);
    char *text = *to = driver_alloc(100);
    int copied = (int)driver_vec_to_buf(&v, text, 50);
    SysIOVec *parts = driver_peekq(d->port, &count);
    return (ErlDrvSSizeT)copied + sprintf(text + copied, " %d %d %d %d", (int)all, count == v.vsize, parts == v.iov,
                                          (int)driver_deq(d->port, all));
}

static ErlDrvSSizeT facts(Data *d, char *to) {
    char value[10];
    ErlDrvSysInfo info;
    size_t size = sizeof value, small = 2, none = sizeof value;
    driver_system_info(&info, sizeof info);
    return numbers(
        to,
        (int[]){erl_drv_putenv("PORT_DRIVER_MORE", "value"), erl_drv_getenv("PORT_DRIVER_MORE", value, &size),
                (int)size, erl_drv_getenv("PORT_DRIVER_MORE", value, &small) == 1,
                erl_drv_getenv("PORT_DRIVER_NONE", value, &none) < 0, info.driver_major_version, info.thread_support,
                info.smp_support, info.async_threads, info.scheduler_threads > 0,
                (int)erl_drv_convert_time_unit(1999, ERL_DRV_USEC, ERL_DRV_MSEC),
                (int)erl_drv_convert_time_unit(-1, ERL_DRV_NSEC, ERL_DRV_SEC) == -1,
                erl_drv_monotonic_time(ERL_DRV_SEC) != ERL_DRV_TIME_ERROR, erl_drv_time_offset(ERL_DRV_SEC) > 0,
                erl_drv_consume_timeslice(d->port, 1) >> 1 /* a slice may be short */,
                erl_drv_consume_timeslice(d->port, 100)},
        16);
}

/* --- drivers that a driver adds ----------------------------------------------------------------------------------- */

static ErlDrvSSizeT answer(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **to,
                           ErlDrvSizeT room) {
    **to = 'a';
    return 1;
}

/* Says later whether it has begun: the command says what. */
static ErlDrvPort late;
static ErlDrvData late_start(ErlDrvPort port, char *command) {
    late = port;
    if (strstr(command, " now") != NULL)
        erl_drv_init_ack(port, (ErlDrvData)port);
    else
        driver_set_timer(port, 20);
    return strstr(command, " badly") != NULL ? (ErlDrvData)1 : (ErlDrvData)2;
}
static void late_timeout(ErlDrvData data) {
    erl_drv_init_ack(late, data == (ErlDrvData)1 ? ERL_DRV_ERROR_BADARG : data);
}

#define VERSION                                                                                                        \
    .extended_marker = (int)ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,                  \
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION
static ErlDrvEntry added = {.driver_name = "port_driver_added", .control = answer, VERSION};
static ErlDrvEntry late_entry = {.driver_name = "port_driver_late",
                                 .start = late_start,
                                 .timeout = late_timeout,
                                 .control = answer,
                                 .driver_flags = ERL_DRV_FLAG_USE_INIT_ACK,
                                 VERSION};

static ErlDrvSSizeT control(ErlDrvData data, unsigned int command, char *bytes, ErlDrvSizeT size, char **to,
                            ErlDrvSizeT room) {
    Data *d = data_of(data);
    switch (command) {
    case 'a': return start_jobs(d, 4, 1000);
    case 'A': return start_jobs(d, 4, 50000);
    case 'q': return queue(d, to);
    case 'l': return locks(d, *to);
    case 'L': return limits(d, to);
    case 't': return threads(d, *to);
    case 'f': return facts(d, *to);
    case '+': add_driver_entry(size == 0 ? &added : &late_entry); return 0;
    case '-': **to = (char)remove_driver_entry(size == 0 ? &added : &late_entry); return 1;
    case 'k': driver_enq(d->port, "0123456789", 10); return 0;
    case 'b':
        set_busy_port(d->port, 1);
        driver_set_timer(d->port, 20);
        return 0;
    case 'F': **to = (char)get_port_flags(d->port); return 1;
    default: return -1;
    }
}

static ErlDrvEntry entry = {.driver_name = "port_driver_more",
                            .start = start,
                            .stop = stop,
                            .outputv = outputv,
                            .flush = flush,
                            .timeout = timeout,
                            .control = control,
                            .ready_async = ready_async,
                            VERSION};

DRIVER_INIT(port_driver_more) { return &entry; }

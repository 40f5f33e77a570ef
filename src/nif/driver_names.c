/*
 * What native libraries and drivers have both, under the names of erl_driver.h: threads, locks, data of threads, time,
 * the environment, the system. Source: erl_driver(3).
 */
#include "erl_driver.h"
#include "erl_nif.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "process/clock.h"
#include "sys/environment.h"

ErlDrvMutex *erl_drv_mutex_create(char *name) { return enif_mutex_create(name); }
void erl_drv_mutex_destroy(ErlDrvMutex *m) { enif_mutex_destroy(m); }
int erl_drv_mutex_trylock(ErlDrvMutex *m) { return enif_mutex_trylock(m); }
void erl_drv_mutex_lock(ErlDrvMutex *m) { enif_mutex_lock(m); }
void erl_drv_mutex_unlock(ErlDrvMutex *m) { enif_mutex_unlock(m); }
char *erl_drv_mutex_name(ErlDrvMutex *m) { return enif_mutex_name(m); }

ErlDrvCond *erl_drv_cond_create(char *name) { return enif_cond_create(name); }
void erl_drv_cond_destroy(ErlDrvCond *c) { enif_cond_destroy(c); }
void erl_drv_cond_signal(ErlDrvCond *c) { enif_cond_signal(c); }
void erl_drv_cond_broadcast(ErlDrvCond *c) { enif_cond_broadcast(c); }
void erl_drv_cond_wait(ErlDrvCond *c, ErlDrvMutex *m) { enif_cond_wait(c, m); }
char *erl_drv_cond_name(ErlDrvCond *c) { return enif_cond_name(c); }

ErlDrvRWLock *erl_drv_rwlock_create(char *name) { return enif_rwlock_create(name); }
void erl_drv_rwlock_destroy(ErlDrvRWLock *l) { enif_rwlock_destroy(l); }
int erl_drv_rwlock_tryrlock(ErlDrvRWLock *l) { return enif_rwlock_tryrlock(l); }
void erl_drv_rwlock_rlock(ErlDrvRWLock *l) { enif_rwlock_rlock(l); }
void erl_drv_rwlock_runlock(ErlDrvRWLock *l) { enif_rwlock_runlock(l); }
int erl_drv_rwlock_tryrwlock(ErlDrvRWLock *l) { return enif_rwlock_tryrwlock(l); }
void erl_drv_rwlock_rwlock(ErlDrvRWLock *l) { enif_rwlock_rwlock(l); }
void erl_drv_rwlock_rwunlock(ErlDrvRWLock *l) { enif_rwlock_rwunlock(l); }
char *erl_drv_rwlock_name(ErlDrvRWLock *l) { return enif_rwlock_name(l); }

int erl_drv_tsd_key_create(char *name, ErlDrvTSDKey *key) { return enif_tsd_key_create(name, key); }
void erl_drv_tsd_key_destroy(ErlDrvTSDKey key) { enif_tsd_key_destroy(key); }
void erl_drv_tsd_set(ErlDrvTSDKey key, void *data) { enif_tsd_set(key, data); }
void *erl_drv_tsd_get(ErlDrvTSDKey key) { return enif_tsd_get(key); }

ErlDrvThreadOpts *erl_drv_thread_opts_create(char *name) { return enif_thread_opts_create(name); }
void erl_drv_thread_opts_destroy(ErlDrvThreadOpts *options) { enif_thread_opts_destroy(options); }
int erl_drv_thread_create(char *name, ErlDrvTid *thread, void *(*run)(void *), void *data, ErlDrvThreadOpts *options) {
    return enif_thread_create(name, thread, run, data, options);
}
ErlDrvTid erl_drv_thread_self(void) { return enif_thread_self(); }
int erl_drv_equal_tids(ErlDrvTid a, ErlDrvTid b) { return enif_equal_tids(a, b); }
void erl_drv_thread_exit(void *result) { enif_thread_exit(result); }
int erl_drv_thread_join(ErlDrvTid thread, void **result) { return enif_thread_join(thread, result); }
char *erl_drv_thread_name(ErlDrvTid thread) { return enif_thread_name(thread); }

ErlDrvTime erl_drv_monotonic_time(ErlDrvTimeUnit unit) { return enif_monotonic_time((ErlNifTimeUnit)unit); }
ErlDrvTime erl_drv_time_offset(ErlDrvTimeUnit unit) { return enif_time_offset((ErlNifTimeUnit)unit); }
ErlDrvTime erl_drv_convert_time_unit(ErlDrvTime time, ErlDrvTimeUnit from, ErlDrvTimeUnit to) {
    return enif_convert_time_unit(time, (ErlNifTimeUnit)from, (ErlNifTimeUnit)to);
}

int driver_get_now(ErlDrvNowData *now) {
    if (now == NULL)
        return -1;
    uint64_t time = (uint64_t)now_microseconds();
    *now = (ErlDrvNowData){time / 1000000000000, time / 1000000 % 1000000, time % 1000000};
    return 0;
}

void driver_system_info(ErlDrvSysInfo *to, size_t size) { enif_system_info(to, size); }
int erl_drv_getenv(const char *name, char *value, size_t *size) { return enif_getenv(name, value, size); }

int erl_drv_putenv(const char *name, char *value) {
    mutex_lock(&environment_lock);
    int result = setenv(name, value, 1);
    mutex_unlock(&environment_lock);
    return result;
}

void *driver_dl_open(char *path) { return dlopen(path, RTLD_NOW); }
void *driver_dl_sym(void *library, char *symbol) { return dlsym(library, symbol); }
int driver_dl_close(void *library) { return dlclose(library); }
char *driver_dl_error(void) { return dlerror(); }

int null_func(void) { return 0; }

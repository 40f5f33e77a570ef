/*
 * Before each source of a model: what it calls of the system goes to runtime.c instead. (What clang reports by itself
 * needs no redirection.)
 */
#ifndef VIV_TEST_MODEL_REDIRECT_H
#define VIV_TEST_MODEL_REDIRECT_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int redirect_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
int redirect_mutex_destroy(pthread_mutex_t *m);
int redirect_mutex_lock(pthread_mutex_t *m);
int redirect_mutex_trylock(pthread_mutex_t *m);
int redirect_mutex_unlock(pthread_mutex_t *m);
int redirect_cond_init(pthread_cond_t *c, const pthread_condattr_t *a);
int redirect_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int redirect_cond_signal(pthread_cond_t *c);
int redirect_cond_broadcast(pthread_cond_t *c);
int redirect_yield(void);
/* SYS_futex only. */
long redirect_syscall(long number, _Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *until,
                      void *unused, int mask);

#define pthread_mutex_init redirect_mutex_init
#define pthread_mutex_destroy redirect_mutex_destroy
#define pthread_mutex_lock redirect_mutex_lock
#define pthread_mutex_trylock redirect_mutex_trylock
#define pthread_mutex_unlock redirect_mutex_unlock
#define pthread_cond_init redirect_cond_init
#define pthread_cond_wait redirect_cond_wait
#define pthread_cond_signal redirect_cond_signal
#define pthread_cond_broadcast redirect_cond_broadcast
#define sched_yield redirect_yield
#define syscall redirect_syscall
#define __builtin_ia32_pause() ((void)0) /* in loops that end by themselves */

#endif

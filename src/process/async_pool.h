/*
 * Threads for what drivers have done elsewhere (erl_driver(3) driver_async). As many as +A says, 1 unless it does; they
 * start when there is first something to do. Each has a queue: jobs of one key are done in order, by one thread.
 */
#ifndef VIV_PROCESS_ASYNC_POOL_H
#define VIV_PROCESS_ASYNC_POOL_H

#include "base/defs.h"

#define ASYNC_THREADS_MAX 1024

/* Inside of what it is for; the pool's from when it is added until `run` is called, by a thread that is not online. */
typedef struct AsyncJob {
    struct AsyncJob *next;
    void (*run)(struct AsyncJob *job);
} AsyncJob;

/* At the start, before any job. */
void async_pool_choose(unsigned threads);
unsigned async_pool_count(void);
/* False: there are none, or the thread could not be started; the job is still the caller's. */
must_check bool async_pool_add(unsigned key, AsyncJob *job);

#endif

/*
 * Thread progress: when may memory that others could still be reading be freed?
 *
 * There is one counter, the epoch. Each registered thread keeps in its own cache line the epoch that it last saw at a
 * quiescent point (a place where it holds no pointer into shared structures), or "offline". The invariant: what was
 * unlinked before an epoch began can be reached by no thread that is offline or has seen that epoch. A callback that
 * was handed in runs after every thread has got that far, on whichever registered thread, guests apart, notices it.
 *
 * Three kinds of threads:
 *   - managed (schedulers): online from thread_progress_register; thread_progress_quiescent at least once a slice;
 *     offline while they sleep (thread_progress_offline / _online);
 *   - registered ones that look at shared structures now and then: offline, with enter / leave around the looking;
 *   - unregistered ones: may hand in callbacks, may not look.
 * A thread that runs code of others (dirty threads, and those of native libraries) is a guest: it runs no callbacks,
 * since that code may hold locks that a callback's code takes, or be what a callback waits for or unloads. What a guest
 * finds due it leaves to the hosts, and wakes one.
 *
 * Memory order. Unlinking happens before the increment that begins an epoch (sequentially consistent); a thread that
 * loads the new epoch (acquire) sees the unlinking, and its earlier reads are over when it stores it (release), which
 * the collector of epochs loads with acquire. Going online is a sequentially consistent exchange: either the one who
 * frees sees the thread online, or the thread's reads come after the unlinking.
 *
 * Callbacks run at quiescent points or when a thread goes offline; they may free and hand in more, and must not block.
 * At a quiescent point with nothing pending the cost is one load and a compare.
 */
#ifndef VIV_BASE_THREAD_PROGRESS_H
#define VIV_BASE_THREAD_PROGRESS_H

#include "base/defs.h"

#include <stdatomic.h>

/* Lies inside of what is to be freed; the caller's memory until `run` is called. */
typedef struct ProgressNode ProgressNode;
struct ProgressNode {
    ProgressNode *next;
    void (*run)(ProgressNode *node);
};

#define THREAD_PROGRESS_MAX_THREADS 4096

/* Takes a place for the calling thread, online. Panics when there are more than THREAD_PROGRESS_MAX_THREADS. */
void thread_progress_register(void);
/* Gives it back (what is pending is left to the others). Once more before the thread ends. */
void thread_progress_unregister(void);
bool thread_progress_is_registered(void);

void thread_progress_quiescent(void);
void thread_progress_offline(void);
void thread_progress_online(void);
/* Is it online, and inside of no enter? */
bool thread_progress_may_go_offline(void);
/* Nestable; no effect on a thread that is online already. */
void thread_progress_enter(void);
void thread_progress_leave(void);
/* The calling thread is a guest from now on. */
void thread_progress_be_guest(void);
/* Wakes a managed thread, so that it comes to a quiescent point. Set once, before there are threads that are not
 * registered or are guests; while it is not, these run callbacks themselves. */
extern void (*thread_progress_call_host)(void);

/* May the calling thread look at shared structures now? For assertions. */
bool thread_progress_may_read(void);

void thread_progress_later(ProgressNode *node);
/* Are callbacks waiting that the calling thread could still bring forward? A thread with nothing to do asks before it
 * sleeps. */
bool thread_progress_is_pending(void);

#endif

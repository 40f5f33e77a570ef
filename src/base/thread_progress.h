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
 * Progress is certain. A batch of callbacks waits for one epoch, which never moves, for one thread after the other:
 * who has been found past it is not asked again, and what is handed in later comes into another batch. Of each thread
 * one batch waits, and one of those that threads left behind when they went offline; what comes meanwhile gathers for
 * the next one. So a callback waits for the end of the batch before its own and of its own, and once more so if its
 * thread left it behind, whatever else is handed in. Whoever passes an epoch looks whether he was the last.
 *
 * Memory order, in the language's terms (happens before, as C++20 defines it also for fences). U: the stores that
 * unlink; R: a read through what was unlinked; F(e): the sequentially consistent fence that follows the increment which
 * begins epoch e, which follows U. To be shown: every R comes before the callback.
 *   - The thread stays online: its R come before it stores the epoch that it sees (release); the collector loads that
 *     (acquire), and calls. A later R comes after the load (acquire) of an epoch that U came before (release), so it is
 *     none: it finds what is linked.
 *   - It goes offline: stores so with release, the same.
 *   - It comes online, with an epoch before e or not: it stores that, then a sequentially consistent fence, then reads.
 *     When its fence comes after F(e), it reads what U wrote. When before, every look at its slot that follows F(e)
 *     finds it online, and waits for the first case. A look need not follow F(e) on the same thread: by locks it does.
 * And that the last one notices: who stores that he has passed, or is offline, then fences, then looks at what waits;
 * who makes a batch wait lets that be seen, then fences, then looks at the threads. Of any two one sees the other, and
 * the last of the fences sees all. (On x86-64 each fence is the one that the store before it needed anyway.)
 * test/model/m_thread_progress.c tries all executions of a few threads.
 *
 * Callbacks run at quiescent points or when a thread goes offline; they may free and hand in more, and must not block.
 * At a quiescent point with nothing pending, and no epoch begun, the cost is one load and a compare.
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

/* Takes a place for the calling thread, online. */
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

/* The program is about to end: whoever comes to a quiescent point, or online, stays there for good, offline. The
 * calling thread alone goes on, registered or not, and may look at shared structures from now on. Waits until all
 * others have come, but not for longer than so many milliseconds. False: some have not. Callbacks do not run any more.
 * Once. */
bool thread_progress_end_others(unsigned milliseconds);

void thread_progress_later(ProgressNode *node);
/* The next piece of work that is too long for one callback, and of which nobody else has a part: waits for nobody, only
 * until the calling thread has run something else. It runs there at the next quiescent point; where that thread goes
 * offline, or is a guest, it is handed in as any callback. */
void thread_progress_soon(ProgressNode *node);
/* Is there what a host is to run? A host that sleeps forgets earlier calls first, and asks this after: it has gone
 * offline before, and a guest may have called it since. What was done before a call that it forgets, it sees. */
bool thread_progress_is_due(void);

#endif

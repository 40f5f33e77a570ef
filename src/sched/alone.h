/*
 * While multi-scheduling is blocked one thread at a time runs processes: the scheduler whose queue is open, or a dirty
 * thread, which keeps the turn for one call. Where both wait they have it by turns.
 *
 * What was under way when somebody blocked ends without a turn, and who has one when the block ends gives it back all
 * the same. A scheduler that waits is offline for thread progress, and looks after a moment whether there is anything
 * else for it to do; a dirty thread that waits has taken its process from the queue, whose signals schedulers handle
 * meanwhile as ever. So who has the turn never waits for one who has none, but for what a native function does: a dirty
 * call that waits for other processes waits for ever, as on the stock runtime.
 * Source: erlang(3), system_flag(multi_scheduling, block).
 */
#ifndef VIV_SCHED_ALONE_H
#define VIV_SCHED_ALONE_H

#include <stdatomic.h>
#include <stdbool.h>

extern _Atomic bool alone_on;
static inline bool alone_is_on(void) { return atomic_load_explicit(&alone_on, memory_order_relaxed); }
/* Once, before threads start. */
void alone_init(void);
/* Any thread; one caller at a time. */
void alone_set(bool on);

/* By a scheduler that has something to run, offline. False: not yet, or nobody blocks any more. */
bool alone_begin_scheduler(void);
/* By a dirty thread. False: nobody blocks. */
bool alone_begin_dirty(void);
/* The turn is over. */
void alone_end_scheduler(void);
void alone_end_dirty(void);

#endif

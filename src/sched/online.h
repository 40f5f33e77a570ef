/*
 * Which schedulers run processes: the number online, and multi-scheduling that is blocked.
 *
 * The first `online` run queues are open (process/run_queue.h), and only the first one while anybody blocks
 * multi-scheduling. No thread is stopped: a scheduler whose queue is closed finishes its slice, what stands in its
 * queue has gone to an open one, and it sleeps. Whoever wants to know that all have come so far waits for thread
 * progress. What is under way outside a scheduler goes on to its end: dirty calls, and long work (base/long_work.h). A
 * full block is of the dirty threads, too, which take turns with the scheduler (sched/alone.h); a normal one is not.
 *
 * A process blocks as often as it asked, and as often must it unblock; its end does so too. Full and normal blocks
 * are counted apart. All is under a lock (ONLINE); the numbers may be read by anyone.
 * Source: erlang(3) system_flag/2, system_info/1; what OTP 25 answers.
 */
#ifndef VIV_SCHED_ONLINE_H
#define VIV_SCHED_ONLINE_H

#include "process/process.h"

/* Once, after the queues are made: the first `online` schedulers are online, and as many dirty CPU threads at most. */
void online_init(unsigned schedulers, unsigned dirty_cpu, unsigned dirty_io, unsigned online);
unsigned online_schedulers(void);
unsigned online_dirty_cpu(void);
/* Those that run processes now: 1 while multi-scheduling is blocked. */
unsigned online_active(void);
unsigned online_active_dirty(bool io);

/* The old number in *old. False: `wanted` is none that there can be. The dirty CPU threads change in proportion. */
must_check bool online_set_schedulers(size_t wanted, unsigned *old);
/* At most as many as schedulers are online. */
must_check bool online_set_dirty_cpu(size_t wanted, unsigned *old);

typedef enum { BLOCK_FULL, BLOCK_NORMAL, BLOCK_KINDS } BlockKind;
void online_block(Term pid, BlockKind kind);
/* No effect when it does not block. */
void online_unblock(Term pid, BlockKind kind);
bool online_is_blocked(BlockKind kind);
/* Who blocks, each once, the one whose oldest block is the youngest first. None where there is but one scheduler. */
Term online_blockers(Area *area, BlockKind kind);
/* An exit handler: the process blocks no more. */
bool online_process_exit(Process *p, int64_t *reductions);

#endif

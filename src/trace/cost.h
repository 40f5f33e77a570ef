/*
 * What calls cost: how often each process has called a function, and how much time or memory it has spent in it.
 *
 * A CallCost belongs to one function, one session and one kind of pattern (call_time or call_memory); the entries of
 * BpData (trace/pattern.h) count references to it. Its figures are kept by thread: one table for each run queue, which
 * only the thread that serves that queue writes, and a last one for all other threads, under a lock. So nothing is
 * shared between schedulers when a traced function is called. Who asks sums the tables up while they are being
 * written: figures are atomic words, a key (the pid) is stored after its figures, and a table that has grown, or that a
 * restart has put aside, is freed after thread progress. Nobody waits for who asks.
 *
 * Others know a CallCost by its handle, a number that is never used again: the clock of a process and the frames on its
 * stack may be left over when the pattern is long gone. cost_find answers NULL then.
 *
 * Made and dropped by the holder of the code modification permission. Whoever uses one may look at shared structures
 * (base/thread_progress.h) and keeps it no longer than to its next quiescent point.
 */
#ifndef VIV_TRACE_COST_H
#define VIV_TRACE_COST_H

#include <stdatomic.h>

#include "base/thread_progress.h"
#include "term/term.h"
#include "trace/queue_cells.h"

typedef struct CallCost {
    _Atomic size_t references;
    Word handle; /* below 2^60 and not 0 */
    _Atomic bool is_paused; /* calls do not count; what is begun is accounted for */
    _Atomic(QueueCells *) tables; /* NULL: no figures yet */
    ProgressNode progress;
} CallCost;

CallCost *cost_create(void); /* with one reference */
void cost_drop(CallCost *cost); /* NULL is none */
CallCost *cost_find(Word handle);

/* By the thread that runs the process. */
void cost_add(CallCost *cost, Term pid, int64_t calls, int64_t amount);
/* All figures go. What is added at the same time may go with them. */
void cost_restart(CallCost *cost);

typedef struct {
    Term pid;
    int64_t calls, amount;
} CostSum;
/* One for each process, in no order; the caller frees it (ALLOC_TEMP). NULL when *count is 0. */
CostSum *cost_sums(const CallCost *cost, size_t *count);

#endif

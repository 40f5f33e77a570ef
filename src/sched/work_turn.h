/*
 * Turns of long work: how many threads work long at once (base/long_work.h).
 *
 * A thread that has given its scheduler away competes with the schedulers for the processors, by the operating
 * system's slices; sixty of them beside two schedulers would leave those a thirtieth. So only as many work at once as
 * there are schedulers, and for processes of low priority half as many, but for one now and then that normal ones have
 * passed over often enough; those of high and max priority are never kept waiting. The others stand back: they sleep in
 * a line of their priority until it is their turn, which is over when the work is, or after some slices when others
 * wait.
 *
 * Only who holds nothing that other threads could wait for stands back: who is offline for thread progress, in an open
 * section. So who has a turn never waits for one who has none, but for code of native libraries (a destructor
 * that a collection calls); when no turn has ended for a second all who wait go on. Who becomes more urgent meanwhile,
 * as somebody asks him or waits for what he has, is found to be after a moment.
 */
#ifndef VIV_SCHED_WORK_TURN_H
#define VIV_SCHED_WORK_TURN_H

#include "process/process.h"

void work_turns_init(unsigned schedulers);
/* The calling thread works long for p, is offline, and has given its scheduler away; after each slice of the work.
 * Sleeps until it may go on. */
void work_turn_next(const Process *p);
/* The work is over, or its section is; without effect when the thread has no turn. */
void work_turn_end(void);

#endif

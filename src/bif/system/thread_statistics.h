/*
 * statistics/1 and system_flag/2 about what the threads do with their time: bif/system/thread_statistics.c.
 */
#ifndef VIV_BIF_SYSTEM_THREAD_STATISTICS_H
#define VIV_BIF_SYSTEM_THREAD_STATISTICS_H

#include "process/process.h"

/* [{Id, Active, Total}], or undefined while the flag is off; `all`: dirty I/O threads too. */
Term statistics_wall_time(Process *p, bool all);
Term statistics_microstates(Process *p);
/* {Collections, Words reclaimed, 0} */
Term statistics_collections(Process *p);
/* The old value; NON_VALUE: the failure is set. */
Term set_scheduler_wall_time(Process *p, Term value);
Term set_microstate_accounting(Process *p, Term value);

/* An exit handler: who had switched the flag scheduler_wall_time on has ended. */
bool wall_time_process_exit(Process *p, int64_t *reductions);

#endif

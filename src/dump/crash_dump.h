/*
 * The crash dump: what is there of a node that ends because it must, as a file that the stock crashdump_viewer reads.
 *
 * Written by the thread that ends the node (runtime_crash), when all other threads have come to a halt, or half a
 * minute has passed: what a thread has that does not come is left out where it cannot be read meanwhile. A section, or
 * what there is of a process, that cannot be read ends there (dump/part.h); then the last line of the dump says so.
 *
 * Environment: ERL_CRASH_DUMP_SECONDS: 0: no dump; less: as long as it takes, which is the default; more: SIGALRM ends
 * the program after so many. Where heart watches the node it is told first, and no dump is the default: the node is to
 * be there again soon. ERL_CRASH_DUMP_NICE: how much the program gives way to others meanwhile
 * (less than 0: they to it, where it may). The rest stands
 * in dump/output.h. Source: erl(1), heart(3), and what OTP 25 does.
 */
#ifndef VIV_DUMP_CRASH_DUMP_H
#define VIV_DUMP_CRASH_DUMP_H

/* From now on whoever ends the node by runtime_crash leaves a dump. Once, at the start. */
void crash_dump_install(void);

#endif

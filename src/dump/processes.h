/*
 * Processes in a crash dump: a section for each, `=proc`, and sections for its messages, dictionary, stack and heap.
 *
 * Only the thread that writes runs, or others do not come to a halt (thread_progress_end_others): a process that one
 * of those runs, or that was being collected, is told of without its memory. What has come to a process and was not
 * taken up becomes part of its queue first.
 */
#ifndef VIV_DUMP_PROCESSES_H
#define VIV_DUMP_PROCESSES_H

#include "process/process.h"
#include "term/text.h"

/* The one that the calling thread runs; NULL: none. */
Process *dump_current_process(void);
void dump_processes(Text *to);
void dump_process_memory(Text *to);
/* Of each of the others that may be told of. */
void dump_each_heap(void (*each)(Process *p, void *data), void *data);
/* "address:SReturn addr 0x.. (place)" for each of its return addresses. */
void dump_return_addresses(Text *to, const Process *p);

#endif

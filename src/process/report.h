/*
 * What the runtime itself has to say: reports of processes that crashed or went over max_heap_size.
 *
 * A report goes as {log, Level, Format, Arguments, Metadata} to the process registered as `logger`, in the form that
 * the stock runtime uses; when there is none it is printed on standard error. On the process's own thread; does not
 * collect.
 */
#ifndef VIV_PROCESS_REPORT_H
#define VIV_PROCESS_REPORT_H

#include "process/process.h"

/* `p` ends by an error or a throw that nobody caught. */
void report_crash(Process *p);
void report_max_heap_size(Process *p);
/* One line of the runtime's own. Any thread that may look pids up. */
void report_error(Process *p, const char *format, const Term *arguments, unsigned count);

#endif

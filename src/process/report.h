/*
 * What the runtime itself has to say: reports of processes that crashed or went over max_heap_size.
 *
 * A report goes as {log, Level, Format, Arguments, Metadata} to the process registered as `logger`, in the form that
 * the stock runtime uses, or to the one that report_set_logger names; when there is none it is printed on standard
 * error. On the process's own thread; does not collect.
 */
#ifndef VIV_PROCESS_REPORT_H
#define VIV_PROCESS_REPORT_H

#include "process/process.h"

/* A pid, am_logger (whoever is registered so, as at the start), or am_undefined: reports are dropped. Gives the one
 * before. Any thread. Source: erlang(3), system_flag(system_logger, _). */
Term report_set_logger(Term logger);
Term report_logger(void);

/* `p` ends by an error or a throw that nobody caught. */
void report_crash(Process *p);
void report_max_heap_size(Process *p);
/* One line of the runtime's own, or more: text as it is, or a format. Any thread that may look pids up. */
void report_text(Process *p, const char *text);
void report_error(Process *p, const char *format, const Term *arguments, unsigned count);
/* The same, of nobody's: an error of a driver's, or of a library's. */
void report_of_runtime(const char *text);
/* Text of one or more lines, as a warning. By p's thread. */
void report_warning(Process *p, const char *message);

#endif

/*
 * The stack of a process as text, for people: process_info(_, backtrace) and erlang:process_display/2.
 */
#ifndef VIV_BIF_PROCESS_BACKTRACE_H
#define VIV_BIF_PROCESS_BACKTRACE_H

#include "process/process.h"
#include "term/text.h"

/* In the stock form: the program counter, then frames with what is in them. By the thread that runs p. */
void process_backtrace(Text *to, const Process *p);

#endif

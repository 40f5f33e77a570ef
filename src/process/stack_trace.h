/*
 * Stack traces as programs see them: lists of {Module, Function, Arity, Location}, read off the stack of a process by
 * the thread that runs it. Frames of traced calls are left out. Source of the form: Erlang reference manual, "Errors
 * and Error Handling".
 */
#ifndef VIV_PROCESS_STACK_TRACE_H
#define VIV_PROCESS_STACK_TRACE_H

#include "code/ranges.h"
#include "process/process.h"

extern _Atomic unsigned exception_depth; /* system_flag(backtrace_depth): 8 */
#define STACKTRACE_DEPTH_MAX 1024

/* `I` (NULL: nothing), then return addresses, newest first; how many. Each lies within the instruction it names: a
 * return address less one word. Those that follow each other and are equal (a body-recursive function) count once. */
size_t stacktrace_addresses(const Process *p, const Word *I, const Word **addresses, size_t most);
/* The same of the newest `words` of the stack. *is_whole: there is nothing that was not looked at. */
size_t stacktrace_addresses_within(const Process *p, const Word *I, const Word **addresses, size_t most, size_t words,
                                   bool *is_whole);
/* {Module, Function, arity or arguments, Location}; `more`: elements to append to the location, a list. */
Term stacktrace_entry(Area *area, const CodePlace *place, Term arity_or_arguments, Term more);
Term stacktrace_list(Area *area, Term first, const Word *const *addresses, size_t count);
/* The trace of a process that stands at `I`, or is about to return (NULL): at most `depth` entries. */
Term stacktrace_of_process(Process *of, const Word *I, unsigned depth, Area *area);

#endif

/*
 * Who called: the function that will be returned to, read off the stack.
 *
 * A function that called in tail position has left no return address, so what is named is the nearest function that is
 * still waiting: as the stock runtime names it. Source: ERTS user's guide, "Match Specifications in Erlang", caller.
 */
#ifndef VIV_TRACE_CALLER_H
#define VIV_TRACE_CALLER_H

#include "code/ranges.h"
#include "process/process.h"

/* False: nobody, the process ends when the function returns. Skips return addresses that are not in code. */
bool trace_caller_place(const Process *p, CodePlace *place);
/* {M, F, A}, or undefined. */
Term trace_caller(Process *p);

#endif

/*
 * From a failure to its handler.
 *
 * A raise turns p->fail into class, value and a raw trace, finds the newest catch on the stack, and goes on there with
 * x0 = NON_VALUE, x1 = class, x2 = value, x3 = raw trace; the handler's first instruction (try_case, catch_end) sorts
 * them. Without a catch the process leaves the engine with STOP_EXIT, p->exit_reason and p->exit_class set.
 *
 * A raw trace is a compact term that programs never see: {Class, First, Addresses} where First is a complete entry, or
 * {Export, Arguments} of a built-in function that has failed with no more to tell (its address as a small integer), or
 * nil, and Addresses a bitstring of code addresses (the failing instruction, then return addresses, newest first); or
 * {Class, List, []} with the list given to erlang:raise/3; or {Class, First, Addresses, undefined} where First is of a
 * function whose clauses did not match. exception_stacktrace makes the list that programs see.
 * Source of the form: Erlang reference manual, "Errors and Error Handling"; erlang(3) on stack traces.
 */
#ifndef VIV_EMU_EXCEPTION_H
#define VIV_EMU_EXCEPTION_H

#include "code/export.h"
#include "code/ranges.h"
#include "process/stack_trace.h"

/* `bif`: the built-in function that failed with arguments `arguments`, or NULL when instruction `I` itself did. */
const Word *exception_raise(Process *p, Term *x, const Word *I, const Export *bif, const Term *arguments);
/* The same with the first entry of the trace at hand (undef). */
const Word *exception_raise_first(Process *p, Term *x, Term entry);
/* The same with class, value and raw trace at hand (try_case_end, raise of what was caught). */
const Word *exception_raise_raw(Process *p, Term *x, Term class, Term value, Term raw);
Term exception_stacktrace(Process *p, Term raw);
Term exception_class(Term raw);
/* `raw`, raised again, for that class; NON_VALUE when it is none of the three. */
Term exception_with_class(Process *p, Term class, Term raw);

/* What `catch` returns for an exception: the value thrown, {'EXIT', Reason}, or {'EXIT', {Reason, Stacktrace}}. */
Term exception_for_catch(Process *p, Term class, Term value, Term raw);

/* emu/stacktrace.c */
/* The raw trace of p at instruction `I`, with a first entry or nil. */
Term stacktrace_raw(Process *p, Term class, const Word *I, Term first);
/* The same, where `first` is the entry of the function at I, or, when I is stacktrace_caller(p), of the caller. */
Term stacktrace_raw_told(Process *p, Term class, const Word *I, Term first);
/* The same trace, whose first entry will lose its place when it is raised again. */
Term stacktrace_raw_unplaced(Process *p, Term raw);
/* Who explains the failures of a module's built-in functions, as seen on the stock runtime; NON_VALUE: nobody. */
Term stacktrace_explainer(Term module);
/* [{error_info, #{module => Module, cause => Cause}}], without a cause where that is NON_VALUE, or []. */
Term stacktrace_error_info(Area *area, Term module, Term cause);
/* Within the call to which the topmost frame returns; NULL at the bottom of the stack. */
const Word *stacktrace_caller(const Process *p);

#endif

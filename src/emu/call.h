/*
 * Calls that the instructions do not finish by themselves: funs that are no plain local funs, apply, functions that
 * do not exist, built-in functions that trap, wait, fail or leave the heap full.
 *
 * All functions here are called with the machine written back (STORE). Those that return an address say where to go
 * on; NULL means that the engine must be left, and all that the process needs has been saved. `next` is where the call
 * returns to; when it is NULL the call is a last call (the frame is gone, the return address on top of the stack).
 */
#ifndef VIV_EMU_CALL_H
#define VIV_EMU_CALL_H

#include "code/export.h"
#include "code/function_header.h"
#include "code/native_call.h"
#include "emu/emu.h"
#include "emu/stop.h"
#include "term/fun.h"
#include "process/bif.h"
#include "process/process.h"
#include "process/waiting_bif.h"
#include "term/arith.h"

const Word *emu_call_fun(Process *p, Term *x, Term fun, unsigned arity, const Word *next);
/* The entry behind an external fun of that arity; NULL for everything else. */
static inline const Export *fun_export(Term fun, unsigned arity) {
    const Export *e = is_export_fun(fun) ? ((const ExportFun *)boxed_ptr(fun))->export : NULL;
    return e != NULL && e->arity == arity ? e : NULL;
}
/* As the last call, which drops words of the frame. One that fails leaves the frame, so its function shows in the
 * trace. */
const Word *emu_call_fun_last(Process *p, Term *x, Term fun, unsigned arity, unsigned drop);
/* Where the thread remembers the entry of a function that was applied; NULL, or that of another function. What
 * emu_apply does itself (erlang:apply, hibernate) is never there, nor what needs a return address to be pushed. */
static inline const Export **applied_slot(Term *x, Term module, Term function, unsigned arity) {
    Word hash = 7 * atom_index(module) + atom_index(function) + arity;
    return &registers_of(x)->applied[hash % APPLIED_SLOTS];
}
static inline bool is_applied(const Export *e, Term module, Term function, unsigned arity) {
    return e != NULL && e->module == module && e->function == function && e->arity == arity;
}
/* M:F/A with module and function in x[arity] and x[arity + 1]. */
const Word *emu_apply(Process *p, Term *x, unsigned arity, const Word *next);
/* erlang:apply/3: x0 to x2. */
const Word *emu_apply_list(Process *p, Term *x, const Word *next);
const Word *emu_apply_list_last(Process *p, Term *x, unsigned drop);
/* erlang:apply/2: x0 and x1. */
const Word *emu_apply_fun(Process *p, Term *x, const Word *next);
const Word *emu_apply_fun_last(Process *p, Term *x, unsigned drop);
bool emu_is_function_arity(Term t, Term arity);

/* In the place of a receive: its process must exit, or is suspended (process/receive.h). Returns as the above. */
const Word *emu_leave_receive(Process *p, Term *x);
/* erlang:hibernate/3 with its arguments in x0 to x2. */
const Word *emu_hibernate(Process *p, Term *x);

/* Bodies of functions that are not there, and of those whose clauses did not match. */
const Word *emu_undefined_function(Process *p, Term *x, const Export *e);
/* In the place of the body of a function at which a debugger has a breakpoint. */
const Word *emu_debugged_function(Process *p, Term *x, const FunctionHeader *f);
const Word *emu_function_clause(Process *p, Term *x, const Word *func_info);
/* A guard function that this runtime has not got: undef with its arguments in x. */
const Word *emu_bif_missing(Process *p, Term *x, const Export *e);
/* p->reductions are used up. True: only those that the engine was given, and there are more. `enters`: p is about to
 * enter a function, and has not. */
bool emu_slice_goes_on(Process *p, bool enters);
/* Takes a reduction; true: the slice is over, the caller stops. */
bool emu_slice_is_over(Process *p);

/* Built-in functions; p->current_bif is the export. Each call ends with the checks that debug builds make: what it
 * holds it has given back (process/waiting_bif.h); and one that has been suspended midway ends its slice, but for a
 * dirty call, which is no slice (process/signal_handle.h). */
static inline void emu_check_left(const Process *p, Term result) {
    assume(waiting_bif_is_clean(p, result));
    assume(result == NON_VALUE || !process_is_suspended(p) || process_is_in_dirty_hands(p));
}
/* After a call: fails, traps, waits, collects, puts the result in x0. With next NULL: returns. */
const Word *emu_after_bif(Process *p, Term *x, Term result, const Word *next);
const Word *emu_call_dirty(Process *p, Term *x, const Word *next);

/* Native functions. After the call, as above; the function's own frame is the return address on top of the stack. */
const Word *emu_after_native(Process *p, Term *x, Term result, const NativeCall *native);
const Word *emu_call_dirty_native(Process *p, Term *x, const NativeCall *native);

/* An operator failed that is no guard function call here but would be one of erlang:Name: keeps what emu_raise_bif
 * needs. */
void emu_operator_failed(Process *p, ArithFail why, Term name, unsigned arity, Term a, Term b);
/* Guard functions: the export's BIF is called; on failure p->current_bif and its arguments are kept for the stack
 * trace. */
Term emu_guard1(Process *p, const Export *e, Term a);
Term emu_guard2(Process *p, const Export *e, Term a, Term b);
Term emu_guard3(Process *p, const Export *e, Term a, Term b, Term c);
/* After a guard function that built fragments: collects if they have become large. Returns the result where it lies
 * now, or NON_VALUE (p->fail says why). x[live] is used. */
Term emu_settle(Process *p, Term *x, Term result, unsigned live);

#endif

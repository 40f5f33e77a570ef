/*
 * Traced calls and returns: what the instructions of emu/trace.tab call. All are called with the machine written back.
 */
#ifndef VIV_EMU_TRACE_CALL_H
#define VIV_EMU_TRACE_CALL_H

#include "code/breakpoint.h"
#include "process/call_count.h"
#include "process/trace_point.h"

/* Does a call need no more than what is done here: to be counted, or nothing? */
static inline bool emu_is_passed(const Process *p, const GenericBp *bp) {
    const BpHead *head = breakpoint_head(bp);
    if (head == NULL)
        return true;
    if (head->count == NULL)
        return head->flagged_only && !(p->trace_flags & TRACE_CALL);
    call_count_call(head->count, p);
    return true;
}

/* The handler of the instruction that the breakpoint at a function's entry replaced, which is none of the first two;
 * EXITS: the process must; DEBUGGED: what goes on is emu_debugged_function. May collect. */
enum { BREAKPOINT_EXITS = 0, BREAKPOINT_DEBUGGED = 1 };
uint32_t emu_breakpoint(Process *p, Term *x, const Word *entry);
/* What is to be done at a breakpoint that is not passed. False: there was no room, and the process must exit. May
 * collect. */
bool emu_tell_call(Process *p, Term *x, const GenericBp *bp);
/* The slice ends at the entry of a function, or of an export: the call is made, so it is told now, by the breakpoint
 * that is there now, and not again when the process goes on. Ends as emu_stop does, or raises as the functions of
 * emu/call.h. */
const Word *emu_end_slice(Process *p, Term *x, const Word *entry, unsigned arity);
/* Takes a frame off the stack; x0 is the value returned. Says where to go on, as the functions of emu/call.h. */
const Word *emu_return_trace(Process *p, Term *x);

#endif

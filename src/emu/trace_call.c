/*
 * Traced calls and returns, as far as the engine does them: frames on the stack, and the instruction that was replaced.
 *
 * A frame is a return address to `return_trace` and the words of a TraceFrame, pushed at the entry of the function: so
 * the function returns there first.
 */
#include <string.h>

#include "base/thread_progress.h"
#include "emu/call.h"
#include "emu/exception.h"
#include "emu/interp.h"
#include "emu/trace_call.h"
#include "process/trace_point.h"

_Static_assert(sizeof(TraceFrame) == TRACE_FRAME_WORDS * sizeof(Term), "a frame is its words");

static void push_frame(Process *p, const TraceFrame *frame) {
    size_t words = trace_frame_words(frame);
    Term *E = p->heap.area.limit - words;
    memcpy(E, frame, words * sizeof *E);
    *--E = return_address_make(trace_return_code);
    p->heap.area.limit = E;
}

/* The frames' tracers are roots: behind the arguments, where no x register is alive. */
static bool make_room(Process *p, Term *x, const TraceFrames *f, unsigned arity) {
    for (unsigned i = 0; i < f->count; i++)
        x[arity + i] = f->frames[i].tracer;
    if (!emu_collect(p, x, trace_frames_words(f), arity + f->count))
        return false;
    for (unsigned i = 0; i < f->count; i++)
        f->frames[i].tracer = x[arity + i];
    return true;
}
_Static_assert(255 + TRACE_FRAMES_MAX <= X_REGISTERS, "make_room");

bool emu_tell_call(Process *p, Term *x, const GenericBp *bp) {
    unsigned arity = bp->mfa.arity;
    TraceFrames f;
    trace_frames_init(&f);
    if (!trace_points.call(p, x, bp, &f))
        return true;
    size_t need = trace_frames_words(&f);
    Area *area = process_area(p);
    bool is_short = (size_t)(area->limit - area->top) < need + STACK_RESERVE || emu_bif_left_mess(p);
    bool fits = !is_short || make_room(p, x, &f, arity);
    for (unsigned i = fits ? f.count : 0; i-- > 0;)
        push_frame(p, &f.frames[i]);
    trace_frames_release(&f);
    return fits;
}

/* On a dirty thread, which met the instruction offline: the breakpoint may have gone since, or another one come. */
static uint32_t original_at(const Word *entry) {
    thread_progress_enter();
    uint32_t original = breakpoint_original(function_of_entry(entry));
    thread_progress_leave();
    return original;
}

/* The call of a function that runs on a dirty thread is told before that: it is entered again there. */
uint32_t emu_breakpoint(Process *p, Term *x, const Word *entry) {
    if (unlikely(p->flags & FLAG_DIRTY_CALL))
        return original_at(entry);
    const GenericBp *bp = breakpoint_at(function_of_entry(entry));
    const BpHead *head = breakpoint_head(bp);
    uint32_t next = head != NULL && head->is_debugged ? BREAKPOINT_DEBUGGED : bp->original;
    return emu_tell_call(p, x, bp) ? next : BREAKPOINT_EXITS;
}

/* Gives where it leads, which is no breakpoint. NULL: there was no room. */
static const Word *tell_export(Process *p, Term *x, const Word *code) {
    const ExportBp *bp = (const ExportBp *)code[1];
    const Word *target = export_breakpoint_target(bp, code);
    return emu_is_passed(p, &bp->bp) || emu_tell_call(p, x, &bp->bp) ? target : NULL;
}

/* A debugger's breakpoint is met when the process goes on. */
static bool tell_function(Process *p, Term *x, const Word *entry) {
    const GenericBp *bp = breakpoint_at(function_of_entry(entry));
    const BpHead *head = breakpoint_head(bp);
    if (head != NULL && head->is_debugged)
        return true;
    p->flags |= FLAG_CALLS_AGAIN;
    return emu_is_passed(p, bp) || emu_tell_call(p, x, bp);
}

/* Once it waits, its code may be replaced, and what was there to tell of the call goes. */
static const Word *tell_entered(Process *p, Term *x, const Word *ip) {
    if (handler_word(ip) == export_breakpoint_instruction)
        ip = tell_export(p, x, ip);
    bool is_traced = ip != NULL && handler_word(ip) == (uint32_t)breakpoint_instruction;
    return !is_traced || tell_function(p, x, ip) ? ip : NULL;
}

const Word *emu_end_slice(Process *p, Term *x, const Word *entry, unsigned arity) {
    if (likely(!(p->flags & FLAG_DIRTY_CALL))) /* there it could go meanwhile */
        entry = tell_entered(p, x, entry);
    return entry != NULL ? emu_stop(p, x, STOP_YIELD, entry, arity) : exception_raise(p, x, p->ip, NULL, NULL);
}

/* The nearest return address that leads to code. */
static const Word *goes_on_at(const Process *p, const Term *slot) {
    for (; slot < p->heap.end; slot++)
        if (is_return_address(*slot) && return_address_ip(*slot) != trace_return_code)
            return return_address_ip(*slot);
    return NULL;
}

const Word *emu_return_trace(Process *p, Term *x) {
    const Term *top = p->heap.area.limit;
    size_t words = trace_frame_words((const TraceFrame *)top);
    TraceFrame frame;
    memcpy(&frame, top, words * sizeof *top);
    p->heap.area.limit += words;
    trace_points.returned(p, &frame, x[0], goes_on_at(p, p->heap.area.limit));
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 1))
        return exception_raise(p, x, p->ip, NULL, NULL);
    const Word *to = return_address_ip(*p->heap.area.limit++);
    if (--p->reductions <= 0)
        return emu_stop(p, x, STOP_YIELD, to, 1);
    return to;
}

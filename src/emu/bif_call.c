/* How built-in functions are called, and all the ways in which they do not simply return. */
#include "base/thread_progress.h"
#include "emu/call.h"
#include "emu/exception.h"
#include "emu/interp.h"
#include "process/dirty_call.h"
#include "process/dirty_end.h"

/* Where the caller goes on: at `next`, or (NULL) where the top of the stack leads to. */
static const Word *to_caller(Process *p, const Word *next) {
    return next != NULL ? next : return_address_ip(*p->heap.area.limit++);
}

/* The result is in x0 and nothing failed: back to the caller. */
static const Word *finish(Process *p, Term *x, const Word *next) {
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 1))
        return exception_raise(p, x, p->ip, NULL, NULL);
    return to_caller(p, next);
}

/* A scheduler enters it: here no address of code may be looked at, which could be a breakpoint that goes. */
static const Word *leave_dirty(Process *p, Term *x, const Export *to, unsigned arity) {
    p->entered = to;
    return emu_stop(p, x, STOP_YIELD, process_entries.enter_export, arity);
}

/* It was suspended midway, or gives the slice up for another reason. */
static StopReason why_later(const Process *p) { return process_is_suspended(p) ? STOP_SUSPEND : STOP_YIELD; }

static const Word *take_trap(Process *p, Term *x, const Word *next) {
    unsigned arity = p->fail.trap_arity;
    const Export *to = p->fail.trap;
    for (unsigned i = 0; i < arity; i++) {
        x[i] = p->fail.trap_arguments[i];
        p->fail.trap_arguments[i] = NIL; /* they are roots, and would hold what they were until the next trap */
    }
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, arity))
        return exception_raise(p, x, p->ip, NULL, NULL);
    if (next != NULL)
        *--p->heap.area.limit = return_address_make(next);
    if (registers_of(x)->dirty)
        return leave_dirty(p, x, to, arity);
    if (p->fail.reason == FAIL_YIELD_TRAP || emu_slice_is_over(p))
        return emu_stop(p, x, why_later(p), export_address(to), arity);
    return export_address(to);
}

static const Word *return_later(Process *p, Term *x, const Word *next) {
    x[0] = p->fail.value;
    const Word *ip = finish(p, x, next);
    return ip == NULL ? NULL : emu_stop(p, x, why_later(p), ip, 1);
}

static const Word *return_collected(Process *p, Term *x, const Word *next) {
    x[0] = p->fail.value;
    const Word *ip = to_caller(p, next);
    return process_collect_kind(p, 0, x, 1, p->fail.collect) ? ip : exception_raise(p, x, p->ip, NULL, NULL);
}

static const Word *return_woken(Process *p, Term *x, const Word *next) {
    x[0] = p->fail.value;
    const Word *ip = to_caller(p, next);
    p->flags |= FLAG_HIBERNATED;
    bool lives = process_collect_kind(p, 0, x, 1, COLLECT_HIBERNATE);
    return lives ? emu_stop(p, x, STOP_WAIT, ip, 1) : emu_stop(p, x, STOP_EXIT, NULL, 0);
}

/* On a dirty thread too, which must say that it looks at the ranges of code. */
static const Word *raise(Process *p, Term *x, const Export *bif, const Term *arguments) {
    thread_progress_enter();
    bool is_body = (uint32_t)*p->ip == (uint32_t)export_bif_instruction; /* the function is the BIF: it shows once */
    const Word *ip = exception_raise(p, x, is_body && bif != NULL ? NULL : p->ip, bif, arguments);
    thread_progress_leave();
    return ip;
}

/* What it would build beside the heap a collection would have to move there: so room is made first. */
static const Word *call_with_room(Process *p, Term *x, const Word *next, const Term *arguments) {
    const Export *bif = p->current_bif;
    for (unsigned i = 0; i < bif->arity; i++)
        x[i] = arguments[i];
    if (!process_collect_kind(p, p->fail.room, x, bif->arity, COLLECT_RESULT))
        return exception_raise(p, x, p->ip, NULL, NULL);
    Term result = bif->bif->function(p, x);
    emu_check_left(p, result);
    return emu_after_bif(p, x, result, next);
}

static const Word *failed(Process *p, Term *x, const Word *next, const Term *arguments) {
    const Export *bif = p->current_bif;
    switch (p->fail.reason) {
    case FAIL_TRAP:
    case FAIL_YIELD_TRAP: return take_trap(p, x, next);
    case FAIL_YIELD: return return_later(p, x, next);
    case FAIL_COLLECT: return return_collected(p, x, next);
    case FAIL_ROOM: return call_with_room(p, x, next, arguments);
    case FAIL_HIBERNATE: return return_woken(p, x, next);
    case FAIL_WAIT: /* the call is made again: its arguments are what stays alive */
        for (unsigned i = 0; i < bif->arity; i++)
            x[i] = arguments[i];
        p->flags |= FLAG_CALLS_AGAIN;
        return emu_stop(p, x, STOP_WAIT, p->ip, bif->arity);
    case FAIL_EXITING: return emu_stop(p, x, STOP_EXIT, NULL, 0);
    default: return raise(p, x, p->fail.from_caller ? NULL : bif, arguments);
    }
}

const Word *emu_after_bif(Process *p, Term *x, Term result, const Word *next) {
    if (result == NON_VALUE)
        return failed(p, x, next, x);
    x[0] = result;
    return finish(p, x, next);
}

const Word *emu_call_dirty(Process *p, Term *x, const Word *next) {
    const Export *e = p->current_bif;
    EmuRegisters *registers = registers_of(x);
    if (!registers->dirty) {
        uint32_t kind = e->bif->flags & BIF_DIRTY_CPU ? STATE_DIRTY_CPU : STATE_DIRTY_IO;
        atomic_fetch_or_explicit(&p->state, kind, memory_order_acq_rel);
        p->flags |= FLAG_DIRTY_CALL;
        return emu_stop(p, x, STOP_DIRTY, p->ip, e->arity);
    }
    p->flags &= ~(uint32_t)FLAG_DIRTY_CALL;
    Process *stand_in = dirty_call_begin(p);
    Term result = e->bif->function(stand_in, x);
    dirty_call_end(p, stand_in);
    emu_check_left(p, result);
    if (unlikely(dirty_end_has_left(p)))
        return emu_stop(p, x, STOP_EXIT, NULL, 0);
    const Word *ip;
    unsigned live = 1;
    if (result == NON_VALUE) {
        ip = failed(p, x, next, x);
        live = p->fail.reason == FAIL_TRAP ? p->fail.trap_arity : 4;
    } else {
        x[0] = result;
        ip = finish(p, x, next);
    }
    return ip == NULL ? NULL : emu_stop(p, x, STOP_YIELD, ip, live);
}

static inline Term guard(Process *p, const Export *e, const Term *a) {
    Term result = e->bif->function(p, a);
    emu_check_left(p, result);
    if (unlikely(result == NON_VALUE)) {
        p->current_bif = e;
        for (unsigned i = 0; i < e->arity; i++)
            p->fail.trap_arguments[i] = a[i];
    }
    return result;
}
Term emu_guard1(Process *p, const Export *e, Term a) { return guard(p, e, (Term[]){a}); }
Term emu_guard2(Process *p, const Export *e, Term a, Term b) { return guard(p, e, (Term[]){a, b}); }
Term emu_guard3(Process *p, const Export *e, Term a, Term b, Term c) { return guard(p, e, (Term[]){a, b, c}); }

void emu_operator_failed(Process *p, ArithFail why, Term name, unsigned arity, Term a, Term b) {
    FailReason reasons[] = {FAIL_NONE, FAIL_BADARITH, FAIL_BADARG, FAIL_SYSTEM_LIMIT};
    fail_with(p, reasons[why]);
    if (name != NON_VALUE) {
        p->current_bif = export_put(am_erlang, name, arity);
        p->fail.trap_arguments[0] = a;
        p->fail.trap_arguments[1] = b;
    }
}

Term emu_settle(Process *p, Term *x, Term result, unsigned live) {
    if (!heap_wants_collection(&p->heap))
        return result;
    x[live] = result;
    if (!emu_collect(p, x, 0, live + 1))
        return NON_VALUE;
    return x[live];
}

/* How native functions are called, and all the ways in which they do not simply return. */
#include "base/race_window.h"
#include "base/thread_progress.h"
#include "emu/call.h"
#include "emu/exception.h"
#include "emu/interp.h"
#include "process/dirty_end.h"
#include "process/native_frame.h"

/* The call goes on later: another native function is to be called, with other arguments. */
static const Word *go_on(Process *p, Term *x) {
    NativeFrame *f = p->native_frame;
    unsigned arity = (unsigned)f->code.header.arity;
    for (unsigned i = 0; i < arity; i++)
        x[i] = f->arguments[i];
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, arity))
        return exception_raise(p, x, p->ip, NULL, NULL);
    race_window("between the parts of a native call");
    if (emu_slice_is_over(p))
        return emu_stop(p, x, STOP_YIELD, native_frame_entry(f), arity);
    return native_frame_entry(f);
}

/* The trace names the function that Erlang called, with its arguments. On a dirty thread too, which must say that it
 * looks at the ranges of code. */
static const Word *failed(Process *p, Term *x, const NativeCall *native) {
    NativeFrame *f = p->native_frame;
    bool is_first = f == NULL || f->first == NULL;
    const Export *first = is_first ? native->name : f->first;
    if (!is_first)
        native_frame_end(p); /* the collector must not look at it any more: the trace is made before that */
    thread_progress_enter();
    const Word *ip = exception_raise(p, x, NULL, first, is_first ? x : f->first_arguments);
    thread_progress_leave();
    return ip;
}

const Word *emu_after_native(Process *p, Term *x, Term result, const NativeCall *native) {
    if (result == NON_VALUE)
        return p->fail.reason == FAIL_NATIVE ? go_on(p, x) : failed(p, x, native);
    x[0] = result;
    if (emu_bif_left_mess(p) && !emu_collect(p, x, 0, 1))
        return exception_raise(p, x, p->ip, NULL, NULL);
    Term *E = p->heap.area.limit;
    p->heap.area.limit = E + 1;
    return return_address_ip(*E);
}

const Word *emu_call_dirty_native(Process *p, Term *x, const NativeCall *native) {
    EmuRegisters *registers = registers_of(x);
    if (!registers->dirty) {
        uint32_t kind = native->flags & BIF_DIRTY_CPU ? STATE_DIRTY_CPU : STATE_DIRTY_IO;
        atomic_fetch_or_explicit(&p->state, kind, memory_order_acq_rel);
        p->flags |= FLAG_DIRTY_CALL;
        return emu_stop(p, x, STOP_DIRTY, p->ip, native->name->arity);
    }
    p->flags &= ~(uint32_t)FLAG_DIRTY_CALL;
    Term result = native->enter(p, x, native);
    if (unlikely(dirty_end_has_left(p)))
        return emu_stop(p, x, STOP_EXIT, NULL, 0);
    emu_check_left(p, result);
    const Word *ip = emu_after_native(p, x, result, native);
    if (ip == NULL)
        return NULL;
    unsigned live = result != NON_VALUE             ? 1
                    : p->fail.reason == FAIL_NATIVE ? (unsigned)p->native_frame->code.header.arity
                                                    : 4;
    return emu_stop(p, x, STOP_YIELD, ip, live);
}

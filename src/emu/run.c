/* Entering and leaving the engine, and the ends that all instructions share. */
#include "alloc/alloc.h"
#include "base/program.h"
#include "emu/interp.h"
#include "insns.h"
#include "process/sampling.h"
#include "process/trace_point.h"

#include <stdlib.h>

const Export *emu_send_export;
static bool one_reduction_a_slice; /* VIV_ONE_REDUCTION: a torture mode */

/* Code that belongs to no module */
static Word apply_code[1], exit_normal_code[1], enter_export_code[1], fun_code[2];

#ifdef VIV_SANITIZE
HANDLER(op_anchor) { panic("the anchor of instruction addresses was called"); }
Word insn_word(const InsnForm *form) {
    SWord distance = (const char *)form->handler - (const char *)op_anchor;
    require(distance == (int32_t)distance);
    return (uint32_t)(int32_t)distance;
}
#else
Word insn_word(const InsnForm *form) {
    require((uintptr_t)form->handler <= UINT32_MAX);
    return (Word)(uintptr_t)form->handler;
}
#endif

static Word word_of(enum Insn insn) {
    const InsnInfo *info = &insn_info[insn];
    return insn_word(&insn_forms[info->first_form + info->form_count - 1]);
}

/* How many x registers are alive at the entry of a function. */
static unsigned live_at(const Word *entry) {
    Word w = handler_word(entry);
    if (w == export_breakpoint_instruction)
        return ((const ExportBp *)entry[1])->bp.mfa.arity;
    if (w == export_bif_instruction || w == export_error_handler_instruction)
        return ((const Export *)entry[1])->arity;
    return (unsigned)function_of_entry(entry)->arity;
}

/* A process that saves calls comes here at each call and return, one that is sampled after some; they may go on. */
#define GO_ON_UNLESS_OVER(enters)                                                                                      \
    do {                                                                                                               \
        STORE;                                                                                                         \
        if (emu_slice_goes_on(p, enters)) {                                                                            \
            reds = p->reductions;                                                                                      \
            DISPATCH;                                                                                                  \
        }                                                                                                              \
    } while (0)

HANDLER(emu_yield) {
    GO_ON_UNLESS_OVER(true);
    GO_ON_AT(emu_end_slice(p, x, I, live_at(I)));
}

HANDLER(emu_yield_export) {
    if (unlikely(p->saved_calls != NULL))
        saved_calls_add(p, p->entered);
    GO_ON_IN(emu_yield);
}

HANDLER(emu_yield_return) {
    GO_ON_UNLESS_OVER(false);
    emu_stop(p, x, STOP_YIELD, I, 1);
}

HANDLER(emu_enter) { ENTER(I); }
HANDLER(emu_by_word) { DISPATCH; }
HANDLER(emu_return_over) { JUMP_IN(emu_yield_return, return_address_ip(E[-1])); }
HANDLER(emu_return_by_word) { JUMP_TO(return_address_ip(E[-1])); }

HANDLER(emu_yield_nothing) {
    GO_ON_UNLESS_OVER(false);
    emu_stop(p, x, STOP_YIELD, I, 0);
}

HANDLER(emu_raise) {
    STORE;
    GO_ON_AT(exception_raise(p, x, I, NULL, NULL));
}

HANDLER(emu_raise_bif) {
    STORE;
    GO_ON_AT(exception_raise(p, x, I, p->current_bif, p->fail.trap_arguments));
}

void emu_init(void) {
    sampling_engine_is(__start_viv_engine, __stop_viv_engine);
    apply_code[0] = word_of(INSN_APPLY_MFA_LAST);
    exit_normal_code[0] = word_of(INSN_EXIT_NORMAL);
    fun_code[0] = fun_code[1] = word_of(INSN_CALL_ERROR_FUN);
    enter_export_code[0] = word_of(INSN_ENTER_EXPORT);
    process_entries = (ProcessEntries){apply_code, exit_normal_code, enter_export_code};
    fun_error_address = fun_code;
    trace_return_code[0] = word_of(INSN_RETURN_TRACE);
    breakpoint_instruction = word_of(INSN_BREAKPOINT);
    export_breakpoint_instruction = word_of(INSN_EXPORT_BREAKPOINT);
    export_bif_instruction = word_of(INSN_CALL_BIF);
    native_call_instruction = word_of(INSN_CALL_NATIVE);
    native_dirty_call_instruction = word_of(INSN_CALL_DIRTY_NATIVE);
    export_error_handler_instruction = word_of(INSN_CALL_ERROR_HANDLER);
    emu_send_export = export_put(am_erlang, atom_from_cstring("send"), 2);
    one_reduction_a_slice = getenv("VIV_ONE_REDUCTION") != NULL;
}

/* A BIF that is called again may stand first in a function, or the slice has ended there: the call was told when it was
 * entered. */
static noinline uint32_t enter_again(Process *p) {
    p->flags &= ~(uint32_t)FLAG_CALLS_AGAIN;
    uint32_t word = handler_word(p->ip);
    return word == (uint32_t)breakpoint_instruction ? breakpoint_original(function_of_entry(p->ip)) : word;
}

StopReason emu_run(Process *p, EmuRegisters *registers) {
    Term *x = registers->x;
    p->float_registers = registers->f;
    if (unlikely(one_reduction_a_slice)) { /* those that it does not get are not counted as done */
        sampling_leave_pieces(p);
        p->reductions_done -= (uint64_t)(p->reductions - 1);
        p->reductions = 1;
    }
    for (unsigned i = 0; i < p->arity; i++)
        x[i] = p->saved[i];
    /* Signals that came since may have taken the words that stay free below the stack. */
    if (unlikely(emu_bif_left_mess(p)) && !emu_collect(p, x, 0, p->arity)) {
        p->ip = exception_raise(p, x, p->ip, NULL, NULL);
        if (p->ip == NULL)
            return registers->stop;
    }
    if (unlikely(p->saved_calls != NULL))
        saved_calls_engage(p);
    uint32_t word = likely(!(p->flags & FLAG_CALLS_AGAIN)) ? handler_word(p->ip) : enter_again(p);
    handler_of(word)(p, x, p->ip, p->heap.area.limit, p->heap.area.top, p->reductions);
    if (unlikely(p->saved_calls != NULL) && p->saved_calls->is_engaged)
        saved_calls_disengage(p);
    return registers->stop;
}

StopReason emu_run_dirty(Process *p, EmuRegisters *registers) {
    registers->dirty = true;
    return emu_run(p, registers);
}

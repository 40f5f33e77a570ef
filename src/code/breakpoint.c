#include "code/breakpoint.h"

#include "alloc/alloc.h"

unsigned the_active_bp_index;
Word breakpoint_instruction, export_breakpoint_instruction;
CodeTraceHooks code_trace_hooks;
GenericBp *breakpoints;

static GenericBp *create(void) {
    GenericBp *bp = mem_calloc(ALLOC_TRACE, sizeof *bp);
    bp->following = breakpoints;
    bp->place = &breakpoints;
    if (breakpoints != NULL)
        breakpoints->place = &bp->following;
    breakpoints = bp;
    return bp;
}

GenericBp *breakpoint_of_function(const FunctionHeader *function) {
    GenericBp *bp = breakpoint_at(function);
    if (bp != NULL)
        return bp;
    bp = create();
    bp->function = (FunctionHeader *)function;
    bp->mfa = (Mfa){.module = function->module, .function = function->function, .arity = (uint32_t)function->arity};
    __atomic_store_n(&bp->function->breakpoint, bp, __ATOMIC_RELEASE);
    return bp;
}

GenericBp *breakpoint_of_export(Export *e) {
    GenericBp *bp = e->breakpoint[code_active()];
    return bp != NULL ? bp : breakpoint_create(e);
}

GenericBp *breakpoint_create(Export *e) {
    GenericBp *bp = create();
    bp->export = e;
    bp->mfa = e->mfa;
    for (unsigned g = 0; g < CODE_GENERATIONS; g++) {
        bp->code[g][0] = export_breakpoint_instruction;
        bp->code[g][1] = (Word)(uintptr_t)bp;
    }
    return bp;
}

static uint32_t *first_handler(const GenericBp *bp) { return (uint32_t *)(uintptr_t)function_entry(bp->function); }

void breakpoint_install(GenericBp *bp) {
    if (bp->is_installed)
        return;
    bp->is_installed = true;
    if (bp->function != NULL) {
        bp->original = *first_handler(bp);
        __atomic_store_n(first_handler(bp), (uint32_t)breakpoint_instruction, __ATOMIC_RELEASE);
        return;
    }
    for (unsigned g = 0; g < CODE_GENERATIONS; g++)
        export_set_breakpoint(bp->export, g, bp);
}

void breakpoint_uninstall(GenericBp *bp) {
    if (!bp->is_installed)
        return;
    bp->is_installed = false;
    if (bp->function != NULL) {
        __atomic_store_n(first_handler(bp), bp->original, __ATOMIC_RELEASE);
        return;
    }
    for (unsigned g = 0; g < CODE_GENERATIONS; g++)
        if (bp->export->breakpoint[g] == bp)
            export_set_breakpoint(bp->export, g, NULL);
}

void breakpoint_exchange_body(FunctionHeader *function, Word instruction) {
    GenericBp *bp = function->breakpoint;
    uint32_t *place = bp != NULL && bp->is_installed ? &bp->original : (uint32_t *)(uintptr_t)function_entry(function);
    __atomic_store_n(place, (uint32_t)instruction, __ATOMIC_RELEASE);
}

/* Who had met the instruction before it was taken away still looked into the header. */
void breakpoint_free(GenericBp *bp) {
    *bp->place = bp->following;
    if (bp->following != NULL)
        bp->following->place = bp->place;
    if (bp->function != NULL)
        __atomic_store_n(&bp->function->breakpoint, NULL, __ATOMIC_RELEASE);
    mem_free(ALLOC_TRACE, bp);
}

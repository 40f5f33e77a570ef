#include "code/breakpoint.h"

#include "alloc/alloc.h"
#include "sys/thread.h"

unsigned the_active_bp_index;
Word breakpoint_instruction, export_breakpoint_instruction;
CodeTraceHooks code_trace_hooks;

typedef struct BpBlock {
    ModuleInstance *instance; /* whose functions it is for, by their numbers; NULL: for one function */
    ModuleInstance *of;       /* whose functions it is for, or one of them */
    uint32_t count, used;
    struct BpBlock *following, **place; /* in the list of all */
    GenericBp bp[];
} BpBlock;
static BpBlock *blocks;
static ExportBp *export_breakpoints;

static BpBlock *block_create(ModuleInstance *of, ModuleInstance *instance, uint32_t count) {
    BpBlock *b = mem_alloc(ALLOC_TRACE, sizeof *b + count * sizeof b->bp[0]);
    *b = (BpBlock){.of = of, .instance = instance, .count = count, .following = blocks, .place = &blocks};
    for (uint32_t i = 0; i < count; i++)
        b->bp[i].function = NULL;
    if (blocks != NULL)
        blocks->place = &b->following;
    return blocks = b;
}

static void block_release(BpBlock *b) {
    if (--b->used > 0)
        return;
    *b->place = b->following;
    if (b->following != NULL)
        b->following->place = b->place;
    if (b->instance != NULL)
        b->instance->breakpoints = NULL;
    mem_free(ALLOC_TRACE, b);
}

/* A new one's own, or that of the instance. */
static BpBlock *block_for(ModuleInstance *instance, bool many) {
    if (instance->breakpoints == NULL && many)
        instance->breakpoints = block_create(instance, instance, instance->function_count);
    return instance->breakpoints != NULL ? instance->breakpoints : block_create(instance, NULL, 1);
}

GenericBp *breakpoint_of_function(ModuleInstance *instance, uint32_t number, bool many) {
    FunctionHeader *function = (FunctionHeader *)instance_function(instance, number);
    if (function->breakpoint != NULL)
        return function->breakpoint;
    BpBlock *block = block_for(instance, many);
    GenericBp *bp = &block->bp[block->instance != NULL ? number : 0];
    *bp = (GenericBp){
        .mfa = {.module = function->module, .function = function->function, .arity = (uint32_t)function->arity},
        .function = function,
        .block = block,
    };
    block->used++;
    __atomic_store_n(&function->breakpoint, bp, __ATOMIC_RELEASE);
    return bp;
}

ExportBp *breakpoint_of_export(Export *e) {
    ExportBp *bp = e->breakpoint[code_active()];
    return bp != NULL ? bp : breakpoint_create(e);
}

ExportBp *breakpoint_create(Export *e) {
    ExportBp *bp = mem_alloc(ALLOC_TRACE, sizeof *bp);
    *bp = (ExportBp){.bp.mfa = e->mfa, .export = e, .following = export_breakpoints, .place = &export_breakpoints};
    if (export_breakpoints != NULL)
        export_breakpoints->place = &bp->following;
    export_breakpoints = bp;
    for (unsigned g = 0; g < CODE_GENERATIONS; g++) {
        bp->code[g][0] = export_breakpoint_instruction;
        bp->code[g][1] = (Word)(uintptr_t)bp;
    }
    return bp;
}

/* The first in use, from number `i` of a block on. */
static GenericBp *used_from(BpBlock *b, uint32_t i) {
    for (; b != NULL; b = b->following, i = 0)
        for (; i < b->count; i++)
            if (b->bp[i].function != NULL)
                return &b->bp[i];
    return breakpoint_first_of_export();
}

GenericBp *breakpoint_first(void) { return used_from(blocks, 0); }
GenericBp *breakpoint_first_of_export(void) { return export_breakpoints != NULL ? &export_breakpoints->bp : NULL; }

GenericBp *breakpoint_following(GenericBp *bp) {
    if (bp->function != NULL)
        return used_from(bp->block, (uint32_t)(bp - bp->block->bp) + 1);
    const ExportBp *e = breakpoint_as_export(bp);
    return e->following != NULL ? &e->following->bp : NULL;
}

static uint32_t *first_handler(const FunctionHeader *function) {
    return (uint32_t *)(uintptr_t)function_entry(function);
}

/* Who exchanges what a function's first word leads to, and who leads native code to it: breakpoints come and go while
 * functions are made native. */
static Mutex entry_lock = MUTEX_INITIALIZER(LOCK_FUNCTION_ENTRY);

/* Native code that calls the function looks at its word only if that leads elsewhere than behind the entry. */
static void lead_entry(const ModuleInstance *instance, const FunctionHeader *function) {
    uint32_t entry = function_native_entry(function);
    if (entry != 0)
        native_entry_lead(&instance->native, entry, *first_handler(function) != entry + NATIVE_ENTRY_BYTES);
}

/* Where the handler of the function's first instruction stands. */
static uint32_t *body_of(const FunctionHeader *function) {
    GenericBp *bp = breakpoint_at(function);
    return bp != NULL && bp->is_installed ? &bp->original : first_handler(function);
}

/* That the instruction is there says that the breakpoint is, and until when: the header alone does not. */
uint32_t breakpoint_original(const FunctionHeader *function) {
    uint32_t handler = __atomic_load_n(first_handler(function), __ATOMIC_ACQUIRE);
    if (handler != (uint32_t)breakpoint_instruction)
        return handler;
    return __atomic_load_n(&breakpoint_at(function)->original, __ATOMIC_RELAXED);
}

void breakpoint_install(GenericBp *bp) {
    if (bp->is_installed)
        return;
    if (bp->function != NULL) {
        mutex_lock(&entry_lock);
        bp->is_installed = true;
        bp->original = *first_handler(bp->function);
        __atomic_store_n(first_handler(bp->function), (uint32_t)breakpoint_instruction, __ATOMIC_RELEASE);
        lead_entry(bp->block->of, bp->function);
        mutex_unlock(&entry_lock);
        return;
    }
    bp->is_installed = true;
    ExportBp *of_export = breakpoint_as_export(bp);
    for (unsigned g = 0; g < CODE_GENERATIONS; g++)
        export_set_breakpoint(of_export->export, g, of_export);
}

void breakpoint_uninstall(GenericBp *bp) {
    if (!bp->is_installed)
        return;
    if (bp->function != NULL) {
        mutex_lock(&entry_lock);
        bp->is_installed = false;
        __atomic_store_n(first_handler(bp->function), bp->original, __ATOMIC_RELEASE);
        lead_entry(bp->block->of, bp->function);
        mutex_unlock(&entry_lock);
        return;
    }
    bp->is_installed = false;
    ExportBp *of_export = breakpoint_as_export(bp);
    for (unsigned g = 0; g < CODE_GENERATIONS; g++)
        if (of_export->export->breakpoint[g] == of_export)
            export_set_breakpoint(of_export->export, g, NULL);
}

void breakpoint_exchange_body(const ModuleInstance *instance, FunctionHeader *function, Word instruction) {
    mutex_lock(&entry_lock);
    __atomic_store_n(body_of(function), (uint32_t)instruction, __ATOMIC_RELEASE);
    lead_entry(instance, function);
    mutex_unlock(&entry_lock);
}

void breakpoint_body_is_made(const ModuleInstance *instance, FunctionHeader *function, uint32_t before, uint32_t now,
                             uint32_t entry) {
    mutex_lock(&entry_lock);
    uint32_t *body = body_of(function);
    if (*body == before)
        __atomic_store_n(body, now, __ATOMIC_RELEASE);
    function_set_native_entry(function, entry);
    lead_entry(instance, function);
    mutex_unlock(&entry_lock);
}

static void export_breakpoint_free(ExportBp *bp) {
    *bp->place = bp->following;
    if (bp->following != NULL)
        bp->following->place = bp->place;
    mem_free(ALLOC_TRACE, bp);
}

/* Who had met the instruction before it was taken away still looked into the header. */
void breakpoint_free(GenericBp *bp) {
    if (bp->function == NULL) {
        export_breakpoint_free(breakpoint_as_export(bp));
        return;
    }
    mutex_lock(&entry_lock);
    __atomic_store_n(&bp->function->breakpoint, NULL, __ATOMIC_RELEASE);
    mutex_unlock(&entry_lock);
    bp->function = NULL;
    block_release(bp->block);
}

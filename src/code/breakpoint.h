/*
 * Breakpoints: where calls are traced, without a trace in the code of those that are not.
 *
 * A function that is traced has one GenericBp, whatever sessions and kinds of trace want of it. It stands in the
 * function's header, and the handler in the function's first instruction is exchanged for the breakpoint's; an export
 * entry that is traced has one too, and its addresses lead to a breakpoint instruction of its own, so that only remote
 * calls meet it. What is wanted is `data` (trace/pattern.h), in two generations: running code reads the one that
 * the_active_bp_index names. Data are written before the index is stored and never change while it names them.
 *
 * Breakpoints of functions lie in blocks: one alone, or one for each function of a module instance, so that patterns of
 * many functions neither allocate for each of them nor walk over scattered memory. A block is freed with the last
 * breakpoint in it.
 *
 * All of this is written by the holder of the code modification permission (replace/code_permission.h), in this order:
 * data of the staging side; breakpoints installed; the index stored, which makes all that was staged effective at once;
 * thread progress; what is not wanted any more uninstalled; thread progress; freed. A reader that meets a breakpoint
 * before the index is stored finds no data and goes on. Readers take no lock and pay no barrier: the stores of the
 * instruction and of the index release, the loads are plain ones on x86-64.
 *
 * A function's first word is written by one more: who has made its native code, without the permission, when it is
 * called for the first time. So what is written there, and what is kept of it behind a breakpoint, is so under
 * LOCK_FUNCTION_ENTRY.
 */
#ifndef VIV_CODE_BREAKPOINT_H
#define VIV_CODE_BREAKPOINT_H

#include "code/module.h"

struct BpData; /* trace/pattern.h: begins with a BpHead */
typedef struct {
    struct CallCount *count; /* to count the call is all that is wanted (process/call_count.h); NULL: there is more */
    bool flagged_only; /* concerns no process but those with the flag `call` (process/trace_point.h) */
    bool is_debugged;  /* breakpoint/3 of the caller's error handler is called in the function's place */
} BpHead;

struct BpBlock;
typedef struct GenericBp {
    struct BpData *data[2];
    Mfa mfa;
    FunctionHeader *function; /* NULL: of an export entry; or nobody's, in a block */
    struct BpBlock *block;    /* NULL: of an export entry */
    struct GenericBp *next;   /* in the set that is being changed */
    bool is_installed, is_in_set;
    uint32_t original;        /* the handler half of the function's first word; as is_installed, under
                               * LOCK_FUNCTION_ENTRY */
} GenericBp;

/* Of an export entry: for each code generation, where its address leads while it is traced, and where it led. */
typedef struct ExportBp {
    GenericBp bp; /* must be first */
    Export *export;
    Word code[CODE_GENERATIONS][2];
    const Word *target[CODE_GENERATIONS];
    struct ExportBp *following, **place; /* in the list of all that there are */
} ExportBp;
/* Where the address led whose code this is: one of the generations'. */
static inline const Word *export_breakpoint_target(const ExportBp *bp, const Word *code) {
    return bp->target[((const char *)code - (const char *)bp->code) / sizeof bp->code[0]];
}
static inline ExportBp *breakpoint_as_export(GenericBp *bp) {
    return bp->function == NULL ? container_of(bp, ExportBp, bp) : NULL;
}

extern unsigned the_active_bp_index;
static inline unsigned bp_active(void) { return __atomic_load_n(&the_active_bp_index, __ATOMIC_ACQUIRE); }
static inline unsigned bp_staging(void) { return 1 - bp_active(); }
static inline void bp_commit(void) {
    native_writes_end();
    __atomic_store_n(&the_active_bp_index, bp_staging(), __ATOMIC_RELEASE);
}

/* What a call finds; NULL when it concerns nobody any more, or nobody yet. */
static inline const BpHead *breakpoint_head(const GenericBp *bp) {
    return (const BpHead *)__atomic_load_n(&bp->data[bp_active()], __ATOMIC_ACQUIRE);
}

/* Finds or makes it; made ones have no data and are not installed. `many`: most of the instance's functions will get
 * one. */
GenericBp *breakpoint_of_function(ModuleInstance *instance, uint32_t number, bool many);
ExportBp *breakpoint_of_export(Export *e);
/* Another one than the entry has now: to be given to it in some generations (export_set_breakpoint). */
ExportBp *breakpoint_create(Export *e);
/* All that there are, those of export entries last; NULL at the end. As the holder of the permission. */
GenericBp *breakpoint_first(void);
GenericBp *breakpoint_following(GenericBp *bp);
GenericBp *breakpoint_first_of_export(void);
/* NULL when there is none. */
static inline GenericBp *breakpoint_at(const FunctionHeader *function) {
    return __atomic_load_n(&function->breakpoint, __ATOMIC_ACQUIRE);
}
/* The handler of the function's first instruction, a breakpoint aside. By whoever may look at shared structures; he may
 * have met the breakpoint before he did. */
uint32_t breakpoint_original(const FunctionHeader *function);
/* Both, and breakpoint_exchange_body, lead native code as well: see code/native_block.h. */
void breakpoint_install(GenericBp *bp);
void breakpoint_uninstall(GenericBp *bp);
/* A function of the instance gets another body, that of `instruction`: at once, or behind its breakpoint. One store.
 * All are there after native_writes_end. */
void breakpoint_exchange_body(const ModuleInstance *instance, FunctionHeader *function, Word instruction);
/* The function's code has been made (jit/by_need.h): what led to `before` leads to `now`, be it behind a breakpoint,
 * unless the function got another body meanwhile; `entry`: where native code is to enter it, 0: by its word. Any thread
 * that may look at shared structures. */
void breakpoint_body_is_made(const ModuleInstance *instance, FunctionHeader *function, uint32_t before, uint32_t now,
                             uint32_t entry);
/* After thread progress since it was uninstalled. Its data are gone already. */
void breakpoint_free(GenericBp *bp);

/*
 * What trace/ does when code is published: filled once at start, NULL in programs without tracing (docs/HOOKS.md).
 * Called by the holder of the code modification permission.
 */
typedef struct {
    /* `instance` (NULL: none) was staged in the place of `before` (NULL: none): its functions get their breakpoints
     * now, and the entries of both get theirs in the staging generation. */
    void (*staged)(ModuleInstance *before, ModuleInstance *instance);
    /* Code that is to take the place of `before` (not NULL) was staged, but its on_load function decides. */
    void (*pending)(const ModuleInstance *before);
    void (*committed)(void);
} CodeTraceHooks;
extern CodeTraceHooks code_trace_hooks;

/* The handlers' halves; set once at start by the engine. */
extern Word breakpoint_instruction;
extern Word export_breakpoint_instruction;

#endif

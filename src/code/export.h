/*
 * The export table: one entry per M:F/A that was ever exported, called or named, never freed, never moved.
 *
 * A remote call is: load the entry's address of the active generation, jump. The address is one of
 *   - the entry of the function in the current code of its module,
 *   - &entry->trampoline[generation] holding `call_bif` (a built-in function), or `call_error_handler` (no such
 *     function yet);
 *   - a breakpoint's instruction, which goes on to one of those (code/breakpoint.h).
 * Entries are added under the table's lock and found without one (export_put, export_find: any thread that may look at
 * shared structures, base/thread_progress.h); the `address` of the staging generation is written only by the holder of
 * the code modification permission.
 */
#ifndef VIV_CODE_EXPORT_H
#define VIV_CODE_EXPORT_H

#include "code/code_index.h"
#include "term/fun.h"

struct BifEntry;
struct ExportBp;
typedef struct Export {
    union {
        Mfa mfa; /* must be first: what term/ sees of the entry behind an external fun */
        struct {
            Term module, function;
            uint32_t arity;
            uint32_t number; /* counts up as entries are made */
        };
    };
    const Word *address[CODE_GENERATIONS];
    const struct BifEntry *bif; /* NULL when it is none */
    /* NULL unless calls through the entry are traced (code/breakpoint.h). Built-in functions are never staged: theirs
     * are all the same. */
    struct ExportBp *breakpoint[CODE_GENERATIONS];
    /* trampoline[i][0] is an instruction, [1] this entry's address: the operand of call_bif and call_error_handler. */
    Word trampoline[CODE_GENERATIONS][2];
} Export;

void export_table_init(void);
/* Finds or adds. A new entry's addresses lead to its trampolines, which hold call_error_handler. */
Export *export_put(Term module, Term function, unsigned arity);
/* Entries of built-in functions that only the runtime calls, by traps (process/bif.h: internal). They stand beside the
 * table, so that no name in a program leads to them. Made at start, before there are other threads. */
Export *export_make_internal(Term module, Term function, unsigned arity);
/* There is one: who asks knows. Any thread. */
Export *export_internal(Term module, Term function, unsigned arity);
/* NULL when there is none. */
Export *export_find(Term module, Term function, unsigned arity);
static inline const Word *export_address(const Export *e) { /* a breakpoint may be put there at any time */
    return __atomic_load_n(&e->address[code_active()], __ATOMIC_ACQUIRE);
}
/* Are calls through it traced? Somebody may just be changing that. */
static inline bool export_is_traced(const Export *e, unsigned generation) {
    return __atomic_load_n(&e->breakpoint[generation], __ATOMIC_RELAXED) != NULL;
}
/* NULL when there is none: good until the thread's next quiescent point. */
static inline struct ExportBp *export_breakpoint(const Export *e, unsigned generation) {
    return __atomic_load_n(&e->breakpoint[generation], __ATOMIC_ACQUIRE);
}
/* Where the entry leads in a generation, breakpoints aside: also while one is put there or taken away. */
const Word *export_target(const Export *e, unsigned generation);
/* NULL: to its trampoline. By the holder of the code modification permission, in the staging generation. */
void export_set_target(Export *e, unsigned generation, const Word *target);
/* Gives it a breakpoint in a generation, NULL to take it away; it leads to the same target. `breakpoint` is written
 * before the address that leads to it, and cleared after: no address leads to one that is not there. Between giving and
 * taking there is thread progress. */
void export_set_breakpoint(Export *e, unsigned generation, struct ExportBp *bp);
/* Is there code or a built-in function behind the entry, in the active generation? */
bool export_is_defined(const Export *e);
size_t export_count(void);
/* Calls `each` for every entry; entries added meanwhile may be missed. */
void export_each(void (*each)(void *export, void *data), void *data);
/* The instruction words that new trampolines get; set once at start by the engine (emu/). */
extern Word export_error_handler_instruction;
extern Word export_bif_instruction;

#endif

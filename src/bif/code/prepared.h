/*
 * Prepared code: what erlang:prepare_loading/2 gives, a magic reference that any process may hold, pass on and drop.
 *
 * It is in one of these states, and only the holder of the code modification permission changes that:
 *
 *   ready      the instance is the reference's: freed when nobody has the reference any more
 *   begun      its on_load function may run (viv_code:begin_on_load/1): the instance is its module's `pending` one, and
 *              the reference knows it by a number that the module counts up. It may be taken away from the reference
 *              (erlang:finish_after_on_load/2); then it is spent. To erlang:finish_loading/1 it is so already. When
 *              nobody has the reference any more, who loads or purges the module gives it up.
 *   returned   the same, and the function has returned ok: it may be finished like one that has no such function
 *   spent      finished, by this or another process, or given up
 *
 * So exactly one finish takes it. The name, and what else does not change, is read by anybody at any
 * time.
 */
#ifndef VIV_BIF_CODE_PREPARED_H
#define VIV_BIF_CODE_PREPARED_H

#include <stdatomic.h>

#include "code/module.h"
#include "process/process.h"

typedef struct {
    Term module;
    uint32_t export_count;
    _Atomic bool has_on_load; /* or an exported function that takes its place: viv_code:begin_on_load/2 */
    _Atomic bool returned;
    _Atomic(ModuleInstance *) instance; /* NULL once spent */
    _Atomic uint64_t begun;             /* its module's pending_number; 0: ready */
} Prepared;

/* A reference to new prepared code, which owns the instance. */
Term prepared_new(Process *p, ModuleInstance *instance);
/* NULL: it is something else. Good as long as some term refers to it. */
Prepared *prepared_of(Term t);
static inline bool prepared_waits_for_on_load(const Prepared *prepared) {
    return atomic_load_explicit(&prepared->has_on_load, memory_order_acquire) &&
           !atomic_load_explicit(&prepared->returned, memory_order_acquire);
}
/* False says nothing without the permission. */
static inline bool prepared_is_begun(const Prepared *prepared) {
    return atomic_load_explicit(&prepared->begun, memory_order_acquire) != 0;
}
/* It is spent for good. False says nothing without the permission. */
static inline bool prepared_was_finished(const Prepared *prepared) {
    return atomic_load_explicit(&prepared->instance, memory_order_acquire) == NULL;
}

/* From here on under the code modification permission. */
/* The instance, or NULL: it is spent. */
ModuleInstance *prepared_instance(const Prepared *prepared);
/* It is the module's now, as the current or the pending one. */
void prepared_spend(Prepared *prepared);
/* Of code that is ready and has no on_load function: this exported one of one argument is called in its place. False:
 * there is no such function. */
bool prepared_lead_to(Prepared *prepared, Term function);
/* Of code that is ready: it becomes its module's pending one. There must be no other that a reference may finish. */
void prepared_begin(Prepared *prepared);
/* Is the module's pending code one that a reference may still finish? */
bool prepared_is_awaited(const Module *module);
/* Is there pending code whose reference was dropped? */
bool prepared_is_abandoned(const Module *module);

#endif

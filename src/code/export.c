/*
 * Lookup takes no lock: the slots hold pointers to entries that never move, and a table that has grown leaves the one
 * before it readable until thread progress. A reader that misses an entry in an old table looks again under the lock.
 */
#include "code/breakpoint.h"
#include "code/native_call.h"

#include <stdatomic.h>

#include "alloc/alloc.h"
#include "base/mix.h"
#include "base/thread_progress.h"
#include "sys/thread.h"

typedef struct {
    ProgressNode progress; /* must be first */
    size_t mask;
    _Atomic(Export *) slots[];
} ExportTable;

Word export_error_handler_instruction;
Word export_bif_instruction;
Word native_call_instruction, native_dirty_call_instruction;

static _Atomic(ExportTable *) table;
static size_t entry_count; /* under the lock */
static Mutex table_lock = MUTEX_INITIALIZER(LOCK_EXPORT_TABLE);

static size_t hash_mfa(Term module, Term function, unsigned arity) {
    return (size_t)mix_word((uint64_t)atom_index(module) << 36 ^ (uint64_t)atom_index(function) << 8 ^ arity);
}

static ExportTable *table_create(size_t slots) {
    ExportTable *t = mem_calloc(ALLOC_EXPORT, sizeof *t + slots * sizeof t->slots[0]);
    t->mask = slots - 1;
    return t;
}

void export_table_init(void) {
    if (atomic_load_explicit(&table, memory_order_relaxed) == NULL)
        atomic_store_explicit(&table, table_create(16384), memory_order_release);
}

static Export *lookup(const ExportTable *t, Term module, Term function, unsigned arity) {
    for (size_t i = hash_mfa(module, function, arity);; i++) {
        Export *e = atomic_load_explicit(&t->slots[i & t->mask], memory_order_acquire);
        if (e == NULL || (e->module == module && e->function == function && e->arity == arity))
            return e;
    }
}

static void insert(ExportTable *t, Export *e) {
    size_t i = hash_mfa(e->module, e->function, e->arity);
    while (atomic_load_explicit(&t->slots[i & t->mask], memory_order_relaxed) != NULL)
        i++;
    atomic_store_explicit(&t->slots[i & t->mask], e, memory_order_release);
}

static void free_table(ProgressNode *node) { mem_free(ALLOC_EXPORT, node); }

/* Keeps the table at most half full. */
static ExportTable *grow(ExportTable *old) {
    ExportTable *t = table_create(2 * (old->mask + 1));
    for (size_t i = 0; i <= old->mask; i++) {
        Export *e = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (e != NULL)
            insert(t, e);
    }
    atomic_store_explicit(&table, t, memory_order_release);
    old->progress.run = free_table;
    thread_progress_later(&old->progress);
    return t;
}

static Export *export_create(Term module, Term function, unsigned arity) {
    Export *e = mem_calloc(ALLOC_EXPORT, sizeof *e);
    e->module = module;
    e->function = function;
    e->arity = arity;
    for (unsigned i = 0; i < CODE_GENERATIONS; i++) {
        e->trampoline[i][0] = export_error_handler_instruction;
        e->trampoline[i][1] = (Word)(uintptr_t)e;
        e->address[i] = e->trampoline[i];
    }
    return e;
}

Export *export_put(Term module, Term function, unsigned arity) {
    thread_progress_enter(); /* dirty threads prepare modules too */
    Export *e = lookup(atomic_load_explicit(&table, memory_order_acquire), module, function, arity);
    thread_progress_leave();
    if (e != NULL)
        return e;
    mutex_lock(&table_lock);
    ExportTable *t = atomic_load_explicit(&table, memory_order_relaxed);
    e = lookup(t, module, function, arity);
    if (e == NULL) {
        if (2 * (entry_count + 1) > t->mask)
            t = grow(t);
        e = export_create(module, function, arity);
        e->number = (uint32_t)entry_count++;
        insert(t, e);
    }
    mutex_unlock(&table_lock);
    return e;
}

#define INTERNAL_MAX 32
static Export *internal[INTERNAL_MAX];
static unsigned internal_count;

Export *export_make_internal(Term module, Term function, unsigned arity) {
    require(internal_count < INTERNAL_MAX);
    return internal[internal_count++] = export_create(module, function, arity);
}

Export *export_internal(Term module, Term function, unsigned arity) {
    unsigned i = 0;
    while (i < internal_count &&
           (internal[i]->function != function || internal[i]->module != module || internal[i]->arity != arity))
        i++;
    require(i < internal_count);
    return internal[i];
}

Export *export_find(Term module, Term function, unsigned arity) {
    ExportTable *t = atomic_load_explicit(&table, memory_order_acquire);
    return lookup(t, module, function, arity);
}

const Word *export_target(const Export *e, unsigned generation) {
    const ExportBp *bp = export_breakpoint(e, generation);
    const Word *address = __atomic_load_n(&e->address[generation], __ATOMIC_ACQUIRE);
    if (bp == NULL)
        bp = export_breakpoint(e, generation); /* put there in between, and the address may lead to it */
    return bp != NULL ? bp->target[generation] : address;
}

void export_set_target(Export *e, unsigned generation, const Word *target) {
    if (target == NULL)
        target = e->trampoline[generation];
    if (e->breakpoint[generation] != NULL)
        e->breakpoint[generation]->target[generation] = target;
    else
        e->address[generation] = target;
}

void export_set_breakpoint(Export *e, unsigned generation, ExportBp *bp) {
    const Word *target = export_target(e, generation);
    if (bp != NULL) {
        bp->target[generation] = target;
        __atomic_store_n(&e->breakpoint[generation], bp, __ATOMIC_RELEASE);
        __atomic_store_n(&e->address[generation], bp->code[generation], __ATOMIC_RELEASE);
        return;
    }
    __atomic_store_n(&e->address[generation], target, __ATOMIC_RELEASE);
    __atomic_store_n(&e->breakpoint[generation], NULL, __ATOMIC_RELEASE);
}

bool export_is_defined(const Export *e) {
    unsigned index = code_active();
    const Word *target = export_target(e, index);
    return target != e->trampoline[index] || *target == export_bif_instruction;
}

void export_each(void (*each)(Export *, void *), void *data) {
    ExportTable *t = atomic_load_explicit(&table, memory_order_acquire);
    for (size_t i = 0; i <= t->mask; i++) {
        Export *e = atomic_load_explicit(&t->slots[i], memory_order_acquire);
        if (e != NULL)
            each(e, data);
    }
}

size_t export_count(void) {
    mutex_lock(&table_lock);
    size_t count = entry_count;
    mutex_unlock(&table_lock);
    return count;
}

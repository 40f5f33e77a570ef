#include "code/breakpoint.h"
#include "code/entry_table.h"
#include "code/native_call.h"

#include <stdatomic.h>

#include "alloc/alloc.h"
#include "base/mix.h"
#include "base/thread_progress.h"
#include "sys/thread.h"

Word export_error_handler_instruction;
Word export_bif_instruction;
Word native_call_instruction, native_dirty_call_instruction;

static size_t hash_mfa(Term module, Term function, unsigned arity) {
    return (size_t)mix_word((uint64_t)atom_index(module) << 36 ^ (uint64_t)atom_index(function) << 8 ^ arity);
}

static size_t hash_entry(const void *entry) {
    const Export *e = entry;
    return hash_mfa(e->module, e->function, e->arity);
}

static bool is_of(const void *entry, const void *key) {
    const Export *e = entry;
    const Mfa *mfa = key;
    return e->module == mfa->module && e->function == mfa->function && e->arity == mfa->arity;
}

static EntryTable table = {.hash = hash_entry};
static Mutex table_lock = MUTEX_INITIALIZER(LOCK_EXPORT_TABLE);

void export_table_init(void) { entry_table_init(&table, ALLOC_EXPORT, 16384); }

Export *export_find(Term module, Term function, unsigned arity) {
    const Mfa mfa = {module, function, arity};
    return entry_table_find(&table, hash_mfa(module, function, arity), is_of, &mfa);
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
    Export *e = export_find(module, function, arity);
    thread_progress_leave();
    if (e != NULL)
        return e;
    mutex_lock(&table_lock);
    e = export_find(module, function, arity);
    if (e == NULL) {
        e = export_create(module, function, arity);
        e->number = (uint32_t)table.count;
        entry_table_add(&table, e);
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

void export_each(void (*each)(void *export, void *data), void *data) { entry_table_each(&table, each, data); }

size_t export_count(void) {
    mutex_lock(&table_lock);
    size_t count = table.count;
    mutex_unlock(&table_lock);
    return count;
}

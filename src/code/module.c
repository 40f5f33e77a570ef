#include "code/module.h"

#include <stdatomic.h>

#include "alloc/alloc.h"
#include "am.h"
#include "base/race_window.h"
#include "base/thread_progress.h"
#include "code/breakpoint.h"
#include "code/entry_table.h"
#include "code/journal.h"
#include "code/ranges.h"
#include "sys/thread.h"

static size_t hash_name(Term name) { return atom_index(name) * (size_t)0x9e3779b1; }
static size_t hash_entry(const void *entry) { return hash_name(((const Module *)entry)->name); }
static bool is_of(const void *entry, const void *name) { return ((const Module *)entry)->name == *(const Term *)name; }

static EntryTable table = {.hash = hash_entry};
static Mutex table_lock = MUTEX_INITIALIZER(LOCK_MODULE_TABLE);

void module_table_init(void) { entry_table_init(&table, ALLOC_MODULE, 1024); }

Module *module_find(Term name) { return entry_table_find(&table, hash_name(name), is_of, &name); }

Module *module_put(Term name) {
    mutex_lock(&table_lock);
    Module *m = module_find(name);
    if (m == NULL) {
        m = mem_calloc(ALLOC_MODULE, sizeof *m);
        m->name = name;
        entry_table_add(&table, m);
    }
    mutex_unlock(&table_lock);
    return m;
}

size_t module_each(void (*each)(void *module, void *data), void *data) { return entry_table_each(&table, each, data); }

typedef struct {
    Module *module;
    ModuleInstance *replaced; /* becomes the old one when this is committed */
} ModuleChange;
static Journal export_journals[2], module_journals[2];

/* Built-in functions are never staged: their entries lead to them whatever is loaded. */
static void stage_address(Export *e, const Word *address) {
    unsigned staging = code_staging();
    if (e->bif != NULL)
        return;
    *(Export **)journal_add(&export_journals[0], sizeof e) = e;
    export_set_target(e, staging, address);
}

static void stage_current(Module *m, ModuleInstance *instance) {
    unsigned staging = code_staging();
    ModuleInstance *before = m->current[staging];
    *(ModuleChange *)journal_add(&module_journals[0], sizeof(ModuleChange)) = (ModuleChange){m, before};
    if (before != NULL) {
        require(m->old == NULL);
        for (uint32_t i = 0; i < before->export_count; i++)
            stage_address(before->exports[i].export, NULL);
    }
    m->current[staging] = instance;
}

/* Trampolines are per generation: an address that leads to one leads to the staging generation's own. */
static void redo_exports(const Journal *j, unsigned active, unsigned staging) {
    Export *const *exports = j->items;
    for (size_t i = 0; i < j->count; i++) {
        Export *e = exports[i];
        const Word *target = export_target(e, active);
        export_set_breakpoint(e, staging, e->breakpoint[active]);
        export_set_target(e, staging, target == e->trampoline[active] ? NULL : target);
    }
}

static void redo_modules(const Journal *j, unsigned active, unsigned staging) {
    const ModuleChange *changes = j->items;
    for (size_t i = 0; i < j->count; i++)
        changes[i].module->current[staging] = changes[i].module->current[active];
}

static _Atomic size_t debt; /* as of the last commit */

size_t code_stage_debt(void) { return atomic_load_explicit(&debt, memory_order_relaxed); }

static void count_debt(void) {
    size_t changes = 0;
    for (unsigned i = 0; i < 2; i++)
        changes += export_journals[i].count + module_journals[i].count;
    atomic_store_explicit(&debt, changes, memory_order_relaxed);
}

void code_stage_begin(void) {
    unsigned active = code_active(), staging = (active + 1) % CODE_GENERATIONS;
    __atomic_store_n(&the_staging_code_index, staging, __ATOMIC_RELAXED);
    for (unsigned i = 2; i-- > 0;) {
        redo_exports(&export_journals[i], active, staging);
        redo_modules(&module_journals[i], active, staging);
    }
    journals_turn(export_journals);
    journals_turn(module_journals);
    ranges_stage_begin();
}

static void stage_traces(ModuleInstance *before, ModuleInstance *instance) {
    if (code_trace_hooks.staged != NULL)
        code_trace_hooks.staged(before, instance);
}

static void stage_traces_of_pending(const Module *m) {
    const ModuleInstance *before = m->current[code_active()];
    if (before != NULL && code_trace_hooks.pending != NULL)
        code_trace_hooks.pending(before);
}

static void stage_funs(const ModuleInstance *instance) {
    for (uint32_t i = 0; i < instance->fun_count; i++)
        __atomic_store_n(&instance->funs[i].entry->address, instance->funs[i].address, __ATOMIC_RELEASE);
}

void code_stage_instance(ModuleInstance *instance) {
    Module *m = module_put(instance->name);
    ModuleInstance *before = m->current[code_staging()];
    m->was_staged = true;
    stage_current(m, instance);
    for (uint32_t i = 0; i < instance->export_count; i++)
        stage_address(instance->exports[i].export, instance->exports[i].address);
    stage_traces(before, instance);
    race_window("code is staged, its funs are the old one's");
    stage_funs(instance);
    ranges_stage_add(instance);
    if (m->pending == instance) {
        __atomic_store_n(&m->pending, NULL, __ATOMIC_RELEASE);
        atomic_store(&m->awaited, 0);
    }
}

static void lead_to_on_load(Module *m, const ModuleInstance *instance) {
    Export *e = m->on_load_call;
    if (e == NULL) {
        e = mem_calloc(ALLOC_EXPORT, sizeof *e);
        e->module = m->name;
        e->function = am_on_load;
    }
    for (unsigned i = 0; i < CODE_GENERATIONS; i++)
        __atomic_store_n(&e->address[i], instance->on_load, __ATOMIC_RELAXED);
    __atomic_store_n(&m->on_load_call, e, __ATOMIC_RELEASE);
}

void code_stage_pending(ModuleInstance *instance) {
    Module *m = module_put(instance->name);
    if (m->pending != NULL)
        code_give_up_pending(m);
    m->was_staged = true;
    lead_to_on_load(m, instance);
    stage_traces_of_pending(m);
    stage_funs(instance);
    ranges_stage_add(instance);
    __atomic_store_n(&m->pending, instance, __ATOMIC_RELEASE);
}

/* Another instance with the same md5 has the same fun entries, in the same order. */
static const Word *fun_elsewhere(const Module *m, const FunEntry *entry, uint32_t i) {
    const ModuleInstance *others[] = {m->current[code_active()], m->old};
    for (size_t o = 0; o < array_length(others); o++)
        if (others[o] != NULL && i < others[o]->fun_count && others[o]->funs[i].entry == entry)
            return others[o]->is_purged ? fun_pending_address : others[o]->funs[i].address;
    return NULL;
}

void code_give_up_pending(Module *m) {
    ModuleInstance *instance = m->pending;
    for (uint32_t i = 0; i < instance->fun_count; i++) {
        FunEntry *entry = instance->funs[i].entry;
        const Word *elsewhere = fun_elsewhere(m, entry, i);
        __atomic_store_n(&entry->address, elsewhere != NULL ? elsewhere : fun_error_address, __ATOMIC_RELEASE);
    }
    instance->was_awaited = atomic_load_explicit(&m->awaited, memory_order_relaxed) != 0;
    instance->next_given_up = m->given_up;
    m->given_up = instance;
    __atomic_store_n(&m->pending, NULL, __ATOMIC_RELEASE);
    atomic_store(&m->awaited, 0);
}

void code_stage_delete(Module *m) {
    ModuleInstance *before = m->current[code_staging()];
    stage_current(m, NULL);
    stage_traces(before, NULL);
}

void code_commit(void) {
    const ModuleChange *changes = module_journals[0].items;
    for (size_t i = 0; i < module_journals[0].count; i++)
        if (changes[i].replaced != NULL)
            __atomic_store_n(&changes[i].module->old, changes[i].replaced, __ATOMIC_RELEASE);
    race_window("old code is old, new code not yet active");
    __atomic_store_n(&the_code_publications, code_publications() + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&the_active_code_index, code_staging(), __ATOMIC_RELEASE);
    count_debt();
    if (code_trace_hooks.committed != NULL)
        code_trace_hooks.committed();
}

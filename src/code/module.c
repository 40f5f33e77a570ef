#include "code/module.h"

#include <stdatomic.h>
#include <string.h>

#include "alloc/alloc.h"
#include "am.h"
#include "code/ranges.h"
#include "sys/thread.h"

/* Open addressing by name; grown under the write lock. */
static Module **slots;
static size_t slot_mask, module_count;
static RwLock table_lock;

void module_table_init(void) {
    if (slots != NULL)
        return;
    rwlock_init(&table_lock, LOCK_MODULE_TABLE);
    slot_mask = 1023;
    slots = mem_calloc(ALLOC_MODULE, (slot_mask + 1) * sizeof *slots);
}

static Module **slot_of(Term name) {
    size_t i = atom_index(name) * (size_t)0x9e3779b1;
    while (slots[i & slot_mask] != NULL && slots[i & slot_mask]->name != name)
        i++;
    return &slots[i & slot_mask];
}

static void grow(void) {
    Module **old = slots;
    size_t old_mask = slot_mask;
    slot_mask = 2 * slot_mask + 1;
    slots = mem_calloc(ALLOC_MODULE, (slot_mask + 1) * sizeof *slots);
    for (size_t i = 0; i <= old_mask; i++)
        if (old[i] != NULL)
            *slot_of(old[i]->name) = old[i];
    mem_free(ALLOC_MODULE, old);
}

Module *module_find(Term name) {
    rwlock_read(&table_lock);
    Module *m = *slot_of(name);
    rwlock_unlock(&table_lock);
    return m;
}

Module *module_put(Term name) {
    rwlock_write(&table_lock);
    Module *m = *slot_of(name);
    if (m == NULL) {
        if (2 * ++module_count > slot_mask)
            grow();
        m = mem_calloc(ALLOC_MODULE, sizeof *m);
        m->name = name;
        *slot_of(name) = m;
    }
    rwlock_unlock(&table_lock);
    return m;
}

void module_each(void (*each)(Module *, void *), void *data) {
    rwlock_read(&table_lock);
    for (size_t i = 0; i <= slot_mask; i++)
        if (slots[i] != NULL)
            each(slots[i], data);
    rwlock_unlock(&table_lock);
}

/* What one publication changed. */
typedef struct {
    Export **exports;
    size_t export_count, export_capacity;
    Module **modules;
    size_t module_count, module_capacity;
} Journal;
static Journal journals[2]; /* the one being written or written last, and the one before it */

static void *room_for_one(void *items, size_t count, size_t *capacity) {
    if (count < *capacity)
        return items;
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    return mem_realloc(ALLOC_MODULE, items, *capacity * sizeof(void *));
}

static void stage_address(Export *e, const Word *address) {
    unsigned staging = code_staging();
    Journal *j = &journals[0];
    j->exports = room_for_one(j->exports, j->export_count, &j->export_capacity);
    j->exports[j->export_count++] = e;
    e->address[staging] = address != NULL ? address : e->trampoline[staging];
}

static void stage_current(Module *m, ModuleInstance *instance) {
    unsigned staging = code_staging();
    Journal *j = &journals[0];
    j->modules = room_for_one(j->modules, j->module_count, &j->module_capacity);
    j->modules[j->module_count++] = m;
    ModuleInstance *before = m->current[staging];
    if (before != NULL) {
        require(m->old == NULL);
        m->old = before;
        for (uint32_t i = 0; i < before->export_count; i++)
            stage_address(before->exports[i].export, NULL);
    }
    m->current[staging] = instance;
}

/* Trampolines are per generation: an address that leads to one leads to the staging generation's own. */
static void redo(const Journal *j, unsigned active, unsigned staging) {
    for (size_t i = 0; i < j->export_count; i++) {
        Export *e = j->exports[i];
        bool undefined = e->address[active] == e->trampoline[active];
        e->address[staging] = undefined ? e->trampoline[staging] : e->address[active];
    }
    for (size_t i = 0; i < j->module_count; i++)
        j->modules[i]->current[staging] = j->modules[i]->current[active];
}

void code_stage_begin(void) {
    unsigned active = code_active(), staging = (active + 1) % CODE_GENERATIONS;
    __atomic_store_n(&the_staging_code_index, staging, __ATOMIC_RELAXED);
    redo(&journals[1], active, staging);
    redo(&journals[0], active, staging);
    Journal oldest = journals[1];
    oldest.export_count = oldest.module_count = 0;
    journals[1] = journals[0];
    journals[0] = oldest;
    ranges_stage_begin();
}

void code_stage_instance(ModuleInstance *instance) {
    Module *m = module_put(instance->name);
    stage_current(m, instance);
    for (uint32_t i = 0; i < instance->export_count; i++)
        if (instance->exports[i].export->bif == NULL)
            stage_address(instance->exports[i].export, instance->exports[i].address);
    for (uint32_t i = 0; i < instance->fun_count; i++)
        __atomic_store_n(&instance->funs[i].entry->address, instance->funs[i].address, __ATOMIC_RELEASE);
    ranges_stage_add(instance);
}

void code_stage_delete(Module *m) { stage_current(m, NULL); }

void code_commit(void) {
    ranges_commit();
    __atomic_store_n(&the_active_code_index, code_staging(), __ATOMIC_RELEASE);
}

#include "bif/code/prepared.h"

#include "bif/magic_object.h"
#include "loader/prepare.h"

#define ABANDONED UINT64_MAX

/* What is begun may be run by somebody: it stays pending, and whoever loads or purges the module next gives it up. */
static bool prepared_destroy(RefcBinary *binary) {
    Prepared *prepared = (Prepared *)binary->bytes;
    ModuleInstance *instance = atomic_load_explicit(&prepared->instance, memory_order_acquire);
    if (instance == NULL)
        return true;
    if (prepared->begun == 0) {
        module_instance_free(instance);
        return true;
    }
    Module *m = module_put(prepared->module);
    uint64_t number = prepared->begun;
    atomic_compare_exchange_strong(&m->awaited, &number, ABANDONED);
    return true;
}

Term prepared_new(Process *p, ModuleInstance *instance) {
    void *object;
    Term reference = native_new(p, sizeof(Prepared), prepared_destroy, &object);
    Prepared *prepared = object;
    prepared->module = instance->name;
    prepared->export_count = instance->export_count;
    atomic_init(&prepared->has_on_load, instance->on_load != NULL);
    atomic_store_explicit(&prepared->instance, instance, memory_order_release);
    return reference;
}

Prepared *prepared_of(Term t) { return native_object(t, prepared_destroy); }

ModuleInstance *prepared_instance(const Prepared *prepared) {
    ModuleInstance *instance = atomic_load_explicit(&prepared->instance, memory_order_acquire);
    if (instance == NULL || prepared->begun == 0)
        return instance;
    const Module *m = module_find(prepared->module);
    return atomic_load_explicit(&m->awaited, memory_order_acquire) == prepared->begun
               ? __atomic_load_n(&m->pending, __ATOMIC_ACQUIRE)
               : NULL;
}

void prepared_spend(Prepared *prepared) { atomic_store_explicit(&prepared->instance, NULL, memory_order_release); }

bool prepared_lead_to(Prepared *prepared, Term function) {
    ModuleInstance *instance = atomic_load_explicit(&prepared->instance, memory_order_acquire);
    for (unsigned arity = 0; arity <= 1; arity++)
        for (uint32_t i = 0; instance->on_load == NULL && i < instance->export_count; i++)
            if (instance->exports[i].export->mfa.function == function &&
                instance->exports[i].export->mfa.arity == arity)
                instance->on_load = instance->exports[i].address;
    atomic_store_explicit(&prepared->has_on_load, instance->on_load != NULL, memory_order_release);
    return instance->on_load != NULL;
}

void prepared_begin(Prepared *prepared) {
    static uint64_t last_number;
    ModuleInstance *instance = atomic_load_explicit(&prepared->instance, memory_order_acquire);
    Module *m = module_put(instance->name);
    code_stage_pending(instance);
    prepared->begun = ++last_number;
    atomic_store_explicit(&m->awaited, last_number, memory_order_release);
}

static uint64_t awaited(const Module *m) {
    return m->pending == NULL ? 0 : atomic_load_explicit(&m->awaited, memory_order_acquire);
}

bool prepared_is_awaited(const Module *m) { return awaited(m) != 0 && awaited(m) != ABANDONED; }
bool prepared_is_abandoned(const Module *m) { return awaited(m) == ABANDONED; }

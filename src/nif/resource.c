#include "nif/resource.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "nif/monitor.h"
#include "process/reference.h"
#include "term/node.h"

#include <string.h>

/* The callbacks of a resource run in an environment of their own. */
static void run_destructor(NifResource *r) {
    NifOwner *owner = nif_owner_acquire(r->type);
    if (owner->fn.dtor != NULL) {
        NifOwnEnv own;
        nif_own_env_begin(&own, NIF_ENV_CALLBACK, NULL, owner->library);
        owner->fn.dtor(&own.env, r->data);
        nif_own_env_end(&own);
    }
    nif_owner_release(owner);
}

static bool destroy(RefcBinary *binary) {
    NifResource *r = (NifResource *)binary->bytes;
    nif_monitors_end(r);
    race_window("a resource has no monitors, and is not yet destroyed");
    run_destructor(r);
    nif_monitors_release(r);
    nif_type_release(r->type);
    return true;
}

/* NULL when the term is no resource. */
static NifResource *resource_behind(Term t) {
    if (!is_magic_ref(t))
        return nif_resource_of_binary(t);
    RefcBinary *binary = magic_ref_binary(t);
    return binary->destructor == destroy ? (NifResource *)binary->bytes : NULL;
}

void *enif_alloc_resource(ErlNifResourceType *type, size_t size) {
    RefcBinary *binary = refc_magic_create(sizeof(NifResource) + size, destroy);
    NifResource *r = (NifResource *)binary->bytes;
    r->type = type;
    r->size = size;
    atomic_init(&r->monitors, NULL);
    nif_type_retain(type);
    reference_new_magic_numbers(binary->magic_numbers);
    return r->data;
}

static RefcBinary *binary_of(void *object) { return nif_resource_binary(nif_resource_of(object)); }

void enif_keep_resource(void *object) { refc_binary_retain(binary_of(object)); }
void enif_release_resource(void *object) { refc_binary_release(binary_of(object)); }
size_t enif_sizeof_resource(void *object) { return nif_resource_of(object)->size; }

/* All references to an object are the same reference. */
ERL_NIF_TERM enif_make_resource(ErlNifEnv *env, void *object) {
    RefcBinary *binary = binary_of(object);
    refc_binary_retain(binary);
    return magic_ref_make(env->area, binary->magic_numbers, binary);
}

int enif_get_resource(ErlNifEnv *env, ERL_NIF_TERM term, ErlNifResourceType *type, void **object) {
    NifResource *r = resource_behind(term);
    if (r == NULL || r->type != type)
        return 0;
    *object = r->data;
    return 1;
}

static bool dynamic_call(ErlNifEnv *env, NifResourceType *type, NifResource *r, void *call_data) {
    if (r == NULL || r->type != type)
        return false;
    NifOwner *owner = nif_owner_acquire(type);
    bool can = owner->fn.dyncall != NULL;
    if (can)
        owner->fn.dyncall(env, r->data, call_data);
    nif_owner_release(owner);
    return can;
}

int enif_dynamic_resource_call(ErlNifEnv *env, ERL_NIF_TERM module, ERL_NIF_TERM name, ERL_NIF_TERM resource,
                               void *call_data) {
    NifResourceType *type = is_magic_ref(resource) ? nif_type_find(module, name) : NULL; /* not by its bytes */
    bool called = type != NULL && dynamic_call(env, type, resource_behind(resource), call_data);
    if (type != NULL)
        nif_type_release(type);
    return called ? 0 : 1;
}

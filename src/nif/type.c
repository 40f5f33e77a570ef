/* Types of resources: opening, taking over, owners. */
#include "alloc/alloc.h"
#include "nif/resource.h"
#include "sys/thread.h"
#include "term/atom.h"

#include <string.h>

/* What a library opened. Until it is committed, a takeover waits here, and a new type is not in the list yet. */
typedef struct NifOpened {
    struct NifOpened *next;
    NifResourceType *type; /* one count */
    ErlNifResourceTypeInit fn;
} NifOpened;

static Mutex lock = MUTEX_INITIALIZER(LOCK_NIF_TYPES);
static NifResourceType *all;

static bool has_callbacks(const ErlNifResourceTypeInit *fn) {
    return fn->dtor != NULL || fn->stop != NULL || fn->down != NULL || fn->dyncall != NULL;
}

static void owner_drop(NifOwner *o) {
    if (has_callbacks(&o->fn))
        nif_library_release(o->library);
    mem_free(ALLOC_NIF, o);
}

static void owner_drop_later(ProgressNode *node) { owner_drop(container_of(node, NifOwner, progress)); }

/* A thread of the library's own that looked at a type while it was replaced may come last: `unload` would join it. */
void nif_owner_release(NifOwner *o) {
    if (atomic_fetch_sub_explicit(&o->refc, 1, memory_order_acq_rel) != 1)
        return;
    if (likely(thread_kind != THREAD_OTHER)) {
        owner_drop(o);
        return;
    }
    o->progress.run = owner_drop_later;
    thread_progress_later(&o->progress);
}

static void owner_release_later(ProgressNode *node) { nif_owner_release(container_of(node, NifOwner, progress)); }

/* A replaced owner keeps its count until nobody can be between the load and the retain. */
NifOwner *nif_owner_acquire(NifResourceType *type) {
    visitor_enter();
    NifOwner *o = atomic_load_explicit(&type->owner, memory_order_acquire);
    atomic_fetch_add_explicit(&o->refc, 1, memory_order_relaxed);
    visitor_leave();
    return o;
}

static void set_owner(NifResourceType *type, NifLibrary *library, const ErlNifResourceTypeInit *fn) {
    NifOwner *o = mem_calloc(ALLOC_NIF, sizeof *o);
    atomic_init(&o->refc, 1);
    o->library = library;
    o->fn = *fn;
    if (library != NULL && has_callbacks(fn))
        nif_library_retain(library);
    NifOwner *before = atomic_exchange_explicit(&type->owner, o, memory_order_acq_rel);
    if (before == NULL)
        return;
    before->progress.run = owner_release_later;
    thread_progress_later(&before->progress);
}

NifResourceType *nif_type_create(Term module, Term name, const ErlNifResourceTypeInit *callbacks) {
    NifResourceType *type = mem_calloc(ALLOC_NIF, sizeof *type);
    type->module = module;
    type->name = name;
    atomic_init(&type->refc, 1);
    set_owner(type, NULL, callbacks);
    return type;
}

/* Under the lock. What leads to it, or the end of the list. */
static NifResourceType **place_of(const NifResourceType *type) {
    NifResourceType **at = &all;
    while (*at != NULL && *at != type)
        at = &(*at)->next;
    return at;
}

static void put_in_list(NifResourceType *type) {
    mutex_lock(&lock);
    if (*place_of(type) == NULL) {
        type->next = all;
        all = type;
    }
    mutex_unlock(&lock);
}

/* Unless it is that of somebody else than `owner`; NULL: whoever's it is. With one, between visitor_enter and
 * visitor_leave. */
static void take_out_of_list(const NifResourceType *type, const NifLibrary *owner) {
    mutex_lock(&lock);
    NifResourceType **at = place_of(type);
    if (*at != NULL && (owner == NULL || atomic_load_explicit(&type->owner, memory_order_acquire)->library == owner))
        *at = type->next;
    mutex_unlock(&lock);
}

void nif_type_release(NifResourceType *type) {
    if (atomic_fetch_sub_explicit(&type->refc, 1, memory_order_acq_rel) != 1)
        return;
    take_out_of_list(type, NULL);
    NifOwner *owner = atomic_load_explicit(&type->owner, memory_order_acquire);
    if (owner != NULL)
        nif_owner_release(owner);
    mem_free(ALLOC_NIF, type);
}

/* Under the lock: one whose last count is gone is on its way out, and is not taken. */
static bool retain_unless_dead(NifResourceType *type) {
    int64_t now = atomic_load_explicit(&type->refc, memory_order_relaxed);
    while (now != 0)
        if (atomic_compare_exchange_weak_explicit(&type->refc, &now, now + 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return true;
    return false;
}

NifResourceType *nif_type_find(Term module, Term name) {
    mutex_lock(&lock);
    NifResourceType *type = all;
    while (type != NULL && !(type->module == module && type->name == name && retain_unless_dead(type)))
        type = type->next;
    mutex_unlock(&lock);
    return type;
}

static NifResourceType *create(Term module, Term name) {
    NifResourceType *type = mem_calloc(ALLOC_NIF, sizeof *type);
    atomic_init(&type->refc, 1);
    type->module = module;
    type->name = name;
    return type;
}

static NifResourceType *open_type(ErlNifEnv *env, const char *text, const ErlNifResourceTypeInit *fn,
                                  ErlNifResourceFlags flags, ErlNifResourceFlags *tried) {
    require(env->kind == NIF_ENV_LOAD && env->library->loading);
    Term module = env->library->module;
    Term name = atom_put_latin1((const uint8_t *)text, strlen(text), NULL);
    NifResourceType *type = nif_type_find(module, name);
    ErlNifResourceFlags op = type == NULL ? ERL_NIF_RT_CREATE : ERL_NIF_RT_TAKEOVER;
    if (tried != NULL)
        *tried = flags & op ? op : flags;
    if (!(flags & op)) {
        if (type != NULL)
            nif_type_release(type);
        return NULL;
    }
    NifOpened *opened = mem_alloc(ALLOC_NIF, sizeof *opened);
    *opened = (NifOpened){env->library->opened, type, *fn};
    if (type == NULL) { /* nobody sees it yet, but the callback may make objects of it, which watch no process yet */
        opened->type = create(module, name);
        set_owner(opened->type, env->library, &(ErlNifResourceTypeInit){.dtor = fn->dtor, .stop = fn->stop});
    }
    env->library->opened = opened;
    return opened->type;
}

/* One that is taken over may have been taken out of the list meanwhile, as its owner went. */
void nif_types_commit(NifLibrary *library) {
    for (NifOpened *o = library->opened; o != NULL; o = o->next) {
        set_owner(o->type, library, &o->fn);
        put_in_list(o->type);
    }
}

static void release_all(NifLibrary *library) {
    while (library->opened != NULL) {
        NifOpened *o = library->opened;
        library->opened = o->next;
        nif_type_release(o->type);
        mem_free(ALLOC_NIF, o);
    }
}

void nif_types_drop(NifLibrary *library) { release_all(library); }
void nif_types_disown(NifLibrary *library) {
    visitor_enter();
    for (const NifOpened *o = library->opened; o != NULL; o = o->next)
        take_out_of_list(o->type, library);
    visitor_leave();
    release_all(library);
}

/* The interface */

/* `module` is NULL, says the manual: nobody looks at it, as the name is local to the module of the library. */
ErlNifResourceType *enif_open_resource_type(ErlNifEnv *env, const char *module, const char *name,
                                            ErlNifResourceDtor *destructor, ErlNifResourceFlags flags,
                                            ErlNifResourceFlags *tried) {
    ErlNifResourceTypeInit fn = {.dtor = destructor};
    return open_type(env, name, &fn, flags, tried);
}

/* Before 2.16 the structure ended with `down`. */
ErlNifResourceType *enif_open_resource_type_x(ErlNifEnv *env, const char *name, const ErlNifResourceTypeInit *init,
                                              ErlNifResourceFlags flags, ErlNifResourceFlags *tried) {
    size_t known = env->library->entry.sizeof_ErlNifResourceTypeInit;
    ErlNifResourceTypeInit fn = {0};
    memcpy(&fn, init,
           known < offsetof(ErlNifResourceTypeInit, members) ? known : offsetof(ErlNifResourceTypeInit, members));
    return open_type(env, name, &fn, flags, tried);
}

ErlNifResourceType *enif_init_resource_type(ErlNifEnv *env, const char *name, const ErlNifResourceTypeInit *init,
                                            ErlNifResourceFlags flags, ErlNifResourceFlags *tried) {
    ErlNifResourceTypeInit fn = {.members = init->members};
    fn.dtor = init->members >= 1 ? init->dtor : NULL;
    fn.stop = init->members >= 2 ? init->stop : NULL;
    fn.down = init->members >= 3 ? init->down : NULL;
    fn.dyncall = init->members >= 4 ? init->dyncall : NULL;
    return open_type(env, name, &fn, flags, tried);
}

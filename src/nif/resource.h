/*
 * Resources: native objects that terms refer to, and their types.
 *
 * An object is the payload of a RefcBinary (term/refc_binary.h) behind a NifResource; the pointer that libraries see is
 * its `data`. It is counted by terms (magic references) and by enif_keep_resource. When the last count goes the
 * destructor runs, on the thread that dropped it, in a callback environment, and what it did not release is.
 *
 * A type has a name within a module, and an owner: a library and its callbacks, replaced as a whole when the library of
 * a new instance of the module takes the type over. Types are counted by their objects and by the library that opened
 * them; the owner keeps the shared object in memory as long as the type lives. Loading writes, for one
 * library of a module at a time: what enif_open_resource_type* did during `load` or `upgrade` is noted in the library
 * and takes effect when it is bound (nif_types_commit), or not at all (nif_types_drop). Readers are any
 * threads: nif_owner_acquire gives an owner that stays good until nif_owner_release.
 */
#ifndef VIV_NIF_RESOURCE_H
#define VIV_NIF_RESOURCE_H

#include "base/thread_progress.h"
#include "nif/library.h"
#include "term/refc_binary.h"

struct NifMonitors;

typedef struct NifOwner {
    _Atomic(int64_t) refc;
    NifLibrary *library; /* retained, if there are callbacks: else it may be gone, and is only told from others. NULL:
                          * the runtime's own */
    ErlNifResourceTypeInit fn;
    ProgressNode progress;
} NifOwner;

typedef struct enif_resource_type_t {
    struct enif_resource_type_t *next; /* the list of all, under LOCK_NIF_TYPES */
    _Atomic(int64_t) refc;
    _Atomic(NifOwner *) owner;
    Term module, name;
} NifResourceType;

typedef struct {
    NifResourceType *type;        /* retained */
    size_t size;                  /* of the data */
    _Atomic(struct NifMonitors *) monitors; /* nif/monitor.c: NULL until the first one */
    uint8_t data[] __attribute__((aligned(16)));
} NifResource;

static inline NifResource *nif_resource_of(void *data) {
    return (NifResource *)((uint8_t *)data - offsetof(NifResource, data));
}
static inline RefcBinary *nif_resource_binary(NifResource *r) {
    return (RefcBinary *)((uint8_t *)r - offsetof(RefcBinary, bytes));
}
/* Whose memory it shows, when it is a binary of enif_make_resource_binary, as a whole; else NULL. */
NifResource *nif_resource_of_binary(Term t);

static inline void nif_type_retain(NifResourceType *type) {
    atomic_fetch_add_explicit(&type->refc, 1, memory_order_relaxed);
}
void nif_type_release(NifResourceType *type);
/* The callbacks of a type, for one use. */
NifOwner *nif_owner_acquire(NifResourceType *type);
void nif_owner_release(NifOwner *owner);

/* One of the runtime's own, which no library takes over, and which never goes. */
NifResourceType *nif_type_create(Term module, Term name, const ErlNifResourceTypeInit *callbacks);

void nif_types_commit(NifLibrary *library);
void nif_types_drop(NifLibrary *library);
/* The library was unloaded: its types live as long as their objects, but nobody finds them, or can take them over, any
 * more. */
void nif_types_disown(NifLibrary *library);
/* With a count for the caller, NULL when there is none. */
NifResourceType *nif_type_find(Term module, Term name);

#endif

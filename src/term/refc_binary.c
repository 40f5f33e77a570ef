#include "term/refc_binary.h"

#include "alloc/alloc.h"
#include "term/node.h"

#include <string.h>

static AllocType type_of(const RefcBinary *b) { return b->destructor != NULL ? ALLOC_MAGIC : ALLOC_BINARY; }

static RefcBinary *create(AllocType type, size_t size, RefcDestructor *destructor) {
    RefcBinary *b = mem_alloc(type, sizeof *b + size);
    memset(b, 0, sizeof *b);
    atomic_init(&b->refc, 1);
    b->size = size;
    b->destructor = destructor;
    return b;
}

RefcBinary *refc_binary_create(size_t size) { return create(ALLOC_BINARY, size, NULL); }

RefcBinary *refc_magic_create(size_t size, RefcDestructor *destructor) {
    require(destructor != NULL);
    return create(ALLOC_MAGIC, size, destructor);
}

RefcBinary *refc_binary_resize(RefcBinary *b, size_t size) {
    b = mem_realloc(type_of(b), b, sizeof *b + size);
    b->size = size;
    return b;
}

void refc_binary_free(RefcBinary *b) { mem_free(type_of(b), b); }

void refc_binary_last_released(RefcBinary *b) {
    if (b->destructor == NULL || b->destructor(b))
        refc_binary_free(b);
}

static RefcBinary *binary_of(OffHeap *object) {
    switch (header_kind(object->header)) {
    case KIND_BIN_REF: return ((BinRef *)object)->binary;
    case KIND_MAGIC_REF: return ((MagicRef *)object)->binary;
    default: return NULL;
    }
}

void off_heap_release(OffHeap *object) {
    RefcBinary *b = binary_of(object);
    if (b != NULL)
        refc_binary_release(b);
    else
        node_release(((External *)object)->node);
}

void off_heap_retain(OffHeap *object) {
    RefcBinary *b = binary_of(object);
    if (b != NULL)
        refc_binary_retain(b);
    else
        node_retain(((External *)object)->node);
}

size_t off_heap_bytes(const OffHeap *object) {
    return header_kind(object->header) == KIND_BIN_REF ? ((const BinRef *)object)->binary->size : 0;
}

#include "term/refc_binary.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/fun.h"
#include "term/magic_table.h"
#include "term/node.h"

#include <string.h>

static AllocType type_of(const RefcBinary *b) { return b->destructor != NULL ? ALLOC_MAGIC : ALLOC_BINARY; }

static RefcBinary *begin(RefcBinary *b, size_t size, RefcDestructor *destructor) {
    memset(b, 0, sizeof *b);
    atomic_init(&b->refc, 1);
    b->size = size;
    b->destructor = destructor;
    return b;
}

static RefcBinary *create(AllocType type, size_t size, RefcDestructor *destructor) {
    return begin(mem_alloc(type, sizeof(RefcBinary) + size + REFC_SLACK_BYTES), size, destructor);
}

/* Whoever asks for so many bytes is about to fill them. */
#define BYTES_PER_UNIT 4

RefcBinary *refc_binary_create(size_t size) {
    long_work_count_large(size / BYTES_PER_UNIT, 1);
    return create(ALLOC_BINARY, size, NULL);
}

RefcBinary *refc_magic_create(size_t size, RefcDestructor *destructor) {
    require(destructor != NULL);
    return create(ALLOC_MAGIC, size, destructor);
}

RefcBinary *refc_magic_try_create(size_t size, RefcDestructor *destructor) {
    require(destructor != NULL);
    size_t bytes = sizeof(RefcBinary) + size;
    RefcBinary *b = bytes > size ? mem_try_calloc(ALLOC_MAGIC, bytes) : NULL;
    return b != NULL ? begin(b, size, destructor) : NULL;
}

void refc_binary_init_elsewhere(RefcBinary *b, size_t size, RefcDestructor *destructor) {
    begin(b, size, destructor);
    b->flags = BYTES_ARE_ELSEWHERE;
}

RefcBinary *refc_binary_resize(RefcBinary *b, size_t size) {
    long_work_count_large((size > b->size ? size : 0) / BYTES_PER_UNIT, 1);
    b = mem_realloc(type_of(b), b, sizeof *b + size + REFC_SLACK_BYTES);
    b->size = size;
    return b;
}

RefcBinary *refc_binary_try_create(size_t size) {
    size_t bytes = sizeof(RefcBinary) + size + REFC_SLACK_BYTES;
    RefcBinary *b = bytes > size ? mem_try_alloc(ALLOC_BINARY, bytes) : NULL;
    return b != NULL ? begin(b, size, NULL) : NULL;
}

RefcBinary *refc_binary_try_resize(RefcBinary *b, size_t size) {
    size_t bytes = sizeof *b + size + REFC_SLACK_BYTES;
    RefcBinary *moved = bytes > size ? mem_try_realloc(type_of(b), b, bytes) : NULL;
    if (moved != NULL)
        moved->size = size;
    return moved;
}

void refc_binary_free(RefcBinary *b) { mem_free(type_of(b), b); }

#define DEEPEST 50
#define UNITS_TO_DESTROY 100

/* How many destructors the thread is in, each called by what the one before releases; and those that wait for the
 * deepest to return, linked by what was their count, negative: whoever takes a count unless it is 0 (nif/monitor.c)
 * must find none. */
static __thread unsigned depth;
static __thread RefcBinary *waiting;
/* The same of those that must not be destroyed here: refc_binary_hold. */
static __thread unsigned holds;
static __thread RefcBinary *held;

static void put_off(RefcBinary **list, RefcBinary *b) {
    atomic_store_explicit(&b->refc, -(int64_t)(intptr_t)*list, memory_order_relaxed);
    *list = b;
}

static RefcBinary *take(RefcBinary **list) {
    RefcBinary *b = *list;
    *list = (RefcBinary *)(intptr_t)-atomic_load_explicit(&b->refc, memory_order_relaxed);
    atomic_store_explicit(&b->refc, 0, memory_order_relaxed);
    return b;
}

static void destroy(RefcBinary *b) {
    long_work_count(UNITS_TO_DESTROY);
    if (b->destructor(b))
        refc_binary_free(b);
}

static void destroy_now(RefcBinary *b) {
    depth++;
    destroy(b);
    while (depth == DEEPEST && waiting != NULL)
        destroy(take(&waiting));
    depth--;
}

void refc_binary_last_released(RefcBinary *b) {
    if (b->destructor == NULL) {
        refc_binary_free(b);
        return;
    }
    if (b->flags & MAGIC_IS_REMEMBERED)
        magic_forget(b); /* nobody else can come upon it then */
    if (holds > 0)
        put_off(&held, b);
    else if (depth < DEEPEST)
        destroy_now(b);
    else
        put_off(&waiting, b);
}

void refc_binary_hold(void) { holds++; }

RefcBinary *refc_binary_let_go(void) {
    RefcBinary *first = held;
    if (--holds > 0)
        return NULL;
    held = NULL;
    return first;
}

void refc_binary_destroy_held(RefcBinary *first) {
    while (first != NULL)
        destroy_now(take(&first));
}

static RefcBinary *binary_of(OffHeap *object) {
    switch (header_kind(object->header)) {
    case KIND_BIN_REF: return ((BinRef *)object)->binary;
    case KIND_MAGIC_REF: return ((MagicRef *)object)->binary;
    default: return NULL;
    }
}

static FunEntry *fun_entry_of(OffHeap *object) {
    return header_kind(object->header) == KIND_FUN_REF ? ((FunRef *)object)->entry : NULL;
}

void off_heap_release(OffHeap *object) {
    RefcBinary *b = binary_of(object);
    FunEntry *fun = fun_entry_of(object);
    if (b != NULL)
        refc_binary_release(b);
    else if (fun != NULL)
        fun_entry_release(fun);
    else
        node_release(((External *)object)->node);
}

void off_heap_retain(OffHeap *object) {
    RefcBinary *b = binary_of(object);
    FunEntry *fun = fun_entry_of(object);
    if (b != NULL)
        refc_binary_retain(b);
    else if (fun != NULL)
        fun_entry_retain(fun);
    else
        node_retain(((External *)object)->node);
}

size_t off_heap_bytes(const OffHeap *object) {
    return header_kind(object->header) == KIND_BIN_REF ? ((const BinRef *)object)->binary->size : 0;
}

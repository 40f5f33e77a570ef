#include "term/fun.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/mix.h"
#include "sys/thread.h"
#include "term/atom.h"

const Word *fun_error_address;

static FunEntry **buckets;
static size_t bucket_mask, entry_count;
static Mutex table_lock = MUTEX_INITIALIZER(LOCK_FUN_TABLE);

/* Of all that makes an entry another one: who sends bytes may vary any of it. */
static size_t hash_fun(Term module, uint32_t old_uniq, uint32_t old_index, const uint8_t uniq[16], uint32_t index,
                       uint32_t arity) {
    uint64_t half[2];
    memcpy(half, uniq, sizeof half);
    uint64_t hash = mix_word((uint64_t)atom_index(module) << 32 ^ old_uniq);
    hash = mix_word(hash ^ ((uint64_t)old_index << 32 | index));
    return (size_t)mix_word(hash ^ half[0] ^ mix_word(half[1] + arity));
}

void fun_table_init(void) {
    if (buckets != NULL)
        return;
    bucket_mask = 4095;
    buckets = mem_calloc(ALLOC_FUN_ENTRY, (bucket_mask + 1) * sizeof *buckets);
}

static size_t entry_hash(const FunEntry *e) {
    return hash_fun(e->module, e->old_uniq, e->old_index, e->uniq, e->index, e->arity);
}

static void grow(void) {
    size_t mask = 2 * bucket_mask + 1;
    FunEntry **grown = mem_calloc(ALLOC_FUN_ENTRY, (mask + 1) * sizeof *grown);
    for (size_t i = 0; i <= bucket_mask; i++)
        for (FunEntry *e = buckets[i], *next; e != NULL; e = next) {
            next = e->hash_next;
            FunEntry **to = &grown[entry_hash(e) & mask];
            e->hash_next = *to;
            *to = e;
        }
    mem_free(ALLOC_FUN_ENTRY, buckets);
    buckets = grown;
    bucket_mask = mask;
}

FunEntry *fun_entry_put(Term module, uint32_t old_uniq, uint32_t old_index, const uint8_t uniq[16], uint32_t index,
                        uint32_t arity) {
    size_t hash = hash_fun(module, old_uniq, old_index, uniq, index, arity);
    mutex_lock(&table_lock);
    FunEntry *e = buckets[hash & bucket_mask];
    while (e != NULL && !(e->module == module && e->old_uniq == old_uniq && e->old_index == old_index &&
                          e->index == index && e->arity == arity && memcmp(e->uniq, uniq, sizeof e->uniq) == 0))
        e = e->hash_next;
    if (e == NULL) {
        if (entry_count++ > 2 * bucket_mask)
            grow();
        e = mem_calloc(ALLOC_FUN_ENTRY, sizeof *e);
        *e = (FunEntry){.address = fun_error_address,
                        .module = module,
                        .name = am_undefined,
                        .arity = arity,
                        .index = index,
                        .old_index = old_index,
                        .old_uniq = old_uniq};
        memcpy(e->uniq, uniq, sizeof e->uniq);
        e->hash_next = buckets[hash & bucket_mask];
        buckets[hash & bucket_mask] = e;
    }
    atomic_fetch_add_explicit(&e->refc, 1, memory_order_relaxed);
    mutex_unlock(&table_lock);
    return e;
}

void fun_entry_retain(FunEntry *e) { atomic_fetch_add_explicit(&e->refc, 1, memory_order_relaxed); }

static void free_entry(ProgressNode *node) { mem_free(ALLOC_FUN_ENTRY, container_of(node, FunEntry, progress)); }

static void unlink_entry(FunEntry *e) {
    FunEntry **at = &buckets[entry_hash(e) & bucket_mask];
    while (*at != e)
        at = &(*at)->hash_next;
    *at = e->hash_next;
    entry_count--;
}

/* The step to 0 is made under the lock: nobody finds the entry in the table any more. */
void fun_entry_release(FunEntry *e) {
    int64_t n = atomic_load_explicit(&e->refc, memory_order_relaxed);
    while (n > 1)
        if (atomic_compare_exchange_weak_explicit(&e->refc, &n, n - 1, memory_order_acq_rel, memory_order_relaxed))
            return;
    mutex_lock(&table_lock);
    bool last = atomic_fetch_sub_explicit(&e->refc, 1, memory_order_acq_rel) == 1;
    if (last)
        unlink_entry(e);
    mutex_unlock(&table_lock);
    if (!last)
        return;
    e->progress.run = free_entry;
    thread_progress_later(&e->progress);
}

size_t fun_entry_count(void) {
    mutex_lock(&table_lock);
    size_t count = entry_count;
    mutex_unlock(&table_lock);
    return count;
}

void fun_entry_each_alone(void (*each)(const FunEntry *entry, void *data), void *data) {
    for (size_t i = 0; i <= bucket_mask; i++)
        for (const FunEntry *e = buckets[i]; e != NULL; e = e->hash_next)
            each(e, data);
}

Term fun_ref_make(Area *area, FunEntry *entry) {
    FunRef *ref = (FunRef *)area_alloc(area, FUN_REF_WORDS);
    ref->header = header_make(KIND_FUN_REF, FUN_REF_WORDS - 1);
    ref->entry = entry;
    area_link_off_heap(area, (OffHeap *)ref, 0);
    return boxed_make(ref);
}

#include "term/magic_table.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/mix.h"
#include "sys/thread.h"

#define BUCKETS_FIRST 64

typedef struct Remembered {
    struct Remembered *next;
    RefcBinary *binary;
} Remembered;

static Mutex lock = MUTEX_INITIALIZER(LOCK_MAGIC_TABLE);
static Remembered **buckets;
static size_t bucket_count, count;

static Remembered **bucket_of(const uint32_t numbers[3]) {
    return &buckets[mix_word((uint64_t)numbers[1] << 32 | numbers[0]) & (bucket_count - 1)];
}

static void grow(void) {
    Remembered **before = buckets;
    size_t before_count = bucket_count;
    bucket_count = bucket_count ? 2 * bucket_count : BUCKETS_FIRST;
    buckets = mem_calloc(ALLOC_MAGIC, bucket_count * sizeof *buckets);
    for (size_t i = 0; i < before_count; i++) {
        for (Remembered *n = before[i], *next; n != NULL; n = next) {
            next = n->next;
            Remembered **to = bucket_of(n->binary->magic_numbers);
            n->next = *to;
            *to = n;
        }
    }
    mem_free(ALLOC_MAGIC, before);
}

void magic_remember(RefcBinary *binary) {
    mutex_lock(&lock);
    if (!(binary->flags & MAGIC_IS_REMEMBERED)) {
        if (count == bucket_count)
            grow();
        Remembered *n = mem_alloc(ALLOC_MAGIC, sizeof *n), **to = bucket_of(binary->magic_numbers);
        *n = (Remembered){*to, binary};
        *to = n;
        count++;
        binary->flags |= MAGIC_IS_REMEMBERED;
    }
    mutex_unlock(&lock);
}

static bool take_count(RefcBinary *b) {
    int64_t counts = atomic_load_explicit(&b->refc, memory_order_relaxed);
    while (counts > 0)
        if (atomic_compare_exchange_weak(&b->refc, &counts, counts + 1))
            return true;
    return false;
}

RefcBinary *magic_recall(const uint32_t numbers[3]) {
    RefcBinary *found = NULL;
    mutex_lock(&lock);
    for (Remembered *n = bucket_count ? *bucket_of(numbers) : NULL; n != NULL && found == NULL; n = n->next)
        if (memcmp(n->binary->magic_numbers, numbers, sizeof n->binary->magic_numbers) == 0 && take_count(n->binary))
            found = n->binary;
    mutex_unlock(&lock);
    return found;
}

void magic_forget(RefcBinary *binary) {
    mutex_lock(&lock);
    Remembered **place = bucket_of(binary->magic_numbers), *n;
    while ((n = *place)->binary != binary)
        place = &n->next;
    *place = n->next;
    count--;
    mutex_unlock(&lock);
    mem_free(ALLOC_MAGIC, n);
}

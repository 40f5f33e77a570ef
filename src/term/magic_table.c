#include "term/magic_table.h"

#include <string.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/linear_hash.h"
#include "base/mix.h"
#include "sys/thread.h"

#define ROOM_FIRST 64

typedef struct Remembered {
    struct Remembered *next;
    RefcBinary *binary;
} Remembered;

static Mutex lock = MUTEX_INITIALIZER(LOCK_MAGIC_TABLE);
/* As many as there are remembered, or were once. */
static Remembered **buckets;
static uint32_t bucket_count, room, count;

static uint32_t hash_of(const uint32_t numbers[3]) {
    return (uint32_t)mix_word((uint64_t)numbers[1] << 32 | numbers[0]);
}

static Remembered **bucket_of(const uint32_t numbers[3]) {
    return &buckets[linear_index(hash_of(numbers), bucket_count)];
}

static void push(Remembered **bucket, Remembered *r) {
    r->next = *bucket;
    *bucket = r;
}

static void make_room(uint32_t wanted) {
    ALLOC_FOR_ALL;
    buckets = mem_realloc(ALLOC_MAGIC, buckets, wanted * sizeof *buckets);
    room = wanted;
}

static void make_buckets(void) {
    make_room(ROOM_FIRST);
    buckets[0] = buckets[1] = NULL;
    bucket_count = 2;
}

/* Others wait for the lock: what is moved is little. */
static void add_bucket(void) {
    if (bucket_count == room)
        make_room(2 * room);
    uint32_t new = bucket_count++;
    Remembered **from = &buckets[linear_buddy(new)], *r;
    buckets[new] = NULL;
    while ((r = *from) != NULL) {
        if (bucket_of(r->binary->magic_numbers) != &buckets[new]) {
            from = &r->next;
            continue;
        }
        *from = r->next;
        push(&buckets[new], r);
    }
}

void magic_remember(RefcBinary *binary) {
    mutex_lock(&lock);
    if (!(binary->flags & MAGIC_IS_REMEMBERED)) {
        if (bucket_count == 0)
            make_buckets();
        if (count == bucket_count)
            add_bucket();
        Remembered *r = mem_alloc(ALLOC_MAGIC, sizeof *r);
        r->binary = binary;
        push(bucket_of(binary->magic_numbers), r);
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

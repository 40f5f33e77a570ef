#include "alloc/block_record.h"

#include "alloc/pages.h"

#include <pthread.h>

_Atomic(BlockRecord *) record_chunks[CHUNKS_MAX];

#define CHUNK_BYTES (sizeof(BlockRecord) << CHUNK_SHIFT)
_Static_assert(sizeof(BlockRecord) == 32, "half a cache line");

/* Guards the pool, and who takes new records. */
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t pool;          /* the first record of the first batch: `bytes_site` is the first of the next batch */
static uint32_t pooled;        /* records there */
static uint32_t rest, rest_count; /* a list of less than BATCH: what ended threads had */
static uint32_t allowed;       /* records at most */
static _Atomic uint32_t end;   /* records below exist; 0 is none */
static _Atomic unsigned shift; /* see rate() */

static uint32_t next_of(uint32_t number) {
    return (uint32_t)atomic_load_explicit(&record_at(number)->owner, memory_order_relaxed);
}
static void set_next(uint32_t number, uint32_t next) {
    atomic_store_explicit(&record_at(number)->owner, next, memory_order_relaxed);
}

static void begin_write(BlockRecord *r) {
    uint32_t version = atomic_load_explicit(&r->version, memory_order_relaxed);
    atomic_store_explicit(&r->version, version + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void end_write(BlockRecord *r) {
    uint32_t version = atomic_load_explicit(&r->version, memory_order_relaxed);
    atomic_store_explicit(&r->version, version + 1, memory_order_release);
}

static uint64_t place_of(const Block *b) {
    return (uint64_t)(uintptr_t)b->address << 16 | (uint64_t)b->type << 8 | b->shift;
}

static Block unpack(uint64_t place, uint64_t bytes_site, uint64_t owner) {
    return (Block){.address = (const void *)(uintptr_t)(place >> 16),
                   .type = (AllocType)(place >> 8 & 0xFF),
                   .shift = (unsigned)(place & 0xFF),
                   .bytes = bytes_site >> SITE_BITS,
                   .site = (uint32_t)(bytes_site & ((1u << SITE_BITS) - 1)),
                   .owner = owner};
}

#define get(field) atomic_load_explicit(&r->field, memory_order_relaxed)
#define set(field, value) atomic_store_explicit(&r->field, value, memory_order_relaxed)

void record_write(BlockRecord *r, const Block *b, uint32_t born) {
    begin_write(r);
    set(born, born);
    set(place, place_of(b));
    set(bytes_site, b->bytes << SITE_BITS | b->site);
    set(owner, b->owner);
    end_write(r);
}

Block record_clear(BlockRecord *r) {
    Block was = unpack(get(place), get(bytes_site), get(owner));
    begin_write(r);
    set(place, 0);
    end_write(r);
    return was;
}

/* What is read under an odd version, or two versions, is nothing. */
bool record_read(const BlockRecord *r, uint32_t before, Block *b) {
    uint32_t version = atomic_load_explicit(&r->version, memory_order_acquire);
    uint64_t place = get(place);
    if (version % 2 || !place || get(born) >= before)
        return false;
    *b = unpack(place, get(bytes_site), get(owner));
    atomic_thread_fence(memory_order_acquire);
    return get(version) == version;
}

/* Half of what is allowed is for all blocks; of the other half each eighth is for half as many as the one before. */
static void set_rate(void) {
    uint32_t used = atomic_load_explicit(&end, memory_order_relaxed) - pooled - rest_count, half = allowed / 2;
    unsigned rate = used < half ? 0 : 12 + (unsigned)((uint64_t)(used - half) * 8 / (half + 1));
    if (rate != atomic_load_explicit(&shift, memory_order_relaxed))
        atomic_store_explicit(&shift, rate, memory_order_relaxed);
}

static bool have_chunk(uint32_t number) {
    _Atomic(BlockRecord *) *place = &record_chunks[number >> CHUNK_SHIFT];
    if (!atomic_load_explicit(place, memory_order_relaxed))
        atomic_store_explicit(place, pages_get(CHUNK_BYTES), memory_order_release);
    return atomic_load_explicit(place, memory_order_relaxed) != NULL;
}

/* The first of a chain of new ones, or 0. Under pool_lock. */
static uint32_t new_batch(void) {
    uint32_t first = atomic_load_explicit(&end, memory_order_relaxed);
    if (first + BATCH > allowed || !have_chunk(first))
        return 0;
    for (uint32_t n = first; n < first + BATCH; n++)
        set_next(n, n + 1 < first + BATCH ? n + 1 : 0);
    atomic_store_explicit(&end, first + BATCH, memory_order_release);
    return first;
}

static uint32_t pooled_batch(void) {
    uint32_t first = pool;
    if (first) {
        pool = (uint32_t)atomic_load_explicit(&record_at(first)->bytes_site, memory_order_relaxed);
        pooled -= BATCH;
    }
    return first;
}

static noinline bool take_batch(uint32_t *free, uint32_t *count) {
    pthread_mutex_lock(&pool_lock);
    *free = pooled_batch();
    if (!*free)
        *free = new_batch();
    *count = *free ? BATCH : 0;
    set_rate();
    pthread_mutex_unlock(&pool_lock);
    return *free != 0;
}

uint32_t records_take(uint32_t *free, uint32_t *count) {
    if (unlikely(!*free) && !take_batch(free, count))
        return 0;
    uint32_t number = *free;
    *free = next_of(number);
    --*count;
    return number;
}

static void pool_batch(uint32_t first) {
    BlockRecord *r = record_at(first);
    set(bytes_site, pool);
    pool = first;
    pooled += BATCH;
}

/* BATCH of the list go into the pool, those that came last. */
static noinline void give_batch(uint32_t *free, uint32_t *count) {
    uint32_t last = *free, first = last;
    for (unsigned n = 1; n < BATCH; n++)
        last = next_of(last);
    *free = next_of(last);
    set_next(last, 0);
    *count -= BATCH;
    pthread_mutex_lock(&pool_lock);
    pool_batch(first);
    set_rate();
    pthread_mutex_unlock(&pool_lock);
}

void records_give(uint32_t *free, uint32_t *count, uint32_t number) {
    set_next(number, *free);
    *free = number;
    if (unlikely(++*count >= 2 * BATCH))
        give_batch(free, count);
}

/* Under pool_lock. */
static void give_to_rest(uint32_t number) {
    set_next(number, rest);
    rest = number;
    if (++rest_count < BATCH)
        return;
    pool_batch(rest);
    rest = rest_count = 0;
}

void records_give_all(uint32_t *free, uint32_t *count) {
    pthread_mutex_lock(&pool_lock);
    while (*free) {
        uint32_t number = *free;
        *free = next_of(number);
        give_to_rest(number);
    }
    *count = 0;
    set_rate();
    pthread_mutex_unlock(&pool_lock);
}

void records_open(uint64_t bytes_allowed) {
    uint64_t most = bytes_allowed / sizeof(BlockRecord);
    allowed = most < 4 * BATCH ? 4 * BATCH : most > UINT32_MAX - BATCH ? UINT32_MAX - BATCH : (uint32_t)most;
    pool = pooled = rest = rest_count = 0;
    atomic_store_explicit(&end, RECORD_FIRST, memory_order_relaxed);
    atomic_store_explicit(&shift, 0, memory_order_relaxed);
}

void records_close(void) {
    for (unsigned i = 0; i < CHUNKS_MAX; i++) {
        BlockRecord *chunk = atomic_load_explicit(&record_chunks[i], memory_order_relaxed);
        if (!chunk)
            break;
        pages_release(chunk, CHUNK_BYTES);
        atomic_store_explicit(&record_chunks[i], NULL, memory_order_relaxed);
    }
}

uint32_t records_end(void) { return atomic_load_explicit(&end, memory_order_acquire); }
unsigned records_shift(void) { return atomic_load_explicit(&shift, memory_order_relaxed); }

void records_figures(BlockMapFigures *figures) {
    pthread_mutex_lock(&pool_lock);
    uint64_t there = records_end() - RECORD_FIRST;
    figures->records = there - pooled - rest_count;
    figures->record_bytes = there * sizeof(BlockRecord);
    figures->record_bytes_allowed = (uint64_t)allowed * sizeof(BlockRecord);
    figures->shift = records_shift();
    pthread_mutex_unlock(&pool_lock);
}

#include "alloc/block_record.h"

#include "alloc/pages.h"

#include <pthread.h>

_Atomic(RecordChunk *) record_chunks[CHUNKS_MAX];

_Static_assert(sizeof(BlockRecord) == 32, "half a cache line");

/* New groups that a thread gets at once; a queue this long is shared; what of it is; how often a thread tells what it
 * uses. */
enum { AHEAD = 4, FRESH = 16, QUEUE_LONG = 128, CHAIN = 64, TELL = 256 };

/* Threads keep some groups for themselves: with less, those who ask would find none, and none would be in use. */
#define RECORD_BYTES_LEAST (1u << 20)
_Static_assert(RECORD_BYTES_LEAST >= 32 * GROUP * FRESH * sizeof(BlockRecord), "for 32 threads");

/* Guards the pool, and who takes new groups. */
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t pool;           /* the first group of the first chain */
static uint32_t allowed;        /* records at most */
static _Atomic uint32_t end;    /* groups below exist */
static _Atomic int64_t in_use;  /* as threads have told it */
static _Atomic unsigned shift;  /* see set_rate */

#define get(r, field) atomic_load_explicit(&(r)->field, memory_order_relaxed)
#define set(r, field, value) atomic_store_explicit(&(r)->field, value, memory_order_relaxed)

static _Atomic uint64_t *free_of(uint32_t number) { return &chunk_of(number)->free[number / GROUP % CHUNK_GROUPS]; }
static uint32_t *next_of(uint32_t number) { return &chunk_of(number)->next[number / GROUP % CHUNK_GROUPS]; }
static uint32_t *next_chain_of(uint32_t number) { return &chunk_of(number)->next_chain[number / GROUP % CHUNK_GROUPS]; }

/* A record */

static void begin_write(BlockRecord *r) {
    set(r, version, get(r, version) + 1);
    atomic_thread_fence(memory_order_release);
}

static void end_write(BlockRecord *r) { atomic_store_explicit(&r->version, get(r, version) + 1, memory_order_release); }

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

void record_write(BlockRecord *r, const Block *b, uint32_t born) {
    begin_write(r);
    set(r, born, born);
    set(r, place, place_of(b));
    set(r, bytes_site, b->bytes << SITE_BITS | b->site);
    set(r, owner, b->owner);
    end_write(r);
}

static void clear(BlockRecord *r) {
    if (!get(r, place))
        return;
    begin_write(r);
    set(r, place, 0);
    end_write(r);
}

Block record_copy(const BlockRecord *r) { return unpack(get(r, place), get(r, bytes_site), get(r, owner)); }

/* What is read under an odd version, or under two, is nothing. */
static bool read_record(const BlockRecord *r, uint32_t before, Block *b) {
    uint32_t version = atomic_load_explicit(&r->version, memory_order_acquire);
    uint64_t place = get(r, place);
    if (version % 2 || !place || get(r, born) >= before)
        return false;
    *b = unpack(place, get(r, bytes_site), get(r, owner));
    atomic_thread_fence(memory_order_acquire);
    return get(r, version) == version;
}

size_t records_read(uint32_t number, uint32_t before, Block to[GROUP]) {
    size_t found = 0;
    uint64_t used = GROUP_ALL & ~atomic_load_explicit(free_of(number), memory_order_acquire);
    for (; used; used &= used - 1)
        found += read_record(record_at(number + (uint32_t)__builtin_ctzll(used)), before, &to[found]);
    return found;
}

/* How many are used, and so at which rate blocks are taken */

/* Half of what is allowed is for all blocks; of the other half each eighth is for half as many as the one before. */
static void set_rate(int64_t used) {
    int64_t half = allowed / 2;
    unsigned rate = used < half ? 0 : 12 + (unsigned)((used - half) * 8 / (half + 1));
    if (rate != atomic_load_explicit(&shift, memory_order_relaxed))
        atomic_store_explicit(&shift, rate, memory_order_relaxed);
}

static void tell(RecordQueue *q) {
    int64_t used = atomic_fetch_add_explicit(&in_use, q->untold, memory_order_relaxed) + q->untold;
    q->untold = 0;
    set_rate(used);
}

static void use(RecordQueue *q, int more) {
    q->untold += more;
    if (unlikely(q->untold >= TELL || q->untold <= -TELL))
        tell(q);
}

/* Queues of groups, each with some that are free */

static void put_last(RecordQueue *q, uint32_t group) {
    *next_of(group) = 0;
    *(q->first ? next_of(q->last) : &q->first) = group;
    q->last = group;
    q->length++;
}

static uint32_t take_first(RecordQueue *q) {
    uint32_t group = q->first;
    q->first = *next_of(group);
    q->length--;
    return group;
}

/* The first CHAIN of them go into the pool. */
static noinline void share(RecordQueue *q) {
    uint32_t first = q->first, last = first;
    for (unsigned n = 1; n < CHAIN; n++)
        last = *next_of(last);
    q->first = *next_of(last);
    q->length -= CHAIN;
    *next_of(last) = 0;
    pthread_mutex_lock(&pool_lock);
    *next_chain_of(first) = pool;
    pool = first;
    pthread_mutex_unlock(&pool_lock);
}

static bool have_chunk(uint32_t number) {
    _Atomic(RecordChunk *) *place = &record_chunks[number / CHUNK_RECORDS];
    if (!atomic_load_explicit(place, memory_order_relaxed))
        atomic_store_explicit(place, pages_get(sizeof(RecordChunk)), memory_order_release);
    return atomic_load_explicit(place, memory_order_relaxed) != NULL;
}

/* Under pool_lock. Their bits say that none is free, and they are clear. */
static void take_fresh(RecordQueue *q) {
    uint32_t first = atomic_load_explicit(&end, memory_order_relaxed);
    if (first >= allowed || !have_chunk(first))
        return;
    uint32_t left = (CHUNK_RECORDS - first % CHUNK_RECORDS) / GROUP;
    uint32_t last = first + GROUP * (left < FRESH ? left : FRESH);
    q->fresh = first;
    q->fresh_end = last;
    atomic_store_explicit(&end, last, memory_order_release);
}

static void take_chain(RecordQueue *q) {
    uint32_t group = pool;
    pool = *next_chain_of(group);
    while (group) {
        uint32_t next = *next_of(group);
        put_last(q, group);
        group = next;
    }
}

static noinline bool take_from_all(RecordQueue *q) {
    pthread_mutex_lock(&pool_lock);
    if (pool)
        take_chain(q);
    else
        take_fresh(q);
    pthread_mutex_unlock(&pool_lock);
    return q->first || q->fresh != q->fresh_end;
}

/* What comes back meanwhile stays in the group, which waits again. */
static void take_group(RecordQueue *q, uint32_t group) {
    uint64_t taken = atomic_load_explicit(free_of(group), memory_order_acquire);
    for (uint64_t left = taken; left; left &= left - 1)
        clear(record_at(group + (uint32_t)__builtin_ctzll(left)));
    if (atomic_fetch_and_explicit(free_of(group), ~taken, memory_order_acq_rel) != taken)
        put_last(q, group);
    q->group = group;
    q->mine = taken;
}

static noinline bool refill(RecordQueue *q) {
    if (!q->first && q->fresh == q->fresh_end && !take_from_all(q))
        return false;
    if (q->first) {
        take_group(q, take_first(q));
        return true;
    }
    q->group = q->fresh;
    q->mine = GROUP_ALL;
    q->fresh += GROUP;
    return true;
}

uint32_t records_take(RecordQueue *q) {
    if (unlikely(!q->mine) && !refill(q))
        return 0;
    uint32_t number = q->group + (uint32_t)__builtin_ctzll(q->mine);
    q->mine &= q->mine - 1;
    __builtin_prefetch(record_at(number) + AHEAD, 1);
    use(q, 1);
    return number;
}

static void give_bits(RecordQueue *q, uint32_t group, uint64_t bits) {
    if (atomic_fetch_or_explicit(free_of(group), bits, memory_order_acq_rel) != 0)
        return;
    put_last(q, group);
    if (unlikely(q->length >= QUEUE_LONG))
        share(q);
}

/* One of the group that the thread takes from is still in the caches, and is the next to be taken. */
void records_give(RecordQueue *q, uint32_t number) {
    uint64_t bit = (uint64_t)1 << number % GROUP;
    if (number / GROUP * GROUP == q->group) {
        clear(record_at(number));
        q->mine |= bit;
    } else {
        give_bits(q, number / GROUP * GROUP, bit);
    }
    use(q, -1);
}

/* All groups of the queue as one chain. */
static void share_all(RecordQueue *q) {
    if (!q->first)
        return;
    pthread_mutex_lock(&pool_lock);
    *next_chain_of(q->first) = pool;
    pool = q->first;
    pthread_mutex_unlock(&pool_lock);
}

void records_give_all(RecordQueue *q) {
    if (q->mine)
        give_bits(q, q->group, q->mine);
    for (; q->fresh != q->fresh_end; q->fresh += GROUP)
        give_bits(q, q->fresh, GROUP_ALL);
    share_all(q);
    tell(q);
    *q = (RecordQueue){0};
}

/* All of them */

void records_open(uint64_t bytes_allowed) {
    uint64_t most = bytes_allowed / sizeof(BlockRecord), least = RECORD_BYTES_LEAST / sizeof(BlockRecord);
    allowed = (uint32_t)(most < least ? least : most > UINT32_MAX / 2 ? UINT32_MAX / 2 : most);
    pool = 0;
    atomic_store_explicit(&end, RECORDS_BEGIN, memory_order_relaxed);
    atomic_store_explicit(&in_use, 0, memory_order_relaxed);
    atomic_store_explicit(&shift, 0, memory_order_relaxed);
}

void records_close(void) {
    RecordChunk *chunk;
    for (unsigned i = 0; (chunk = atomic_load_explicit(&record_chunks[i], memory_order_relaxed)) != NULL; i++) {
        pages_release(chunk, sizeof *chunk);
        atomic_store_explicit(&record_chunks[i], NULL, memory_order_relaxed);
    }
}

uint32_t records_end(void) { return atomic_load_explicit(&end, memory_order_acquire); }
unsigned records_shift(void) { return atomic_load_explicit(&shift, memory_order_relaxed); }

void records_figures(BlockMapFigures *figures) {
    int64_t used = atomic_load_explicit(&in_use, memory_order_relaxed);
    figures->records = used < 0 ? 0 : (uint64_t)used;
    figures->record_bytes = (uint64_t)(records_end() - RECORDS_BEGIN) * sizeof(BlockRecord);
    figures->record_bytes_allowed = (uint64_t)allowed * sizeof(BlockRecord);
    figures->shift = records_shift();
}

#include "ets/hash.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "heap/copy.h"
#include "term/compare.h"
#include "term/hash.h"

#define FIRST_BUCKETS 64
#define FIRST_BUCKETS_STRIPED 256
#define SHRINK_STEPS 4 /* in one go: a table shrinks when it is three quarters empty */

uint32_t hash_key(Term key) {
    uint32_t h = term_hash(key);
    h ^= h >> 16; /* buckets go by the low bits */
    h *= 0x7feb352du;
    return h ^ h >> 15;
}

void hash_init(Table *t) {
    HashTable *h = &t->hash;
    h->first_buckets = t->stripe_count > 1 ? FIRST_BUCKETS_STRIPED : FIRST_BUCKETS;
    h->segment[0] = mem_calloc(ALLOC_ETS_TABLE, h->first_buckets * sizeof(Object *));
    atomic_init(&h->bucket_count, h->first_buckets);
    mutex_init(&h->grow, LOCK_ETS_GROW);
}

void hash_release(Table *t) {
    for (unsigned i = 0; i < SEGMENTS_MAX; i++)
        mem_free(ALLOC_ETS_TABLE, t->hash.segment[i]);
    mutex_release(&t->hash.grow);
}

static inline unsigned floor_log2(uint64_t n) { return 63 - (unsigned)__builtin_clzll(n); }

Object **hash_bucket(const Table *t, uint64_t number) {
    const HashTable *h = &t->hash;
    if (likely(number < h->first_buckets))
        return &h->segment[0][number];
    unsigned segment = floor_log2(number / h->first_buckets) + 1;
    return &h->segment[segment][number - (h->first_buckets << (segment - 1))];
}

static inline uint64_t bucket_number(uint64_t buckets, uint32_t hash) {
    uint64_t half = (uint64_t)1 << floor_log2(buckets), number = hash & (2 * half - 1);
    return number < buckets ? number : number & (half - 1);
}

static inline Object **bucket_of(const Table *t, uint32_t hash) {
    return hash_bucket(t, bucket_number(hash_bucket_count(t), hash));
}

static inline bool has_key(const Table *t, const Object *o, Term key, uint32_t hash) {
    return o->hash == hash && term_identical(table_key(t, o), key);
}

/* Where the objects of the key begin, deleted ones among them; the chain's end when there are none. */
static Object **find_group(const Table *t, Term key, uint32_t hash) {
    Object **place = bucket_of(t, hash);
    while (*place && !has_key(t, *place, key, hash))
        place = &(*place)->link[0];
    return place;
}

Object *hash_find(const Table *t, Term key, uint32_t hash) {
    Object *o = *find_group(t, key, hash);
    while (o && o->deleted) {
        o = o->link[0];
        if (o && !has_key(t, o, key, hash))
            return NULL;
    }
    return o;
}

static bool is_fixed(const Table *t) { return atomic_load(&((Table *)t)->fixed) > 0; }

bool hash_remove_at(Table *t, Object **place) {
    Object *o = *place;
    table_count(t, o, -1);
    if (is_fixed(t)) {
        /* Who undoes the last fixation looks at `purge` after it: one of the two of us sees the other. */
        atomic_store(&t->hash.purge, true);
        if (is_fixed(t)) {
            o->deleted = true;
            return false;
        }
    }
    *place = o->link[0];
    object_free(o);
    return true;
}

void hash_mark_all(Table *t) {
    for (uint64_t n = 0; n < hash_bucket_count(t); n++)
        for (Object **place = hash_bucket(t, n); *place;)
            if ((*place)->deleted || !hash_remove_at(t, place)) /* it may be unfixed meanwhile */
                place = &(*place)->link[0];
}

static void insert_at(Table *t, Object **place, Object *o) {
    o->link[0] = *place;
    *place = o;
    table_count(t, o, 1);
}

static bool is_duplicate(const Table *t, Object *o, const Object *new, Term key) {
    for (; o && has_key(t, o, key, new->hash); o = o->link[0])
        if (!o->deleted && objects_equal(o, new))
            return true;
    return false;
}

void hash_put(Hold *hold, Object *o) {
    Table *t = hold->table;
    Term key = table_key(t, o);
    o->hash = hold->hash;
    Object **place = find_group(t, key, o->hash);
    if (t->type == TABLE_BAG && is_duplicate(t, *place, o, key)) {
        object_free(o);
        return;
    }
    if (t->type == TABLE_SET) {
        Object **live = place;
        while (*live && (*live)->deleted && has_key(t, *live, key, o->hash))
            live = &(*live)->link[0];
        if (*live && has_key(t, *live, key, o->hash)) {
            hash_replace(hold, *live, o);
            return;
        }
    }
    insert_at(t, place, o);
}

void hash_replace(Hold *hold, Object *old, Object *new) {
    Table *t = hold->table;
    new->hash = old->hash;
    Object **place = bucket_of(t, old->hash);
    while (*place != old)
        place = &(*place)->link[0];
    table_count(t, old, -1);
    new->link[0] = old->link[0];
    *place = new;
    table_count(t, new, 1);
    object_free(old);
}

size_t hash_delete_key(Hold *hold, Term key) {
    Table *t = hold->table;
    size_t deleted = 0;
    for (Object **place = find_group(t, key, hold->hash); *place && has_key(t, *place, key, hold->hash);) {
        bool counted = !(*place)->deleted;
        deleted += counted;
        if (!counted || !hash_remove_at(t, place))
            place = &(*place)->link[0];
    }
    return deleted;
}

void hash_delete_object(Hold *hold, Term tuple) {
    Table *t = hold->table;
    Term key = tuple_elements(tuple)[t->keypos - 1];
    for (Object **place = find_group(t, key, hold->hash); *place && has_key(t, *place, key, hold->hash);) {
        bool same = !(*place)->deleted && object_equals(*place, tuple);
        if (!same || !hash_remove_at(t, place))
            place = &(*place)->link[0];
    }
}

/* Growing and shrinking */

static void lock_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_write(&hash_bucket_stripe(t, number)->lock);
}

static void unlock_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_end_write(&hash_bucket_stripe(t, number)->lock);
}

/* One bucket more: those of its lower sibling whose hash has the new bit move over, in order. */
static void grow(Table *t) {
    HashTable *h = &t->hash;
    uint64_t n = hash_bucket_count(t), bit = (uint64_t)1 << floor_log2(n);
    unsigned segment = floor_log2(n / h->first_buckets) + 1;
    if (segment >= SEGMENTS_MAX || n > UINT32_MAX)
        return;
    if (!h->segment[segment])
        h->segment[segment] = mem_calloc(ALLOC_ETS_TABLE, (h->first_buckets << (segment - 1)) * sizeof(Object *));
    lock_bucket(t, n);
    Object **from = hash_bucket(t, n - bit), **to = hash_bucket(t, n);
    while (*from) {
        Object *o = *from;
        if (o->hash & bit) {
            *from = o->link[0];
            o->link[0] = NULL;
            *to = o;
            to = &o->link[0];
        } else {
            from = &o->link[0];
        }
    }
    atomic_store(&h->bucket_count, n + 1);
    unlock_bucket(t, n);
}

static void shrink(Table *t) {
    HashTable *h = &t->hash;
    uint64_t n = hash_bucket_count(t) - 1, bit = (uint64_t)1 << floor_log2(n);
    lock_bucket(t, n);
    Object **from = hash_bucket(t, n), **to = hash_bucket(t, n - bit);
    while (*to)
        to = &(*to)->link[0];
    *to = *from;
    *from = NULL;
    atomic_store(&h->bucket_count, n);
    unlock_bucket(t, n);
}

/* Growth is judged by one stripe's load: the others are as full, more or less. */
void hash_adjust(Table *t, uint32_t hash) {
    HashTable *h = &t->hash;
    int64_t objects = atomic_load_explicit(&table_stripe(t, hash)->objects, memory_order_relaxed) * t->stripe_count;
    int64_t buckets = (int64_t)hash_bucket_count(t);
    bool full = objects > buckets, sparse = objects < buckets / 4 && buckets > (int64_t)h->first_buckets;
    if (likely(!full && !sparse) || !mutex_try_lock(&h->grow))
        return;
    if (!is_fixed(t) && hash_bucket_count(t) == (uint64_t)buckets) {
        if (full)
            grow(t);
        for (int i = 0; sparse && i < SHRINK_STEPS && hash_bucket_count(t) > h->first_buckets; i++)
            shrink(t);
    }
    mutex_unlock(&h->grow);
}

void hash_settle(Table *t) {
    mutex_lock(&t->hash.grow);
    mutex_unlock(&t->hash.grow);
}

#define UNITS_PER_BUCKET 5 /* of long work */
void hash_purge(Table *t) {
    if (!atomic_load(&t->hash.purge) || is_fixed(t))
        return;
    atomic_store(&t->hash.purge, false);
    long_work_count_large(hash_bucket_count(t), UNITS_PER_BUCKET);
    for (uint64_t n = 0; n < hash_bucket_count(t); n++)
        for (Object **place = hash_bucket(t, n); *place;) {
            Object *o = *place;
            if (o->deleted) {
                *place = o->link[0];
                object_free(o);
            } else {
                place = &o->link[0];
            }
        }
}

/* Traversal by keys */

static void read_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_read(&hash_bucket_stripe(t, number)->lock);
}

static void unread_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_end_read(&hash_bucket_stripe(t, number)->lock);
}

static const Object *first_live(const Object *o) {
    while (o && o->deleted)
        o = o->link[0];
    return o;
}

bool hash_next_key(Table *t, Term key, Area *area, Term *next) {
    uint64_t number = 0;
    const Object *found = NULL;
    *next = NON_VALUE;
    if (is_value(key)) {
        uint32_t hash = hash_key(key);
        number = bucket_number(hash_bucket_count(t), hash);
        for (;;) { /* the count may change until the stripe is held, and then our bucket stays ours */
            read_bucket(t, number);
            uint64_t now = bucket_number(hash_bucket_count(t), hash);
            if (now == number)
                break;
            unread_bucket(t, number);
            number = now;
        }
        Object *o = *find_group(t, key, hash);
        if (!o) {
            unread_bucket(t, number);
            return false;
        }
        while (o && has_key(t, o, key, hash))
            o = o->link[0];
        found = first_live(o);
    } else {
        read_bucket(t, number);
        found = first_live(*hash_bucket(t, number));
    }
    while (!found) {
        unread_bucket(t, number);
        if (++number >= hash_bucket_count(t))
            return true;
        read_bucket(t, number);
        found = first_live(*hash_bucket(t, number));
    }
    *next = term_copy(table_key(t, found), area);
    unread_bucket(t, number);
    return true;
}

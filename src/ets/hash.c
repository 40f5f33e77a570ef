#include "ets/hash.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "ets/count.h"
#include "ets/segment.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "term/compare.h"

#define FIRST_BUCKETS 256 /* as stock: ets:slot/2 and ets:info(_, stats) show it */
#define UNITS_TO_STEP 2 /* of long work, from object to object */
#define STEPS 5 /* of either kind in one go, as stock: what it missed, while it was fixed or others changed it */
#define BUCKETS_AT_ONCE 2048 /* so many stand or fall together on stock, behind the first */

void hash_init(Table *t) {
    HashTable *h = &t->hash;
    h->first_buckets = t->stripe_count > FIRST_BUCKETS ? t->stripe_count : FIRST_BUCKETS;
    segment_create_first(h);
    atomic_init(&h->bucket_count, h->first_buckets);
    h->generation = 1;
}

/* Objects of this hash were marked. */
typedef struct HashNote {
    struct HashNote *next;
    uint32_t hash;
} HashNote;

static HashNote *take_note(Stripe *s) {
    HashNote *note = s->notes;
    if (note)
        s->notes = note->next;
    return note;
}

void hash_release(Table *t) {
    require(hash_bucket_count(t) == t->hash.first_buckets); /* hash_clear_some has been there */
    segment_free_first(&t->hash);
}

Object **hash_bucket(const Table *t, uint64_t number) { return segment_bucket(&t->hash, number); }

static inline uint64_t bucket_number(uint64_t buckets, uint32_t hash) {
    uint64_t half = (uint64_t)1 << floor_log2(buckets), number = hash & (2 * half - 1);
    return number < buckets ? number : number & (half - 1);
}

static inline Object **bucket_of(const Table *t, uint32_t hash) {
    return segment_bucket(&t->hash, bucket_number(hash_bucket_count(t), hash));
}

Object **hash_find_place(const Table *t, Term key, uint32_t hash) {
    Object **place = bucket_of(t, hash);
    unsigned left = LONG_WORK_ROUND;
    for (; *place && !hash_has_key(t, *place, key, hash); left = long_work_step(left, UNITS_TO_STEP))
        place = &(*place)->next;
    return place;
}

static noinline Object *find_behind(const Table *t, Term key, uint32_t hash) {
    Object *o = *hash_find_place(t, key, hash);
    return likely(!o || hash_is_live(t, o)) ? o : hash_live_from(t, o->next, key, hash);
}

#define FEW_OBJECTS 4 /* which are not counted */

/* Mostly it is one of the first, by its very word, or there is none. */
Object *hash_find(const Table *t, Term key, uint32_t hash) {
    Object *o = *bucket_of(t, hash);
    for (unsigned n = 0; o != NULL && o->hash != hash && n < FEW_OBJECTS; n++)
        o = o->next;
    if (o == NULL || likely(table_key(t, o) == key && hash_is_live(t, o)))
        return o;
    return find_behind(t, key, hash);
}

Object *hash_live_from(const Table *t, Object *o, Term key, uint32_t hash) {
    unsigned left = LONG_WORK_ROUND;
    for (; o && hash_has_key(t, o, key, hash); o = o->next, left = long_work_step(left, UNITS_TO_STEP))
        if (hash_is_live(t, o))
            return o;
    return NULL;
}

static bool is_fixed(const Table *t) { return atomic_load(&((Table *)t)->fixed) > 0; }

static void take_out(Object **place) {
    Object *o = *place;
    *place = o->next;
    object_free(o);
}

/* Is there another object of its key? They stand together. */
static bool has_sibling(const Table *t, Object **place) {
    const Object *o = *place;
    if (t->type == TABLE_SET)
        return false;
    Term key = table_key(t, o);
    return (o->next && hash_has_key(t, o->next, key, o->hash)) || hash_find_place(t, key, o->hash) != place;
}

static void mark(Table *t, Object *o) {
    o->generation = 0;
    if (o->noted)
        return;
    o->noted = true;
    Stripe *s = table_stripe(t, o->hash);
    HashNote *note = mem_alloc(ALLOC_ETS_TABLE, sizeof *note);
    *note = (HashNote){s->notes, o->hash};
    s->notes = note;
}

/* As hash_remove_at, but that the caller counts. */
static bool remove_at(Table *t, Object **place, Counts *counts) {
    counts_add(counts, *place, -1);
    if (is_fixed(t) && !has_sibling(t, place)) {
        /* Who undoes the last fixation looks at `purge` after it: one of the two of us sees the other. */
        atomic_store(&t->hash.purge, true);
        if (is_fixed(t)) {
            mark(t, *place);
            return false;
        }
    }
    take_out(place);
    return true;
}

bool hash_remove_at(Table *t, Object **place) {
    uint32_t hash = (*place)->hash;
    Counts counts = {0};
    bool is_out = remove_at(t, place, &counts);
    table_count(t, hash, counts);
    return is_out;
}

bool hash_mark_all(Table *t) {
    atomic_store(&t->hash.purge, true);
    if (!is_fixed(t))
        return false;
    t->hash.generation++;
    t->hash.sweeps = true;
    t->hash.sweep = 0;
    for (unsigned i = 0; i < t->stripe_count; i++) {
        atomic_store_explicit(&t->stripes[i].objects, 0, memory_order_relaxed);
        atomic_store_explicit(&t->stripes[i].words, 0, memory_order_relaxed);
    }
    return true;
}

static void insert_at(Table *t, Object **place, Object *o) {
    o->next = *place;
    o->generation = t->hash.generation;
    *place = o;
}

static void insert_new_at(Table *t, Object **place, Object *o) {
    insert_at(t, place, o);
    table_count_one(t, o->hash, o, 1);
}

/* Marked objects of o's key at the place give way to it. */
static void take_marked_out(Table *t, Object **place, Object *o, Term key) {
    while (unlikely(*place && !hash_is_live(t, *place)) && hash_has_key(t, *place, key, o->hash)) {
        o->noted |= (*place)->noted;
        take_out(place);
    }
}

#define UNITS_TO_COMPARE 10 /* of long work */

static bool is_duplicate(const Table *t, Object *o, const Object *new, Term key) {
    for (; o && hash_has_key(t, o, key, new->hash); o = o->next) {
        long_work_count(UNITS_TO_COMPARE);
        if (hash_is_live(t, o) && objects_equal(o, new))
            return true;
    }
    return false;
}

/* `place` is where objects of its key begin; a key that is not there becomes the last of its bucket. */
static void put_at(Hold *hold, Object **place, Object *o) {
    Table *t = hold->table;
    Term key = table_key(t, o);
    o->hash = hold->hash;
    take_marked_out(t, place, o, key);
    bool there = *place && hash_has_key(t, *place, key, o->hash);
    if (there && t->type == TABLE_SET)
        hash_replace_at(t, place, o);
    else if (there && t->type == TABLE_BAG && is_duplicate(t, *place, o, key))
        object_free(o);
    else
        insert_new_at(t, place, o);
}

void hash_put(Hold *hold, Object *o) {
    Table *t = hold->table;
    put_at(hold, hash_find_place(t, table_key(t, o), hold->hash), o);
}

void hash_put_plain(Hold *hold, Term tuple) {
    Table *t = hold->table;
    Object **place = hash_find_place(t, tuple_elements(tuple)[t->keypos - 1], hold->hash), *o = *place;
    if (!o || t->type != TABLE_SET || !hash_is_live(t, o) || !object_overwrite(o, tuple))
        put_at(hold, place, table_object(t, tuple));
}

void hash_replace_at(Table *t, Object **place, Object *new) {
    Object *old = *place;
    Counts counts = {0};
    counts_add(&counts, old, -1);
    counts_add(&counts, new, 1);
    new->hash = old->hash;
    new->noted = old->noted;
    *place = old->next;
    insert_at(t, place, new);
    table_count(t, new->hash, counts);
    object_free(old);
}

void hash_replace(Hold *hold, Object *old, Object *new) {
    Object **place = bucket_of(hold->table, old->hash);
    while (*place != old)
        place = &(*place)->next;
    hash_replace_at(hold->table, place, new);
}

size_t hash_delete_key(Hold *hold, Term key) {
    Table *t = hold->table;
    Counts counts = {0};
    unsigned left = LONG_WORK_ROUND;
    for (Object **place = hash_find_place(t, key, hold->hash); *place && hash_has_key(t, *place, key, hold->hash);
         left = long_work_step(left, UNITS_TO_STEP)) {
        if (!hash_is_live(t, *place) || !remove_at(t, place, &counts))
            place = &(*place)->next;
    }
    if (counts.objects != 0)
        table_count(t, hold->hash, counts);
    return (size_t)-counts.objects;
}

void hash_delete_object(Hold *hold, Term tuple) {
    Table *t = hold->table;
    Term key = tuple_elements(tuple)[t->keypos - 1];
    Counts counts = {0};
    for (Object **place = hash_find_place(t, key, hold->hash); *place && hash_has_key(t, *place, key, hold->hash);) {
        long_work_count(UNITS_TO_COMPARE);
        bool same = hash_is_live(t, *place) && object_equals(*place, tuple);
        if (!same || !remove_at(t, place, &counts))
            place = &(*place)->next;
        if (same && t->type != TABLE_DUPLICATE_BAG) /* there is no other */
            break;
    }
    if (counts.objects != 0)
        table_count(t, hold->hash, counts);
}

/* Growing and shrinking */

static void lock_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_write(&hash_bucket_stripe(t, number)->lock, &t->name);
}

static void unlock_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_end_write(&hash_bucket_stripe(t, number)->lock);
}

/* One bucket more: those of its lower sibling whose hash has the new bit move over, in order. */
static void grow(Table *t) {
    HashTable *h = &t->hash;
    uint64_t n = hash_bucket_count(t), bit = (uint64_t)1 << floor_log2(n);
    if (!segment_extend(h, n))
        return;
    lock_bucket(t, n);
    Object **from = hash_bucket(t, n - bit), **to = hash_bucket(t, n);
    unsigned left = LONG_WORK_ROUND;
    for (; *from; left = long_work_step(left, UNITS_TO_STEP)) {
        Object *o = *from;
        if (o->hash & bit) {
            *from = o->next;
            o->next = NULL;
            *to = o;
            to = &o->next;
        } else {
            from = &o->next;
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
    unsigned left = LONG_WORK_ROUND;
    for (; *to; left = long_work_step(left, UNITS_TO_STEP))
        to = &(*to)->next;
    *to = *from;
    *from = NULL;
    atomic_store(&h->bucket_count, n);
    unlock_bucket(t, n);
    segment_give_up(h, n); /* whoever takes the stripe from now on finds that it is not in use */
}

/* By how many buckets it grows at once at most: by more than one only where one stripe's load shows without doubt that
 * there are too few. */
static void grow_some(Table *t, int64_t objects) {
    int64_t surely = t->stripe_count == 1 ? objects : objects - objects / 4;
    grow(t);
    for (int i = 1; i < STEPS && surely > (int64_t)hash_bucket_count(t); i++)
        grow(t);
}

/* As stock: buckets go down to where the last of those that stand together begin, when half as many objects as those
 * before are more than there are. Once there are more than the first, some of these stay. */
static bool is_sparse(const HashTable *h, int64_t objects, int64_t buckets) {
    int64_t first = (int64_t)h->first_buckets;
    int64_t before = first + (buckets - first - 1) / BUCKETS_AT_ONCE * BUCKETS_AT_ONCE;
    return before > first && objects < before / 2;
}

/* Growth is judged by one stripe's load: the others are as full, more or less. */
void hash_adjust(Table *t, uint32_t hash) {
    HashTable *h = &t->hash;
    int64_t objects = atomic_load_explicit(&table_stripe(t, hash)->objects, memory_order_relaxed) * t->stripe_count;
    int64_t buckets = (int64_t)hash_bucket_count(t);
    bool full = objects > buckets, sparse = is_sparse(h, objects, buckets);
    if (likely(!full && !sparse) || !mutex_try_lock(&t->growing))
        return;
    if (!is_fixed(t) && !h->sweeps && hash_bucket_count(t) == (uint64_t)buckets) {
        if (full)
            grow_some(t, objects);
        for (int i = 0; i < STEPS && is_sparse(h, objects, (int64_t)hash_bucket_count(t)); i++)
            shrink(t);
    }
    mutex_unlock(&t->growing);
}

void hash_settle(Table *t) {
    mutex_lock(&t->growing);
    mutex_unlock(&t->growing);
}

/* Purging and clearing */

#define PURGE_ROUND 2000 /* buckets or objects for which the table is held */

static int64_t purge_bucket(Table *t, Object **place) {
    int64_t seen = 1;
    for (; *place; seen++)
        if (hash_is_live(t, *place)) {
            (*place)->noted = false;
            place = &(*place)->next;
        } else {
            take_out(place);
        }
    return seen;
}

/* True when no note is left. */
static bool purge_noted(Table *t, int64_t *budget) {
    for (unsigned i = 0; i < t->stripe_count; i++)
        for (HashNote *note; (note = take_note(&t->stripes[i]));) {
            *budget -= purge_bucket(t, bucket_of(t, note->hash));
            mem_free(ALLOC_ETS_TABLE, note);
            if (*budget <= 0)
                return false;
        }
    return true;
}

bool hash_purge_some(Table *t) {
    HashTable *h = &t->hash;
    int64_t budget = PURGE_ROUND;
    if (is_fixed(t))
        return true;
    for (; h->sweeps && h->sweep < hash_bucket_count(t); h->sweep++) {
        if (budget <= 0)
            break;
        budget -= purge_bucket(t, hash_bucket(t, h->sweep));
    }
    bool done = budget > 0 && purge_noted(t, &budget);
    if (done)
        h->sweeps = false;
    if (done)
        atomic_store(&h->purge, false);
    long_work_count(PURGE_ROUND * UNITS_TO_STEP);
    return done;
}

#define BUCKETS_PER_UNIT 16 /* of the budget, beside objects */
#define UNITS_PER_CHUNK 20

/* The first bucket of the chunk in which one is, or of its segment. */
static uint64_t run_start(const HashTable *h, uint64_t bucket) {
    uint64_t chunk = bucket / SEGMENT_CHUNK * SEGMENT_CHUNK, segment = segment_start(h, bucket);
    return chunk > segment ? chunk : segment;
}

/* All buckets are empty: a chunk's or a segment's at once. */
static bool give_up_buckets(HashTable *h, int64_t *budget) {
    for (uint64_t n; (n = atomic_load(&h->bucket_count)) > h->first_buckets; *budget -= UNITS_PER_CHUNK) {
        if (*budget <= 0)
            return false;
        atomic_store(&h->bucket_count, run_start(h, n - 1));
        segment_give_up(h, atomic_load(&h->bucket_count));
    }
    return true;
}

/* False: the budget is used up. *live: objects to go yet. */
static bool clear_bucket(Table *t, Object **place, int64_t *live, int64_t *budget) {
    for (; *place; --*budget) {
        if (*budget <= 0)
            return false;
        if (hash_is_live(t, *place)) {
            table_count_gone(t, *place);
            --*live;
        }
        take_out(place);
    }
    return true;
}

/* The buckets from `start` on, which lie side by side, up to *n, the last first; *n: how many there are then. Empty
 * ones cost, too, but those of the first segment, which each round looks at again. */
static bool clear_run(Table *t, uint64_t start, uint64_t *n, int64_t *live, int64_t *budget) {
    Object **buckets = hash_bucket(t, start);
    for (; *n > start; --*n) {
        if (*budget <= 0 || !clear_bucket(t, &buckets[*n - 1 - start], live, budget))
            return false;
        *budget -= start >= t->hash.first_buckets && *n % BUCKETS_PER_UNIT == 0;
    }
    return true;
}

bool hash_clear_some(Table *t, int64_t *budget) {
    HashTable *h = &t->hash;
    int64_t live = table_objects_at_rest(t);
    bool all_live = !atomic_load(&h->purge);
    for (uint64_t n = hash_bucket_count(t); n > 0;) {
        if (live == 0 && all_live)
            return give_up_buckets(h, budget);
        uint64_t start = run_start(h, n - 1);
        bool goes_on = clear_run(t, start, &n, &live, budget);
        if (start >= h->first_buckets)
            atomic_store(&h->bucket_count, n); /* so that the next round does not begin here again */
        if (!goes_on)
            return false;
        if (start >= h->first_buckets)
            segment_give_up(h, n);
    }
    for (unsigned i = 0; i < t->stripe_count; i++)
        for (HashNote *note; (note = take_note(&t->stripes[i])); --*budget)
            mem_free(ALLOC_ETS_TABLE, note);
    return true;
}

/* Traversal by keys */

bool hash_read_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_read(&hash_bucket_stripe(t, number)->lock, &t->name);
    bool in_use = number < hash_bucket_count(t);
    if (!in_use)
        hash_unread_bucket(t, number);
    return in_use;
}

void hash_unread_bucket(Table *t, uint64_t number) {
    if (t->stripe_count > 1)
        fair_lock_end_read(&hash_bucket_stripe(t, number)->lock);
}

static const Object *first_of(const Table *t, const Object *o, bool kept) {
    unsigned left = LONG_WORK_ROUND;
    for (; o && !kept && !hash_is_live(t, o); left = long_work_step(left, UNITS_TO_STEP))
        o = o->next;
    return o;
}

/* The key's bucket, held. The number of buckets may change until then, and after that the bucket stays the key's. */
static uint64_t read_bucket_of(Table *t, uint32_t hash) {
    if (t->stripe_count == 1) /* the table's lock holds all of them */
        return bucket_number(hash_bucket_count(t), hash);
    for (;;) {
        uint64_t number = bucket_number(hash_bucket_count(t), hash);
        if (unlikely(!hash_read_bucket(t, number)))
            continue;
        if (likely(number == bucket_number(hash_bucket_count(t), hash)))
            return number;
        hash_unread_bucket(t, number);
    }
}

/* Mostly it is the first, by its very word. */
static inline Object *first_with_key(const Table *t, Term key, uint32_t hash) {
    Object *o = *bucket_of(t, hash);
    return likely(o && o->hash == hash && table_key(t, o) == key) ? o : *hash_find_place(t, key, hash);
}

#define NEXT_BUCKETS 1000 /* in a round */

NextStep hash_next_key(Table *t, Term key, bool kept, uint64_t *bucket, Area *area, Term *next) {
    uint64_t number = *bucket;
    const Object *found;
    if (number == 0 && is_value(key)) {
        uint32_t hash = hash_key(key);
        number = read_bucket_of(t, hash);
        Object *o = first_with_key(t, key, hash);
        if (!o) {
            hash_unread_bucket(t, number);
            return NEXT_NO_SUCH_KEY;
        }
        unsigned left = LONG_WORK_ROUND;
        for (; o && hash_has_key(t, o, key, hash); left = long_work_step(left, UNITS_TO_STEP))
            o = o->next;
        found = first_of(t, o, kept);
    } else {
        if (!hash_read_bucket(t, number))
            return NEXT_END;
        found = first_of(t, *hash_bucket(t, number), kept);
    }
    for (unsigned n = 0; !found; n++) {
        hash_unread_bucket(t, number);
        *bucket = number = hash_bucket_after(t, number);
        if (n == NEXT_BUCKETS && number != NO_BUCKET)
            return NEXT_ROUND;
        while (number != NO_BUCKET && !hash_read_bucket(t, number))
            number = hash_bucket_after(t, number);
        if (number == NO_BUCKET)
            return NEXT_END;
        found = first_of(t, *hash_bucket(t, number), kept);
    }
    *next = term_copy(table_key(t, found), area);
    hash_unread_bucket(t, number);
    return NEXT_FOUND;
}

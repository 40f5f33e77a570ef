/*
 * Linear hashing: set, bag and duplicate_bag.
 *
 * Bucket of a hash h, with n buckets and 2^k <= n < 2^(k+1): the low k+1 bits of h if that is below n, else the low
 * k. So the table grows from n to n+1 by splitting one bucket, and the buckets b and b + 2^k lie in the same stripe
 * (their number divides 2^k). Buckets lie in segments (ets/segment.h) and never move. When there are fewer, their
 * memory is given back at once: so nobody looks at a bucket before he has seen, with its stripe held, that it is in
 * use.
 *
 * In a bucket the objects of one key stand together, newest first. A traversal that goes from key to key finds its way
 * on from the key where it stands, so while the table is fixed every key that was there keeps a place: the last object
 * of a key that is deleted stays in its bucket, marked (generation 0). The next object of that key takes its place. All
 * are deleted at once by raising the table's generation: those of earlier ones are deleted. What is marked goes after
 * the last unfixing: each stripe has notes of the buckets where there is something, one for each key at most; after all
 * were deleted at once every bucket is looked at. That is done in rounds; meanwhile marked objects are there in a table
 * that is not fixed, which is as good.
 *
 * `generation` and what belongs to sweeping change while the table is held exclusively.
 */
#ifndef VIV_ETS_HASH_H
#define VIV_ETS_HASH_H

#include "ets/table.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/hash.h"

void hash_init(Table *t);
/* When all objects are out. */
void hash_release(Table *t);
/* The order of atoms is the stock runtime's: there are programs that rely on it, without knowing. */
static inline uint32_t hash_key(Term key) {
    if (is_atom(key))
        return atom_name(key)->text_hash;
    uint32_t h = is_small(key) ? hash_ours(0, key) : term_hash(key);
    h ^= h >> 16; /* buckets go by the low bits */
    h *= 0x7feb352du;
    return h ^ h >> 15;
}

void hash_put(Hold *hold, Object *o);
/* As tree_put_plain. */
void hash_put_plain(Hold *hold, Term tuple);
static inline bool hash_is_live(const Table *t, const Object *o) { return o->generation == t->hash.generation; }
/* The first object of the key that is not deleted. */
Object *hash_find(const Table *t, Term key, uint32_t hash);
/* From `o` on, where there may be none of the key. */
Object *hash_live_from(const Table *t, Object *o, Term key, uint32_t hash);
/* Where the objects of the key begin, marked ones among them; the chain's end when there are none. */
Object **hash_find_place(const Table *t, Term key, uint32_t hash);
static inline bool hash_has_key(const Table *t, const Object *o, Term key, uint32_t hash) {
    return o->hash == hash && term_identical(table_key(t, o), key);
}
size_t hash_delete_key(Hold *hold, Term key);
void hash_delete_object(Hold *hold, Term tuple);
/* `new` goes where *place is, which is freed; of the same key. */
void hash_replace_at(Table *t, Object **place, Object *new);
void hash_replace(Hold *hold, Object *old, Object *new);

static inline uint64_t hash_bucket_count(const Table *t) {
    return atomic_load_explicit(&((Table *)t)->hash.bucket_count, memory_order_relaxed);
}
/* Traversals: the chain of a bucket (deleted objects in it), with its stripe held. The bucket is in use: it has been
 * looked for with the stripe held, or the table is fixed. */
Object **hash_bucket(const Table *t, uint64_t number);
/* Takes its stripe. False, and nothing is held: there are no more than so many buckets by now. */
must_check bool hash_read_bucket(Table *t, uint64_t number);
void hash_unread_bucket(Table *t, uint64_t number);
static inline Stripe *hash_bucket_stripe(const Table *t, uint64_t number) {
    return &t->stripes[number & (t->stripe_count - 1)];
}
/* Walks over buckets take those of one stripe after those of another, as stock does. The next one, or NO_BUCKET; of
 * `number` there may be no such bucket any more. */
#define NO_BUCKET UINT64_MAX
static inline uint64_t hash_bucket_after(const Table *t, uint64_t number) {
    if (number + t->stripe_count < hash_bucket_count(t))
        return number + t->stripe_count;
    uint64_t stripe = (number & (t->stripe_count - 1)) + 1;
    return stripe < t->stripe_count ? stripe : NO_BUCKET;
}
/* Takes *place, which is live, out, or marks it when that is needed. True when it is out of the chain (and freed). */
bool hash_remove_at(Table *t, Object **place);
/* Deletes all objects of a fixed table at once. Held exclusively. False: it is not fixed any more, nothing happened. */
must_check bool hash_mark_all(Table *t);
/* Grows or shrinks by one step if that is due; the table's lock is held, no stripe. */
void hash_adjust(Table *t, uint32_t hash);
/* After the last unfixing, lock held exclusively: a round of purging. True: nothing is left to do, or the table is
 * fixed again. */
bool hash_purge_some(Table *t);
/* Takes all objects out, in rounds: nobody else knows the table, or it is deleted. */
bool hash_clear_some(Table *t, int64_t *budget);
/* To be called after `fixed` was raised: waits for a growth that did not see it yet. */
void hash_settle(Table *t);
/* Next key after `key` in bucket order (NON_VALUE: the first), copied into `area`; `kept`: keys of which there are none
 * but deleted objects, too. Holds the lock, no stripe. A search begins with *bucket 0, and goes on with what that was
 * made at NEXT_ROUND; in between the table stays fixed. */
NextStep hash_next_key(Table *t, Term key, bool kept, uint64_t *bucket, Area *area, Term *next);

#endif

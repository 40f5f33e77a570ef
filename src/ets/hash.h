/*
 * Linear hashing: set, bag and duplicate_bag.
 *
 * Bucket of a hash h, with n buckets and 2^k <= n < 2^(k+1): the low k+1 bits of h if that is below n, else the low
 * k. So the table grows from n to n+1 by splitting one bucket, and the buckets b and b + 2^k lie in the same stripe
 * (STRIPES divides 2^k). Segment 0 has `first_buckets`, each further one as many as all before it: buckets never move.
 *
 * In a bucket the objects of one key stand together, newest first. While the table is fixed, deleted objects stay in
 * their bucket, marked, so that a traversal finds its way on from them; the last unfixing purges them.
 */
#ifndef VIV_ETS_HASH_H
#define VIV_ETS_HASH_H

#include "ets/table.h"

void hash_init(Table *t);
/* When all objects are out. */
void hash_release(Table *t);
uint32_t hash_key(Term key);

void hash_put(Hold *hold, Object *o);
/* The first object of the key that is not deleted. */
Object *hash_find(const Table *t, Term key, uint32_t hash);
size_t hash_delete_key(Hold *hold, Term key);
void hash_delete_object(Hold *hold, Term tuple);
void hash_replace(Hold *hold, Object *old, Object *new);

static inline uint64_t hash_bucket_count(const Table *t) {
    return atomic_load_explicit(&((Table *)t)->hash.bucket_count, memory_order_relaxed);
}
/* Traversals: the chain of a bucket (deleted objects in it), with its stripe held. */
Object **hash_bucket(const Table *t, uint64_t number);
static inline Stripe *hash_bucket_stripe(const Table *t, uint64_t number) {
    return &t->stripes[number & (t->stripe_count - 1)];
}
/* Takes *place out, or marks it when the table is fixed. True when it is out of the chain (and freed). */
bool hash_remove_at(Table *t, Object **place);
/* Marks all objects as deleted: what deleting all of a fixed table means. Held exclusively. */
void hash_mark_all(Table *t);
/* Grows or shrinks by one step if that is due; the table's lock is held, no stripe. */
void hash_adjust(Table *t, uint32_t hash);
/* After the last unfixing, lock held exclusively. */
void hash_purge(Table *t);
/* To be called after `fixed` was raised: waits for a growth that did not see it yet. */
void hash_settle(Table *t);
/* Next key after `key` in bucket order; NON_VALUE `key`: the first. False: there is no such key in the table.
 * *next: NON_VALUE at the end. Copies into `area`. Holds the lock, no stripe. */
bool hash_next_key(Table *t, Term key, Area *area, Term *next);

#endif

/*
 * The memory of the buckets of a hash table (ets/hash.h), which comes and goes with their number.
 *
 * Buckets are used from the first on, and the last one is given up first, empty. Segment 0 has `first_buckets`, each
 * further one as many as all before it; one is there while any of its buckets is used. A small one is a block. A large
 * one is pages of the system's: those of SEGMENT_CHUNK buckets count as memory from the first use of one of them, and
 * are given back when all of them are given up. So the longest step is that of a chunk, whatever the segment's size.
 * Where the system gives no pages, a large one is a block, too.
 *
 * The number of buckets in use is under the locks that ets/hash.h names; so is all here.
 */
#ifndef VIV_ETS_SEGMENT_H
#define VIV_ETS_SEGMENT_H

#include "ets/table.h"

#define SEGMENT_CHUNK 16384 /* buckets; a power of two */

static inline unsigned floor_log2(uint64_t n) { return 63 - (unsigned)__builtin_clzll(n); }
/* Where a bucket is, which is not of segment 0. */
static inline unsigned segment_number(const HashTable *h, uint64_t bucket) {
    return floor_log2(bucket / h->first_buckets) + 1;
}
static inline uint64_t segment_size(const HashTable *h, unsigned segment) {
    return segment == 0 ? h->first_buckets : h->first_buckets << (segment - 1);
}
/* The first bucket of the segment in which a bucket is. */
static inline uint64_t segment_start(const HashTable *h, uint64_t bucket) {
    return bucket < h->first_buckets ? 0 : segment_size(h, segment_number(h, bucket));
}
static inline Object **segment_bucket(const HashTable *h, uint64_t bucket) {
    if (likely(bucket < h->first_buckets))
        return &h->segment[0][bucket];
    unsigned segment = segment_number(h, bucket);
    return &h->segment[segment][bucket - segment_size(h, segment)];
}

/* Makes segment 0: its buckets are in use until it is freed. */
void segment_create_first(HashTable *h);
void segment_free_first(HashTable *h);
/* Room for bucket `bucket`, of which all before are in use. False: there are no more. */
bool segment_extend(HashTable *h, uint64_t bucket);
/* Buckets from `bucket` on are in use no more, and empty; there was no other one behind it than those of its chunk. */
void segment_give_up(HashTable *h, uint64_t bucket);

#endif

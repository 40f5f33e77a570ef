/*
 * The records of the map of blocks: an array that grows by chunks and is freed as a whole. What its user must see to
 * stands in alloc/block_map.h; here no map is on or off.
 *
 * Records come in groups of 64, with a word that says which are free. A thread takes all that are free in a group at
 * once, and gives them out in their order, so that what comes together lies together; who gives one back sets a bit,
 * and does not touch the record, which may have left the caches long ago. A group that had no free ones and has now
 * goes to the end of its thread's queue: more will be free when its turn comes. From long queues some go to others,
 * through a pool under a lock.
 *
 * Readers look at the bit, then at the record. Whoever takes records clears them while their bits still say that they
 * are free: so what is in use has been written by who uses it, or is clear.
 */
#ifndef VIV_ALLOC_BLOCK_RECORD_H
#define VIV_ALLOC_BLOCK_RECORD_H

#include "alloc/block_map.h"

typedef struct {
    _Atomic uint32_t version;    /* odd while it is written */
    _Atomic uint32_t born;       /* the epoch in which it came */
    _Atomic uint64_t place;      /* address << 16 | type << 8 | shift; 0: clear */
    _Atomic uint64_t bytes_site; /* bytes << 24 | site */
    _Atomic uint64_t owner;
} BlockRecord;
#define SITE_BITS 24

enum { GROUP = 64, CHUNK_GROUPS = 1024, CHUNK_RECORDS = GROUP * CHUNK_GROUPS, CHUNKS_MAX = 1 << 16 };
#define GROUP_ALL (~(uint64_t)0 >> (64 - GROUP)) /* a bit for each */
typedef struct {
    BlockRecord record[CHUNK_RECORDS];
    _Atomic uint64_t free[CHUNK_GROUPS]; /* of each group, by bits */
    /* Of who has the group in his queue: the next one's number, 0: none. In the pool, of the first of a chain: the
     * next chain's first. */
    uint32_t next[CHUNK_GROUPS], next_chain[CHUNK_GROUPS];
} RecordChunk;
extern _Atomic(RecordChunk *) record_chunks[CHUNKS_MAX];

/* A record's number: its group's, from 1 on, times 64, and its place there. */
static inline RecordChunk *chunk_of(uint32_t number) {
    return atomic_load_explicit(&record_chunks[number / CHUNK_RECORDS], memory_order_acquire);
}
static inline BlockRecord *record_at(uint32_t number) { return &chunk_of(number)->record[number % CHUNK_RECORDS]; }

/* By who has taken it. */
void record_write(BlockRecord *r, const Block *b, uint32_t born);
Block record_copy(const BlockRecord *r);

/* 0: there is none. */
uint32_t records_take(RecordQueue *q);
void records_give(RecordQueue *q, uint32_t number);
void records_give_all(RecordQueue *q);

/* By anybody. Those of the group of `number` that are in use, were born before `before`, and did not change while they
 * were copied: into `to`, how many. */
size_t records_read(uint32_t number, uint32_t before, Block to[GROUP]);

/* While nobody uses any. */
void records_open(uint64_t bytes_allowed);
void records_close(void);

/* Groups from RECORDS_BEGIN on below this exist. */
#define RECORDS_BEGIN GROUP
uint32_t records_end(void);
/* At which rate blocks are to be taken now. */
unsigned records_shift(void);
void records_figures(BlockMapFigures *figures);

#endif

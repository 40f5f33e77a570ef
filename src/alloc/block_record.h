/*
 * The records of the map of blocks: an array that grows by chunks and is freed as a whole. What its user must see to
 * stands in alloc/block_map.h; here no map is on or off.
 */
#ifndef VIV_ALLOC_BLOCK_RECORD_H
#define VIV_ALLOC_BLOCK_RECORD_H

#include "alloc/block_map.h"

typedef struct {
    _Atomic uint32_t version;    /* odd while it is written */
    _Atomic uint32_t born;       /* the epoch in which it came */
    _Atomic uint64_t place;      /* address << 16 | type << 8 | shift; 0: free */
    _Atomic uint64_t bytes_site; /* bytes << 24 | site */
    _Atomic uint64_t owner; /* free: the next free record of the list, and of a batch in the pool the next batch */
} BlockRecord;
#define SITE_BITS 24

enum { CHUNK_SHIFT = 16, CHUNKS_MAX = 1 << 16, BATCH = 256, RECORD_FIRST = BATCH };
extern _Atomic(BlockRecord *) record_chunks[CHUNKS_MAX];

/* Of one that records_take gave, or from RECORD_FIRST on below records_end. */
static inline BlockRecord *record_at(uint32_t number) {
    BlockRecord *chunk = atomic_load_explicit(&record_chunks[number >> CHUNK_SHIFT], memory_order_acquire);
    return &chunk[number & ((1u << CHUNK_SHIFT) - 1)];
}

/* Of its owner. */
void record_write(BlockRecord *r, const Block *b, uint32_t born);
Block record_clear(BlockRecord *r);
/* Of anybody: is it in use, born before `before`, and unchanged while it was copied into `b`? */
bool record_read(const BlockRecord *r, uint32_t before, Block *b);

/* Of a thread's list. take: 0, there is none. */
uint32_t records_take(uint32_t *free, uint32_t *count);
void records_give(uint32_t *free, uint32_t *count, uint32_t number);
void records_give_all(uint32_t *free, uint32_t *count);

/* While nobody uses any. */
void records_open(uint64_t bytes_allowed);
void records_close(void);

uint32_t records_end(void);
/* At which rate blocks are to be taken now. */
unsigned records_shift(void);
void records_figures(BlockMapFigures *figures);

#endif

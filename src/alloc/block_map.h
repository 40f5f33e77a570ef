/*
 * The map of blocks: where each one lies, how large it is, of which type, and who asked for it. Blocks that come while
 * it is on are in it until they go. It is on or off at any time, and read while all threads go on allocating.
 *
 * A block carries nothing. Its record (32 bytes) lies in an array, and the number of the record in the cell of the
 * block's address (alloc/cells.h).
 *
 * Who writes what:
 *   - a record that is in use: the thread that owns the block, when it comes and when it goes. Readers copy it between
 *     two looks at `version`, which is odd while it is written, and leave out what changed meanwhile: it was coming or
 *     going just then.
 *   - free records: alloc/block_record.h.
 *   - start and stop: one at a time, under `switch_lock`; whether it is on, and each piece of reading: under
 *     `turn_lock`, which nobody holds for long, and nobody takes who allocates.
 * Stop frees records and cells under threads that could be in the middle of writing some. Each thread tells by
 * `inside` that it is, with a plain store: whoever stops has the system put a barrier into every thread (membarrier(2))
 * after `block_map_on` is cleared, then waits until each is out, which is some hundred instructions away.
 *
 * A snapshot is the blocks that came before it began and were there, unmoved, when their piece was read. No address is
 * in it twice, and no two blocks of it overlap. For it begins with a new epoch, and a barrier in every thread. A block
 * of an earlier epoch is one whose thread looked at the epoch before its barrier; what lay there before had gone by
 * then, and whoever reads after the barriers sees that it has.
 *
 * Where more records would be needed than were allowed, blocks are sampled: with a rate of 2^shift bytes a block of n
 * bytes is in the map with the probability 1 - exp(-n / 2^shift), as if each byte were drawn alone. Its record keeps
 * the shift of its time, so that whoever adds up can scale (block_weight). Records that could not be had at all are
 * counted, with their bytes.
 *
 * No call here allocates with mem_alloc, or collects garbage. All but start and stop take bounded time.
 */
#ifndef VIV_ALLOC_BLOCK_MAP_H
#define VIV_ALLOC_BLOCK_MAP_H

#include "alloc_types.h"
#include "base/defs.h"

#include <stdatomic.h>

typedef struct {
    const void *address;
    uint64_t bytes;      /* that were asked for */
    uint64_t owner;      /* alloc_owner then */
    uint32_t site;       /* alloc_site then; 0: unknown, or not asked for */
    AllocType type;
    unsigned shift;      /* 0: all were taken */
} Block;

/* Records for the blocks to come: alloc/block_record.h. */
typedef struct {
    uint32_t group;              /* whose free ones are `mine`, by bits */
    uint32_t fresh, fresh_end;   /* groups that nobody has used */
    uint32_t first, last, length; /* groups with free ones */
    uint64_t mine;
    int untold;
} RecordQueue;

/* What a thread has: lies in its set of counters. All zero at first. */
typedef struct BlockMapThread BlockMapThread;
struct BlockMapThread {
    _Atomic uint32_t inside; /* odd: it is; else how often it was */
    uint32_t generation;     /* of the map that the rest is of */
    RecordQueue records;
    unsigned shift;
    double bytes_to_sample;
    uint64_t random;
    BlockMapThread *next, *previous;
};
void block_map_thread_began(BlockMapThread *me);
void block_map_thread_ends(BlockMapThread *me);

/* A hint: who must know asks inside. */
extern _Atomic bool block_map_on;

/* After it was allocated, by who owns it and before anybody else can. */
void block_map_came(BlockMapThread *me, AllocType type, const void *ptr, size_t bytes);
/* Before it is freed. */
void block_map_goes(BlockMapThread *me, const void *ptr);
/* Before it may be freed. True: it had a record, of which `was` is a copy. */
bool block_map_may_go(BlockMapThread *me, const void *ptr, Block *was);
/* It does not go after all: as it was. */
void block_map_stays(BlockMapThread *me, const Block *was);

/* From now on, with at most so many bytes for records (0: a sixteenth of the machine's memory; 1 MB in any case), and
 * with the places in programs where blocks are asked for. False: it is on already, or there is no memory. */
bool block_map_start(uint64_t record_bytes, bool with_sites);
/* False: it is off. May wait for others to get some hundred instructions further. */
bool block_map_stop(void);

/* Begins a snapshot; 0: the map is off. */
uint64_t block_map_snapshot(void);
/* The blocks of records from `*from` on, at most `most` records, a multiple of 64, into `to`, which has room for as
 * many. Returns how many; `*from` is where to go on, 0 at the end. -1: the map that the snapshot was taken of was
 * stopped. */
ptrdiff_t block_map_read(uint64_t snapshot, uint32_t *from, Block *to, size_t most);

/* How many blocks of this size one that was sampled stands for: 1 and more. */
double block_weight(const Block *b);

typedef struct {
    bool is_on;
    uint64_t record_bytes, record_bytes_allowed; /* of records in use and free */
    uint64_t records; /* in use, but for what lies in threads' lists */
    unsigned shift; /* 0: all are taken */
    uint64_t missed_blocks, missed_bytes; /* no record could be had */
} BlockMapFigures;
BlockMapFigures block_map_figures(void);

#endif

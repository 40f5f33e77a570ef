/*
 * A queue of bytes that are kept where they are: parts of reference-counted binaries, oldest first.
 *
 * Large binaries that are put in are shared, small ones are copied into a tail that only the queue sees. One user at a
 * time; what it holds is released by io_queue_release.
 */
#ifndef VIV_BIF_LIBRARY_IO_QUEUE_H
#define VIV_BIF_LIBRARY_IO_QUEUE_H

#include "term/area.h"
#include "term/refc_binary.h"

typedef struct {
    RefcBinary *binary; /* one reference */
    size_t offset, count;
} IoPart;
typedef struct {
    IoPart *parts;
    size_t first, end, capacity; /* parts[first..end) */
    size_t bytes;                /* in all of them */
} IoQueue;

void io_queue_release(IoQueue *q);
/* Is it a list of binaries? */
bool io_queue_is_vector(Term list);
/* Appends a list of binaries. */
void io_queue_add(IoQueue *q, Term vector);
/* Drops `count` bytes (there are as many) at the front. */
void io_queue_skip(IoQueue *q, size_t count);
/* Copies the first `count` bytes; they stay. */
void io_queue_copy(const IoQueue *q, uint8_t *to, size_t count);
/* The first part; only when bytes > 0. */
static inline const IoPart *io_queue_head(const IoQueue *q) { return &q->parts[q->first]; }
static inline const uint8_t *io_part_bytes(const IoPart *part) { return part->binary->bytes + part->offset; }
/* The first part as a binary. */
Term io_queue_head_term(const IoQueue *q, Area *area);

#endif

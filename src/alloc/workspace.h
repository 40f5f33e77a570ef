/*
 * Memory of one piece of work, which goes all at once when that is over: tables of a file that is read, say.
 *
 * A workspace belongs to one thread at a time. Blocks of a size that is usual are kept for the next workspace, a few
 * for the whole runtime: so work that comes again and again touches the same pages, which the system has not to find
 * and clear anew. Who takes a kept block and who gives one back exchanges a slot; nobody waits, and nothing else is
 * shared. Kept blocks are nobody's in the map of memory, and count as `loader`.
 *
 * Under AddressSanitizer each piece is a block of its own, and none is kept.
 */
#ifndef VIV_ALLOC_WORKSPACE_H
#define VIV_ALLOC_WORKSPACE_H

#include "base/defs.h"

typedef struct Workspace {
    struct WorkspaceBlock *blocks; /* NULL, as all of it, at the start: nothing was taken yet */
    uint8_t *at, *end, *fetched;   /* of the first block: what is free; pages were fetched up to there */
} Workspace;

/* 16 bytes aligned, with anything in them; gone with workspace_end. */
void *workspace_take(Workspace *w, size_t bytes) __attribute__((malloc, returns_nonnull, alloc_size(2)));
void *workspace_take_zeroed(Workspace *w, size_t bytes) __attribute__((malloc, returns_nonnull, alloc_size(2)));
/* A table of that workspace of *capacity items, which is full or is not there (NULL, 0): one of at least twice as many
 * with the same items, in the same place if it was the last that was taken. */
void *workspace_grow(Workspace *w, void *table, size_t *capacity, size_t item_bytes) __attribute__((returns_nonnull));
/* All that was taken is gone; *w is empty, and may be used again. */
void workspace_end(Workspace *w);

#endif

/*
 * A cell for each 16 bytes of the address space, of one byte or of four, of which those are in memory that were
 * written: so something can be known of a block by its address, and the block itself carries nothing.
 *
 * Cells belong to whoever owns the bytes: he alone reads and writes them, without order. That is enough, since the
 * bytes go from one owner to the next through an allocator, which orders what both do. A leaf, the cells of 64 MB, is
 * made by whoever first writes there, and stays until cells_close.
 */
#ifndef VIV_ALLOC_CELLS_H
#define VIV_ALLOC_CELLS_H

#include "base/defs.h"

#include <stdatomic.h>

#define CELL_SHIFT 4
#define CELLS_LEAF_SHIFT 26 /* of addresses */
#define CELLS_ADDRESS_BITS 47

#define LEAF_CELLS ((size_t)1 << (CELLS_LEAF_SHIFT - CELL_SHIFT))

typedef struct CellsLeaf CellsLeaf;
struct CellsLeaf {
    CellsLeaf *next; /* in the order in which they were made */
    _Alignas(CACHE_LINE) _Atomic uint8_t cell[];
};
typedef struct {
    unsigned cell_bytes;
    _Atomic(CellsLeaf *) *leaves; /* NULL: closed */
    _Atomic(CellsLeaf *) made;
} Cells;

/* False: no memory for the directory. Nobody else may use `cells` meanwhile, as with cells_close. */
bool cells_open(Cells *cells, unsigned cell_bytes);
void cells_close(Cells *cells);
/* The leaf of `address` is there from now on; NULL: no memory. */
CellsLeaf *cells_make_leaf(Cells *cells, uintptr_t address);

/* Cells of these many bytes that begin with that of `address`. NULL: there is no such leaf. */
static inline void *cells_at(const Cells *cells, const void *ptr, unsigned cell_bytes) {
    uintptr_t address = (uintptr_t)ptr;
    CellsLeaf *leaf = atomic_load_explicit(&cells->leaves[address >> CELLS_LEAF_SHIFT], memory_order_acquire);
    return leaf ? (void *)&leaf->cell[(address >> CELL_SHIFT) % LEAF_CELLS * cell_bytes] : NULL;
}
/* The same, with a new leaf where there is none; NULL: no memory for it. */
static inline void *cells_make(Cells *cells, const void *ptr, unsigned cell_bytes) {
    void *cell = cells_at(cells, ptr, cell_bytes);
    if (likely(cell) || !cells_make_leaf(cells, (uintptr_t)ptr))
        return cell;
    return cells_at(cells, ptr, cell_bytes);
}

/* Cells of four bytes: a number for each. False: there was no memory for it, and nothing is kept. `number` is not 0. */
static inline bool cells_set(Cells *cells, const void *ptr, uint32_t number) {
    _Atomic uint32_t *cell = cells_make(cells, ptr, 4);
    if (unlikely(!cell))
        return false;
    atomic_store_explicit(cell, number, memory_order_relaxed);
    return true;
}

/* What was set, or 0; from now on 0. */
static inline uint32_t cells_take(const Cells *cells, const void *ptr) {
    _Atomic uint32_t *cell = cells_at(cells, ptr, 4);
    uint32_t number = cell ? atomic_load_explicit(cell, memory_order_relaxed) : 0;
    if (number)
        atomic_store_explicit(cell, 0, memory_order_relaxed);
    return number;
}

/* Cells of one byte: a size, of which those from 255 on take four cells more, so the block must be as large: it is, in
 * bytes that are not less than the size. False, and take, as above. */
static inline bool cells_set_size(Cells *cells, const void *ptr, uint32_t size) {
    _Atomic uint8_t *cell = cells_make(cells, ptr, 1);
    if (unlikely(!cell))
        return false;
    atomic_store_explicit(cell, (uint8_t)(size < 255 ? size : 255), memory_order_relaxed);
    for (unsigned i = 0; size >= 255 && i < 4; i++)
        atomic_store_explicit(&cell[1 + i], (uint8_t)(size >> 8 * i), memory_order_relaxed);
    return true;
}
static inline uint32_t cells_take_size(const Cells *cells, const void *ptr) {
    _Atomic uint8_t *cell = cells_at(cells, ptr, 1);
    uint32_t size = cell ? atomic_load_explicit(cell, memory_order_relaxed) : 0;
    if (size)
        atomic_store_explicit(cell, 0, memory_order_relaxed);
    if (likely(size < 255))
        return size;
    size = 0;
    for (unsigned i = 0; i < 4; i++) {
        size |= (uint32_t)atomic_load_explicit(&cell[1 + i], memory_order_relaxed) << 8 * i;
        atomic_store_explicit(&cell[1 + i], 0, memory_order_relaxed);
    }
    return size;
}

#endif

/*
 * A number for each 16 bytes of the address space, of which those are kept in memory that were written: so something
 * can be known of a block by its address, and the block itself carries nothing.
 *
 * A number belongs to whoever owns the 16 bytes: he alone reads and writes it, without order. That is enough, since
 * the bytes go from one owner to the next through an allocator, which orders what both do. A leaf, the numbers of
 * 64 MB, is made by whoever first writes there, and stays until cells_close.
 */
#ifndef VIV_ALLOC_CELLS_H
#define VIV_ALLOC_CELLS_H

#include "base/defs.h"

#include <stdatomic.h>

#define CELL_SHIFT 4
#define CELLS_LEAF_SHIFT 26 /* of addresses */
#define CELLS_ADDRESS_BITS 47

#define LEAF_CELLS ((size_t)1 << (CELLS_LEAF_SHIFT - CELL_SHIFT))

typedef _Atomic uint32_t Cell;
typedef struct CellsLeaf CellsLeaf;
struct CellsLeaf {
    Cell cell[LEAF_CELLS];
    CellsLeaf *next; /* in the order in which they were made */
};
typedef struct {
    _Atomic(CellsLeaf *) *leaves; /* NULL: closed */
    _Atomic(CellsLeaf *) made;
} Cells;

/* False: no memory for the directory. Nobody else may use `cells` meanwhile, as with cells_close. */
bool cells_open(Cells *cells);
void cells_close(Cells *cells);
/* The leaf of `address` is there from now on; NULL: no memory. */
CellsLeaf *cells_make_leaf(Cells *cells, uintptr_t address);

static inline Cell *cell_in(CellsLeaf *leaf, uintptr_t address) {
    return &leaf->cell[(address >> CELL_SHIFT) % LEAF_CELLS];
}

static inline CellsLeaf *cells_leaf(const Cells *cells, uintptr_t address) {
    return atomic_load_explicit(&cells->leaves[address >> CELLS_LEAF_SHIFT], memory_order_acquire);
}

/* False: there was no memory for it, and nothing is kept. `number` is not 0. */
static inline bool cells_set(Cells *cells, const void *ptr, uint32_t number) {
    CellsLeaf *leaf = cells_leaf(cells, (uintptr_t)ptr);
    if (unlikely(!leaf) && !(leaf = cells_make_leaf(cells, (uintptr_t)ptr)))
        return false;
    atomic_store_explicit(cell_in(leaf, (uintptr_t)ptr), number, memory_order_relaxed);
    return true;
}

/* What was set, or 0; from now on 0. */
static inline uint32_t cells_take(const Cells *cells, const void *ptr) {
    CellsLeaf *leaf = cells_leaf(cells, (uintptr_t)ptr);
    Cell *cell = leaf ? cell_in(leaf, (uintptr_t)ptr) : NULL;
    uint32_t number = cell ? atomic_load_explicit(cell, memory_order_relaxed) : 0;
    if (number)
        atomic_store_explicit(cell, 0, memory_order_relaxed);
    return number;
}

#endif

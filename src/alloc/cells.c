#include "alloc/cells.h"

#include "alloc/pages.h"

#define LEAVES ((size_t)1 << (CELLS_ADDRESS_BITS - CELLS_LEAF_SHIFT))

/* A size that begins in the last cell takes four more. */
static size_t leaf_bytes(const Cells *cells) { return sizeof(CellsLeaf) + (LEAF_CELLS + 4) * cells->cell_bytes; }

bool cells_open(Cells *cells, unsigned cell_bytes) {
    cells->cell_bytes = cell_bytes;
    cells->leaves = pages_get(LEAVES * sizeof *cells->leaves);
    atomic_store_explicit(&cells->made, NULL, memory_order_relaxed);
    return cells->leaves != NULL;
}

void cells_close(Cells *cells) {
    CellsLeaf *leaf = atomic_load_explicit(&cells->made, memory_order_acquire);
    while (leaf) {
        CellsLeaf *next = leaf->next;
        pages_release(leaf, leaf_bytes(cells));
        leaf = next;
    }
    pages_release(cells->leaves, LEAVES * sizeof *cells->leaves);
    cells->leaves = NULL;
}

/* Of two who make the same leaf at once, the second takes the first one's. */
CellsLeaf *cells_make_leaf(Cells *cells, uintptr_t address) {
    _Atomic(CellsLeaf *) *place = &cells->leaves[address >> CELLS_LEAF_SHIFT];
    CellsLeaf *made = pages_get(leaf_bytes(cells)), *there = NULL;
    if (!made)
        return atomic_load_explicit(place, memory_order_acquire);
    if (!atomic_compare_exchange_strong_explicit(place, &there, made, memory_order_acq_rel, memory_order_acquire)) {
        pages_release(made, leaf_bytes(cells));
        return there;
    }
    made->next = atomic_load_explicit(&cells->made, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&cells->made, &made->next, made, memory_order_acq_rel,
                                                  memory_order_relaxed))
        ;
    return made;
}

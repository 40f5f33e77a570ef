#include "trace/queue_cells.h"

#include <string.h>

#include "alloc/alloc.h"
#include "process/run_queue.h"

QueueCells *queue_cells_make(_Atomic(QueueCells *) *place, const CellKind *kind) {
    unsigned count = run_queue_count() + 1;
    size_t bytes = sizeof(QueueCells) + count * kind->size;
    QueueCells *cells = mem_alloc_aligned(ALLOC_TRACE, bytes, CACHE_LINE), *seen = NULL;
    memset(cells, 0, bytes);
    cells->kind = kind;
    cells->count = count;
    if (atomic_compare_exchange_strong(place, &seen, cells))
        return cells;
    mem_free(ALLOC_TRACE, cells);
    return seen;
}

void queue_cells_free(QueueCells *cells) {
    for (unsigned i = 0; cells != NULL && i < cells->count; i++)
        cells->kind->clear(queue_cell(cells, i));
    mem_free(ALLOC_TRACE, cells);
}

static void free_later(ProgressNode *node) { queue_cells_free(container_of(node, QueueCells, progress)); }

void queue_cells_put_aside(_Atomic(QueueCells *) *place) {
    QueueCells *old = atomic_exchange(place, NULL);
    if (old == NULL)
        return;
    old->progress.run = free_later;
    thread_progress_later(&old->progress);
}

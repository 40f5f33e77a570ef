/*
 * A cell for each run queue, which only the thread that serves that queue writes, and a last one for all other threads,
 * which take turns by a lock of their own: figures that are written without waiting for anybody.
 *
 * Made when the first figure comes. Whoever begins anew puts all of them aside at once; they are freed after thread
 * progress, for who reads or writes them may still do so. Users may look at shared structures, and keep cells no longer
 * than to their next quiescent point.
 */
#ifndef VIV_TRACE_QUEUE_CELLS_H
#define VIV_TRACE_QUEUE_CELLS_H

#include "base/thread_progress.h"

typedef struct {
    size_t size;             /* of a cell, which begins as zeros */
    void (*clear)(void *);   /* frees what a cell has */
} CellKind;

typedef struct QueueCells {
    ProgressNode progress;
    const CellKind *kind;
    unsigned count;
    char bytes[] __attribute__((aligned(CACHE_LINE)));
} QueueCells;

QueueCells *queue_cells_make(_Atomic(QueueCells *) *place, const CellKind *kind);
void queue_cells_put_aside(_Atomic(QueueCells *) *place);
void queue_cells_free(QueueCells *cells); /* that nobody uses; NULL is none */

static inline QueueCells *queue_cells_at(_Atomic(QueueCells *) *place, const CellKind *kind) {
    QueueCells *cells = atomic_load_explicit(place, memory_order_acquire);
    return likely(cells != NULL) ? cells : queue_cells_make(place, kind);
}

static inline void *queue_cell(const QueueCells *cells, unsigned i) {
    return (void *)(uintptr_t)(cells->bytes + i * cells->kind->size);
}
/* Of the threads that serve no queue. */
static inline void *queue_cell_of_others(const QueueCells *cells) { return queue_cell(cells, cells->count - 1); }

#endif

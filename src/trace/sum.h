/*
 * Sums of calls (the pattern kind BP_SUM): how many, and the sum, the least, the most and the distribution of a value,
 * a row for each key.
 *
 * A CallSum belongs to one pattern, which is one call of trace:function/4: all functions that it names share it, by
 * references of their entries (trace/pattern.h). Its figures are kept as those of trace/cost.h are: a table for each
 * run queue, which only the thread that serves that queue writes, and a last one for all other threads, under a lock. A
 * row is a block of its own that never moves: its key never changes, its figures are atomic words, and who reads them
 * while they are written may see a call in one and not yet in the next. A table of pointers that has grown is freed
 * after thread progress, and so is all that a restart puts aside. Nobody waits for who reads.
 *
 * To compare keys may be long work, after which another thread may serve the queue: so a row is looked for first, and
 * used in a section in which nothing is counted, if the queue is still the caller's. Plain keys (a word, a few words in
 * a tuple) are compared in that section itself.
 *
 * Made, begun anew and dropped by the holder of the code modification permission. Whoever uses one may look at shared
 * structures, and keeps it no longer than to his next quiescent point. Frames on stacks know it by its session and its
 * number (sum_find): it may be gone when they are met.
 */
#ifndef VIV_TRACE_SUM_H
#define VIV_TRACE_SUM_H

#include "heap/kept.h"
#include "process/call_count.h"
#include "trace/queue_cells.h"
#include "trace/session_table.h"

typedef enum {
    KEY_CALLER,
    KEY_PROCESS,
    KEY_NAME,
    KEY_INITIAL_CALL,
    KEY_SCHEDULER,
    KEY_FUNCTION,
    KEY_EXPRESSION, /* the next element of the program's result */
} SumPart;
typedef enum { SUM_ONE, SUM_TIME, SUM_EXPRESSION /* the last element */ } SumValue;

#define SUM_PARTS_MAX 4
#define SUM_ROWS_MAX 100000
typedef struct {
    uint8_t parts;
    bool is_list; /* the key is a list of the parts; otherwise the only one, or NIL */
    SumPart part[SUM_PARTS_MAX];
    SumValue value;
    uint8_t expressions; /* in the key and the value: elements of the program's result, if that is right */
    bool has_histogram, traced_only;
    uint32_t rows; /* of each table */
} SumForm;

typedef struct CallSum {
    _Atomic size_t references; /* must be first */
    TraceSession *session;     /* not counted: who refers to this does */
    int64_t number;
    SumForm form;
    CallCount *count; /* all there is to it, when it has one row and counts; otherwise NULL */
    _Atomic bool is_paused;
    _Atomic(QueueCells *) tables; /* NULL: nothing yet */
    _Atomic(struct CallSum *) next;     /* of the session's */
    ProgressNode progress;
} CallSum;

CallSum *sum_create(TraceSession *session, const SumForm *form); /* with one reference */
void sum_drop(CallSum *sum);                                     /* NULL is none */
void sum_pause(CallSum *sum);
void sum_restart(CallSum *sum);
CallSum *sum_find(const TraceSession *session, int64_t number); /* NULL: it is gone */

/* By the thread that runs the process. The key is copied if it is new. */
void sum_add(CallSum *sum, Term key, int64_t value);
void sum_add_invalid(CallSum *sum);

/* Classes of the histogram: 0 to 7 each for itself, then eight for each power of two; the last has what is below 0. */
#define SUM_CLASSES 473
unsigned sum_class_of(int64_t value);
void sum_class_bounds(unsigned class, int64_t *from, int64_t *to);

/* Merged while they are written. */
typedef struct {
    Term key; /* good as long as the sum is; NON_VALUE: what is beyond the rows of a table */
    uint32_t hash;
    int64_t count, sum, least, most;
    int64_t *classes; /* NULL: none */
    __int128 whole;   /* `sum`, before it is made fit */
} SumRow;
typedef struct {
    SumRow *rows; /* ALLOC_TEMP */
    size_t count;
    SumRow other;
    int64_t invalid;
} SumFigures;
void sum_read(const CallSum *sum, SumFigures *figures);
void sum_figures_release(SumFigures *figures);

#endif

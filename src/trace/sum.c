#include "trace/sum.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "process/run_queue.h"
#include "sys/thread.h"
#include "term/compare.h"
#include "term/hash.h"

/* Written by the table's writer, but for the key, which never changes. */
typedef struct {
    Kept key;
    uint32_t hash;
    _Atomic int64_t count, sum, least, most;
    _Atomic int64_t classes[]; /* SUM_CLASSES, if there is a histogram */
} Row;

/* Open addressing, at most half full. */
typedef struct {
    ProgressNode progress;
    size_t mask;
    _Atomic(Row *) row[];
} Slots;

typedef struct {
    _Atomic(Slots *) slots; /* NULL: none yet */
    _Atomic size_t used;
    _Atomic(Row *) other;
    _Atomic int64_t invalid;
} __attribute__((aligned(CACHE_LINE))) Table;

#define FIRST_SLOTS 8
static Mutex other_threads = MUTEX_INITIALIZER(LOCK_TRACE_SUMS);

static bool is_plain_count(const SumForm *f) {
    return f->parts == 0 && !f->is_list && f->value == SUM_ONE && !f->has_histogram && !f->traced_only;
}

CallSum *sum_create(TraceSession *session, const SumForm *form) {
    static int64_t next_number;
    CallSum *s = mem_calloc(ALLOC_TRACE, sizeof *s);
    atomic_init(&s->references, 1);
    s->session = session;
    s->number = next_number++;
    s->form = *form;
    s->count = is_plain_count(form) ? call_count_create() : NULL;
    atomic_init(&s->next, atomic_load_explicit(&session->sums, memory_order_relaxed));
    atomic_store_explicit(&session->sums, s, memory_order_release);
    return s;
}

CallSum *sum_find(const TraceSession *session, int64_t number) {
    CallSum *s = atomic_load_explicit(&session->sums, memory_order_acquire);
    while (s != NULL && s->number != number)
        s = atomic_load_explicit(&s->next, memory_order_acquire);
    return s;
}

static void row_free(Row *row) {
    if (row == NULL)
        return;
    kept_release(&row->key);
    mem_free(ALLOC_TRACE, row);
}

static void table_clear(void *table) {
    Table *t = table;
    Slots *slots = atomic_load_explicit(&t->slots, memory_order_relaxed);
    for (size_t i = 0; slots != NULL && i <= slots->mask; i++)
        row_free(atomic_load_explicit(&slots->row[i], memory_order_relaxed));
    row_free(atomic_load_explicit(&t->other, memory_order_relaxed));
    mem_free(ALLOC_TRACE, slots);
}

static const CellKind tables = {sizeof(Table), table_clear};

static void free_slots_later(ProgressNode *node) { mem_free(ALLOC_TRACE, container_of(node, Slots, progress)); }

static void free_later(ProgressNode *node) {
    CallSum *s = container_of(node, CallSum, progress);
    queue_cells_free(atomic_load_explicit(&s->tables, memory_order_relaxed));
    mem_free(ALLOC_TRACE, s);
}

static void unlink_sum(CallSum *s) {
    _Atomic(CallSum *) *link = &s->session->sums;
    while (atomic_load_explicit(link, memory_order_relaxed) != s)
        link = &atomic_load_explicit(link, memory_order_relaxed)->next;
    atomic_store_explicit(link, atomic_load_explicit(&s->next, memory_order_relaxed), memory_order_release);
}

void sum_drop(CallSum *s) {
    if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) > 1)
        return;
    unlink_sum(s);
    call_count_drop(s->count);
    s->count = NULL;
    s->progress.run = free_later;
    thread_progress_later(&s->progress);
}

void sum_pause(CallSum *s) {
    atomic_store_explicit(&s->is_paused, true, memory_order_relaxed);
    if (s->count != NULL)
        atomic_store_explicit(&s->count->is_paused, true, memory_order_relaxed);
}

void sum_restart(CallSum *s) {
    queue_cells_put_aside(&s->tables);
    atomic_store_explicit(&s->is_paused, false, memory_order_relaxed);
    if (s->count != NULL)
        call_count_restart(s->count);
}

static int64_t get(const _Atomic int64_t *word) { return atomic_load_explicit(word, memory_order_relaxed); }
static void set(_Atomic int64_t *word, int64_t value) { atomic_store_explicit(word, value, memory_order_relaxed); }

static bool is_at_end(int64_t sum) { return sum == INT64_MIN || sum == INT64_MAX; }

/* Where it would not fit, it stays. */
static int64_t added(int64_t a, int64_t b) {
    int64_t sum;
    if (unlikely(is_at_end(a)))
        return a;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

#define CLASS_OF_NEGATIVE (SUM_CLASSES - 1)
#define SMALLEST_BITS 3 /* what has no more is a class of its own */
unsigned sum_class_of(int64_t value) {
    if (value < 0)
        return CLASS_OF_NEGATIVE;
    if (value < 1 << SMALLEST_BITS)
        return (unsigned)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll((uint64_t)value) - SMALLEST_BITS;
    unsigned class = ((shift + 1) << SMALLEST_BITS) + (unsigned)((value >> shift) & 7);
    return class < CLASS_OF_NEGATIVE ? class : CLASS_OF_NEGATIVE - 1;
}

void sum_class_bounds(unsigned class, int64_t *from, int64_t *to) {
    if (class == CLASS_OF_NEGATIVE) {
        *from = SMALL_MIN;
        *to = -1;
    } else if (class < 1 << SMALLEST_BITS) {
        *from = *to = class;
    } else {
        unsigned shift = (class >> SMALLEST_BITS) - 1;
        *from = (int64_t)(8 + (class & 7)) << shift;
        *to = *from + ((int64_t)1 << shift) - 1;
    }
}

static Row *row_create(const SumForm *form, Term key, uint32_t hash) {
    size_t classes = form->has_histogram ? SUM_CLASSES : 0;
    Row *r = mem_calloc(ALLOC_TRACE, sizeof *r + classes * sizeof r->classes[0]);
    r->key = kept_make(key);
    r->hash = hash;
    atomic_init(&r->least, INT64_MAX);
    atomic_init(&r->most, INT64_MIN);
    return r;
}

/* The count comes last: who sees one sees what is least and most. */
static void row_add(Row *r, const SumForm *form, int64_t value) {
    set(&r->sum, added(get(&r->sum), value));
    if (value < get(&r->least))
        set(&r->least, value);
    if (value > get(&r->most))
        set(&r->most, value);
    if (form->has_histogram) {
        _Atomic int64_t *class = &r->classes[sum_class_of(value)];
        set(class, get(class) + 1);
    }
    atomic_store_explicit(&r->count, get(&r->count) + 1, memory_order_release);
}

/* Keys that are one word, or a small tuple of such, are plain: their hash is a multiplication for each, they are
 * the same when their words are, and none of that is long work. */
#define PLAIN_ARITY_MAX 3
typedef struct {
    Term term;
    uint32_t hash;
    bool is_plain;
} Key;

/* Not floats: there are two zeros. */
static bool is_word(Term t) { return is_small(t) || term_tag(t) == TAG_IMMEDIATE; }

static bool hash_plainly(Term t, uint32_t *hash) {
    *hash = hash_ours(0, t);
    if (likely(is_word(t)))
        return true;
    if (!is_tuple(t) || tuple_arity(t) > PLAIN_ARITY_MAX)
        return false;
    *hash = (uint32_t)tuple_arity(t);
    for (const Term *e = tuple_elements(t), *end = e + tuple_arity(t); e < end; e++) {
        if (!is_word(*e))
            return false;
        *hash = hash_ours(*hash, *e);
    }
    return true;
}

static Key key_of(Term term) {
    Key key = {.term = term};
    key.is_plain = hash_plainly(term, &key.hash);
    if (!key.is_plain)
        key.hash = term_hash(term);
    return key;
}

static bool is_same_plainly(Term there, Term key) {
    if (there == key || !is_pointer(key))
        return there == key;
    size_t arity = tuple_arity(key);
    if (!is_tuple_arity(there, arity))
        return false;
    const Term *a = tuple_elements(there), *b = tuple_elements(key);
    for (size_t i = 0; i < arity; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool is_key(const Row *r, const Key *key) {
    if (r->hash != key->hash)
        return false;
    return key->is_plain ? is_same_plainly(kept_term(&r->key), key->term)
                         : term_identical(kept_term(&r->key), key->term);
}

/* NULL: there is none. */
static Row *find(const Slots *slots, const Key *key) {
    for (size_t i = key->hash; slots != NULL; i++) {
        Row *r = atomic_load_explicit(&slots->row[i & slots->mask], memory_order_acquire);
        if (r == NULL || is_key(r, key))
            return r;
    }
    return NULL;
}

static void put(Slots *slots, Row *row) {
    size_t i = row->hash;
    while (atomic_load_explicit(&slots->row[i & slots->mask], memory_order_relaxed) != NULL)
        i++;
    atomic_store_explicit(&slots->row[i & slots->mask], row, memory_order_release);
}

/* Rows at most. */
static size_t slots_hold(const Slots *slots) { return (slots->mask + 1) / 2; }

static Slots *grown(const Slots *from) {
    size_t count = from != NULL ? 2 * (from->mask + 1) : FIRST_SLOTS;
    Slots *to = mem_calloc(ALLOC_TRACE, sizeof *to + count * sizeof to->row[0]);
    to->mask = count - 1;
    for (size_t i = 0; from != NULL && i <= from->mask; i++) {
        Row *r = atomic_load_explicit(&from->row[i], memory_order_relaxed);
        if (r != NULL)
            put(to, r);
    }
    return to;
}

static void insert(Table *t, Row *row) {
    Slots *slots = atomic_load_explicit(&t->slots, memory_order_relaxed);
    size_t used = atomic_load_explicit(&t->used, memory_order_relaxed);
    if (slots == NULL || used >= slots_hold(slots)) {
        Slots *old = slots;
        slots = grown(old);
        atomic_store_explicit(&t->slots, slots, memory_order_release);
        if (old != NULL) {
            old->progress.run = free_slots_later;
            thread_progress_later(&old->progress);
        }
    }
    put(slots, row);
    atomic_store_explicit(&t->used, used + 1, memory_order_release);
}

static Table *table_here(CallSum *s, const RunQueue *rq) {
    const QueueCells *cells = queue_cells_at(&s->tables, &tables);
    return rq != NULL ? queue_cell(cells, rq->index) : queue_cell_of_others(cells);
}

typedef struct {
    CallSum *sum;
    Table *table;
    size_t used; /* what it had when `row` was looked for */
    Row *row;    /* that is there, or NULL */
    Row *made;   /* to be put there; its own, until it is */
    bool has_key; /* what was made: it is no row for what is beyond a table's rows */
    int64_t value;
} Adding;

/* By the table's writer. False: it has changed since. */
static bool add(Adding *a) {
    Row *row = a->row;
    if (row == NULL) {
        if (atomic_load_explicit(&a->table->used, memory_order_relaxed) != a->used)
            return false;
        if (a->used < a->sum->form.rows) {
            insert(a->table, row = a->made);
        } else {
            row = atomic_load_explicit(&a->table->other, memory_order_relaxed);
            if (row == NULL)
                atomic_store_explicit(&a->table->other, row = a->made, memory_order_release);
        }
        if (row == a->made)
            a->made = NULL;
    }
    race_window("a row is there, and nothing counted in it");
    row_add(row, &a->sum->form, a->value);
    return true;
}

/* False: the queue is another thread's by now, or the table has changed. */
static bool add_as_writer(Adding *a, const RunQueue *rq) {
    LONG_WORK_FORBID;
    if (unlikely(run_queue_self() != rq))
        return false;
    if (likely(rq != NULL))
        return add(a);
    mutex_lock(&other_threads);
    bool done = add(a);
    mutex_unlock(&other_threads);
    return done;
}

/* Beyond the rows no key is kept. What was made for another table may not be what this one needs. */
static void make_row(Adding *a, const Key *key) {
    bool has_key = a->used < a->sum->form.rows;
    if (a->row != NULL || (a->made != NULL && a->has_key == has_key))
        return;
    row_free(a->made);
    a->made = NULL;
    if (!has_key && atomic_load_explicit(&a->table->other, memory_order_relaxed) != NULL)
        return;
    a->made = row_create(&a->sum->form, has_key ? key->term : NIL, key->hash);
    a->has_key = has_key;
}

/* What most calls are. False: nothing is done. */
static bool add_where_it_is(CallSum *s, const Key *key, int64_t value) {
    LONG_WORK_FORBID;
    const RunQueue *rq = run_queue_self();
    const QueueCells *cells = atomic_load_explicit(&s->tables, memory_order_acquire);
    if (rq == NULL || cells == NULL)
        return false;
    const Table *table = queue_cell(cells, rq->index);
    Row *row = find(atomic_load_explicit(&table->slots, memory_order_relaxed), key);
    if (row != NULL)
        row_add(row, &s->form, value);
    return row != NULL;
}

static void add_anywhere(CallSum *s, const Key *key, int64_t value) {
    Adding a = {.sum = s, .value = value};
    const RunQueue *rq;
    do {
        rq = run_queue_self();
        a.table = table_here(s, rq);
        a.used = atomic_load_explicit(&a.table->used, memory_order_acquire);
        a.row = find(atomic_load_explicit(&a.table->slots, memory_order_acquire), key);
        make_row(&a, key);
    } while (unlikely(!add_as_writer(&a, rq)));
    row_free(a.made);
}

void sum_add(CallSum *s, Term key, int64_t value) {
    Key k = key_of(key);
    if (!k.is_plain || unlikely(!add_where_it_is(s, &k, value)))
        add_anywhere(s, &k, value);
}

void sum_add_invalid(CallSum *s) {
    atomic_fetch_add_explicit(&table_here(s, run_queue_self())->invalid, 1, memory_order_relaxed);
}

/* Beyond what tables that are not at an end can add up to. */
#define BEYOND ((__int128)1 << 100)

/* Of tables: so long as none is at an end, it may leave the 64 bits and come back. */
static __int128 joined(__int128 whole, int64_t sum) {
    if (whole >= BEYOND || whole <= -BEYOND)
        return whole;
    return sum == INT64_MAX ? BEYOND : sum == INT64_MIN ? -BEYOND : whole + sum;
}

static int64_t clipped(__int128 whole) {
    return whole > INT64_MAX ? INT64_MAX : whole < INT64_MIN ? INT64_MIN : (int64_t)whole;
}

/* Of one that counts nothing yet there are none. */
static int64_t count_of(const Row *r) { return atomic_load_explicit(&r->count, memory_order_acquire); }

/* `count` was read first. */
static void merge_figures(SumRow *to, const Row *r, int64_t count, bool has_histogram) {
    int64_t least = get(&r->least), most = get(&r->most);
    to->count += count;
    to->whole = joined(to->whole, get(&r->sum));
    to->sum = clipped(to->whole);
    if (to->least > least)
        to->least = least;
    if (to->most < most)
        to->most = most;
    if (!has_histogram)
        return;
    if (to->classes == NULL)
        to->classes = mem_calloc(ALLOC_TEMP, SUM_CLASSES * sizeof *to->classes);
    for (unsigned i = 0; i < SUM_CLASSES; i++)
        to->classes[i] += get(&r->classes[i]);
}

static SumRow row_of(Term key, uint32_t hash) {
    return (SumRow){.key = key, .hash = hash, .least = INT64_MAX, .most = INT64_MIN};
}

/* Of all tables, by key: an index beside the rows, of their numbers plus one. */
typedef struct {
    SumFigures *figures;
    uint32_t *index;
    size_t mask;
} Merge;

static SumRow *merged_row(const Merge *m, const Row *r) {
    SumFigures *f = m->figures;
    size_t i = r->hash & m->mask;
    for (; m->index[i] != 0; i = (i + 1) & m->mask) {
        SumRow *there = &f->rows[m->index[i] - 1];
        if (there->hash == r->hash && term_identical(there->key, kept_term(&r->key)))
            return there;
    }
    f->rows[f->count] = row_of(kept_term(&r->key), r->hash);
    m->index[i] = (uint32_t)++f->count;
    return &f->rows[f->count - 1];
}

#define UNITS_OF_ROW 60 /* of long work */

static void merge_slots(Merge *m, const Slots *slots, bool has_histogram) {
    for (size_t i = 0; slots != NULL && i <= slots->mask; i++) {
        const Row *r = atomic_load_explicit(&slots->row[i], memory_order_acquire);
        int64_t count = r != NULL ? count_of(r) : 0;
        if (count == 0)
            continue;
        merge_figures(merged_row(m, r), r, count, has_histogram);
        long_work_count(UNITS_OF_ROW + (has_histogram ? SUM_CLASSES : 0));
    }
}

static void merge_apart(SumFigures *f, const Table *t, bool has_histogram) {
    const Row *other = atomic_load_explicit(&t->other, memory_order_acquire);
    int64_t count = other != NULL ? count_of(other) : 0;
    f->invalid += get(&t->invalid);
    if (count != 0)
        merge_figures(&f->other, other, count, has_histogram);
}

/* What each table's rows lie in at first is read, and there is room for all that it may come to hold: of the rows that
 * come meanwhile some are seen, and take nobody's place. */
static void merge_all(const QueueCells *cells, SumFigures *f, bool has_histogram) {
    const Slots **all = mem_alloc(ALLOC_TEMP, cells->count * sizeof *all);
    size_t rows = 0, size = 1;
    for (unsigned i = 0; i < cells->count; i++) {
        all[i] = atomic_load_explicit(&((Table *)queue_cell(cells, i))->slots, memory_order_acquire);
        rows += all[i] != NULL ? slots_hold(all[i]) : 0;
    }
    while (size < 2 * rows + 1)
        size *= 2;
    Merge m = {f, mem_calloc(ALLOC_TEMP, size * sizeof(uint32_t)), size - 1};
    f->rows = mem_alloc(ALLOC_TEMP, (rows + 1) * sizeof *f->rows);
    for (unsigned i = 0; i < cells->count; i++) {
        merge_slots(&m, all[i], has_histogram);
        merge_apart(f, queue_cell(cells, i), has_histogram);
    }
    mem_free(ALLOC_TEMP, m.index);
    mem_free(ALLOC_TEMP, all);
}

void sum_read(const CallSum *s, SumFigures *f) {
    *f = (SumFigures){.other = row_of(NON_VALUE, 0)};
    if (s->count != NULL) {
        int64_t count = call_count_read(s->count);
        f->rows = mem_alloc(ALLOC_TEMP, sizeof *f->rows);
        f->rows[0] = (SumRow){.key = NIL, .count = count, .sum = count, .least = 1, .most = 1};
        f->count = count != 0;
        return;
    }
    const QueueCells *cells = atomic_load_explicit(&s->tables, memory_order_acquire);
    if (cells != NULL)
        merge_all(cells, f, s->form.has_histogram);
}

void sum_figures_release(SumFigures *f) {
    for (size_t i = 0; i < f->count; i++)
        mem_free(ALLOC_TEMP, f->rows[i].classes);
    mem_free(ALLOC_TEMP, f->other.classes);
    mem_free(ALLOC_TEMP, f->rows);
}

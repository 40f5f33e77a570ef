#include "ets/count.h"

/* Relaxed, or so that who sees it sees what was stored before. */
static void add(Stripe *s, Counts by, memory_order order) {
    int64_t objects = atomic_load_explicit(&s->objects, memory_order_relaxed);
    int64_t words = atomic_load_explicit(&s->words, memory_order_relaxed);
    atomic_store_explicit(&s->objects, objects + by.objects, order);
    atomic_store_explicit(&s->words, words + by.words, order);
}

/* For the first time in this moment? Then what was counted before stays to be seen. */
static void add_now(Table *t, Stripe *s, Counts by) {
    uint64_t moment = atomic_load_explicit(&t->moment, memory_order_acquire);
    if (unlikely(atomic_load_explicit(&s->moment, memory_order_relaxed) != moment)) {
        Earlier *earlier = &t->earlier[s - t->stripes];
        int64_t objects = atomic_load_explicit(&s->objects, memory_order_relaxed);
        int64_t words = atomic_load_explicit(&s->words, memory_order_relaxed);
        atomic_store_explicit(&earlier->objects, objects, memory_order_relaxed);
        atomic_store_explicit(&earlier->words, words, memory_order_relaxed);
        atomic_store_explicit(&s->moment, moment, memory_order_release);
    }
    add(s, by, memory_order_release);
}

/* By leaves' writers, who may be several. */
static void count_in_tree(Table *t, Counts by) {
    Stripe *s = table_stripe(t, table_lock_thread());
    if (!t->shares_writes) {
        add(s, by, memory_order_relaxed);
    } else if (t->stripe_count == 1) {
        atomic_fetch_add_explicit(&s->objects, by.objects, memory_order_relaxed);
        atomic_fetch_add_explicit(&s->words, by.words, memory_order_relaxed);
    } else {
        fair_lock_write(&s->lock, &t->name); /* threads may share one */
        add_now(t, s, by);
        fair_lock_end_write(&s->lock);
    }
}

void table_count(Table *t, uint32_t hash, Counts by) {
    if (table_is_tree(t))
        count_in_tree(t, by);
    else if (t->stripe_count == 1)
        add(t->stripes, by, memory_order_relaxed);
    else
        add_now(t, table_stripe(t, hash), by);
}

void table_count_gone(Table *t, const Object *o) {
    Counts counts = {0};
    counts_add(&counts, o, -1);
    add(table_is_tree(t) ? t->stripes : table_stripe(t, o->hash), counts, memory_order_relaxed);
}

typedef enum { OBJECTS, WORDS } What;
static inline _Atomic int64_t *counted(Stripe *s, What what) { return what == WORDS ? &s->words : &s->objects; }
static inline _Atomic int64_t *counted_earlier(Earlier *e, What what) {
    return what == WORDS ? &e->words : &e->objects;
}

force_inline int64_t sum_at_rest(const Table *t, What what) {
    int64_t sum = 0;
    for (unsigned i = 0; i < t->stripe_count; i++)
        sum += atomic_load_explicit(counted(&t->stripes[i], what), memory_order_relaxed);
    return sum;
}

/* The count is read first: if it is of this moment, so is the stripe's `moment`, which was stored before it. */
force_inline int64_t count_before(const Table *t, unsigned i, uint64_t moment, What what) {
    Stripe *s = &t->stripes[i];
    int64_t count = atomic_load_explicit(counted(s, what), memory_order_acquire);
    if (atomic_load_explicit(&s->moment, memory_order_acquire) != moment)
        return count;
    return atomic_load_explicit(counted_earlier(&t->earlier[i], what), memory_order_relaxed);
}

force_inline int64_t sum_now(Table *t, What what) {
    if (t->stripe_count == 1 || fair_lock_alone) /* one number, or nobody counts meanwhile */
        return sum_at_rest(t, what);
    int64_t sum = 0;
    mutex_lock(&t->counting); /* one moment after the other: what the last left in `earlier` is still needed */
    uint64_t moment = atomic_fetch_add_explicit(&t->moment, 1, memory_order_release) + 1;
    table_lock_pass(&t->lock);
    for (unsigned i = 0; i < t->stripe_count; i++)
        sum += count_before(t, i, moment, what);
    mutex_unlock(&t->counting);
    return sum;
}

int64_t table_objects(Table *t) { return sum_now(t, OBJECTS); }
int64_t table_object_words(Table *t) { return sum_now(t, WORDS); }
int64_t table_objects_at_rest(const Table *t) { return sum_at_rest(t, OBJECTS); }
int64_t table_object_words_at_rest(const Table *t) { return sum_at_rest(t, WORDS); }

#include "ets/count.h"

static void count_shared(Stripe *s, int64_t objects, int64_t words) {
    atomic_fetch_add_explicit(&s->objects, objects, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->words, words, memory_order_relaxed);
}

void table_count(Table *t, const Object *o, int by) {
    if (table_is_tree(t) && t->shares_writes) {
        count_shared(table_stripe(t, table_lock_thread()), by, by * (int64_t)object_memory(o));
        return;
    }
    Stripe *s = table_stripe(t, table_is_tree(t) ? 0 : o->hash);
    int64_t objects = atomic_load_explicit(&s->objects, memory_order_relaxed);
    int64_t words = atomic_load_explicit(&s->words, memory_order_relaxed);
    atomic_store_explicit(&s->objects, objects + by, memory_order_relaxed);
    atomic_store_explicit(&s->words, words + by * (int64_t)object_memory(o), memory_order_relaxed);
}

int64_t table_object_count(const Table *t) {
    int64_t sum = 0;
    for (unsigned i = 0; i < t->stripe_count; i++)
        sum += atomic_load_explicit(&t->stripes[i].objects, memory_order_relaxed);
    return sum;
}

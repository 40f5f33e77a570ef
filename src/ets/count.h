/*
 * How many objects a table has, and how many words they take, at one moment: no size is told that never was.
 *
 * Each stripe counts its own (struct Stripe says which, and under which lock); who asks for the sum holds up no writer.
 * Moments have numbers: who asks begins a new one. A writer leaves the counts of his stripe as they were in
 * Table.earlier before he counts for the first time in a moment, and then says so in the stripe's `moment`. So who asks
 * finds of each stripe what had been counted before his moment, whoever goes on counting.
 *
 * That is a size the table had. To begin a moment is to raise the number and then to pass through all slots of the
 * table's lock (table_lock_pass). Who comes to the table after that counts in the new moment, or in a later one. Who
 * had come before and is not yet through counts in the old one or the new one, is seen or not, and is taken for earlier
 * or later than the moment. What has been done when he comes is seen: so whatever is taken for earlier has nothing
 * before it that is not. For that, who changes more than one stripe or leaf in one go passes his own slot between them
 * (table_lock_pass_own), and what others see as one change is counted as one.
 * test/model/m_count.c tries all executions.
 */
#ifndef VIV_ETS_COUNT_H
#define VIV_ETS_COUNT_H

#include "ets/table.h"

typedef struct {
    int64_t objects, words;
} Counts;

/* An object has come (1) or gone (-1). */
static inline void counts_add(Counts *c, const Object *o, int by) {
    c->objects += by;
    c->words += by * (int64_t)object_memory(o);
}

/* With what the objects lie in held for writing (the stripe of the hash, the leaf, or the table): once for each change
 * that others see as one. */
void table_count(Table *t, uint32_t hash, Counts by);
static inline void table_count_one(Table *t, uint32_t hash, const Object *o, int by) {
    Counts counts = {0};
    counts_add(&counts, o, by);
    table_count(t, hash, counts);
}
/* An object has gone from a table that nobody else comes to; takes no lock, which dirty threads must not
 * (ets/fair_lock.h). */
void table_count_gone(Table *t, const Object *o);
/* At one moment; the table is held, no stripe, no leaf. */
int64_t table_objects(Table *t);
int64_t table_object_words(Table *t);
/* While nobody writes: it is held exclusively, deleted, or not known to anybody yet. */
int64_t table_objects_at_rest(const Table *t);
int64_t table_object_words_at_rest(const Table *t);

#endif

/*
 * How many objects a table has, and how many words they take: counted in its stripes (struct Stripe says who may), read
 * by anyone.
 */
#ifndef VIV_ETS_COUNT_H
#define VIV_ETS_COUNT_H

#include "ets/table.h"

/* An object has come (1) or gone (-1). */
void table_count(Table *t, const Object *o, int by);
int64_t table_object_count(const Table *t);

#endif

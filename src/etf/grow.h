/* Stacks of the two directions: the first items lie in who has them, more on the C heap. */
#ifndef VIV_ETF_GROW_H
#define VIV_ETF_GROW_H

#include "base/defs.h"

/* Room for twice as many: where they are now. `fixed`: where they were at first. */
void *etf_grow(void *items, const void *fixed, size_t *capacity, size_t item_bytes);

#endif

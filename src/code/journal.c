#include "code/journal.h"

#include "alloc/alloc.h"

void *journal_add(Journal *j, size_t item_bytes) {
    if (j->count == j->capacity) {
        j->capacity = j->capacity == 0 ? 64 : 2 * j->capacity;
        j->items = mem_realloc(ALLOC_MODULE, j->items, j->capacity * item_bytes);
    }
    return (char *)j->items + j->count++ * item_bytes;
}

/* What one large publication needed is not kept for ever. */
#define CAPACITY_KEPT 16384

void journals_turn(Journal journals[2]) {
    Journal oldest = journals[1];
    oldest.count = 0;
    if (oldest.capacity > CAPACITY_KEPT) {
        mem_free(ALLOC_MODULE, oldest.items);
        oldest = (Journal){0};
    }
    journals[1] = journals[0];
    journals[0] = oldest;
}

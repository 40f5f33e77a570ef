#include "etf/encode_parts.h"

#include <string.h>

#include "alloc/alloc.h"

void etf_items_grow(EtfEncoder *e) {
    size_t bytes = 2 * e->item_capacity * sizeof(EtfItem);
    if (e->items == e->fixed_items) {
        e->items = mem_alloc(ALLOC_TEMP, bytes);
        memcpy(e->items, e->fixed_items, sizeof e->fixed_items);
    } else {
        e->items = mem_realloc(ALLOC_TEMP, e->items, bytes);
    }
    e->item_capacity *= 2;
}

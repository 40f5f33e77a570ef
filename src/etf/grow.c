#include "etf/grow.h"

#include "alloc/alloc.h"
#include "base/long_work.h"

#include <string.h>

void *etf_grow(void *items, const void *fixed, size_t *capacity, size_t item_bytes) {
    size_t before = *capacity * item_bytes;
    *capacity *= 2;
    long_work_count_large(2 * before / WORD_BYTES, 1);
    if (items != fixed)
        return mem_realloc(ALLOC_TEMP, items, 2 * before);
    return memcpy(mem_alloc(ALLOC_TEMP, 2 * before), fixed, before);
}

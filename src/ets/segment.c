#include "ets/segment.h"

#include "alloc/alloc.h"
#include "base/fault.h"

#include <sys/mman.h>

#define CHUNK_BYTES (SEGMENT_CHUNK * sizeof(Object *))

static bool is_mapped(const HashTable *h, unsigned segment) { return h->mapped >> segment & 1; }

/* NULL: the system gives none. */
static Object **map(uint64_t size) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (fault_now(FAULT_MMAP))
        return NULL;
    void *pages = mmap(NULL, size * sizeof(Object *), PROT_READ | PROT_WRITE, flags, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void create(HashTable *h, unsigned segment) {
    uint64_t size = segment_size(h, segment);
    Object **pages = segment == 0 || size < SEGMENT_CHUNK ? NULL : map(size);
    h->segment[segment] = pages ? pages : mem_calloc(ALLOC_ETS_TABLE, size * sizeof(Object *));
    h->mapped |= (uint64_t)(pages != NULL) << segment;
}

static void free_segment(HashTable *h, unsigned segment) {
    if (is_mapped(h, segment))
        munmap(h->segment[segment], segment_size(h, segment) * sizeof(Object *));
    else
        mem_free(ALLOC_ETS_TABLE, h->segment[segment]);
    h->segment[segment] = NULL;
    h->mapped &= ~((uint64_t)1 << segment);
}

void segment_create_first(HashTable *h) { create(h, 0); }
void segment_free_first(HashTable *h) { free_segment(h, 0); }

static Object **bucket_place(const HashTable *h, uint64_t bucket) {
    unsigned segment = segment_number(h, bucket);
    return h->segment[segment] + (bucket - segment_size(h, segment));
}

bool segment_extend(HashTable *h, uint64_t bucket) {
    unsigned segment = segment_number(h, bucket);
    if (segment >= SEGMENTS_MAX || bucket > UINT32_MAX)
        return false;
    if (!h->segment[segment])
        create(h, segment);
    if (bucket % SEGMENT_CHUNK == 0 && is_mapped(h, segment))
        mem_count_mapped(ALLOC_ETS_TABLE, bucket_place(h, bucket), CHUNK_BYTES);
    return true;
}

void segment_give_up(HashTable *h, uint64_t bucket) {
    unsigned segment = segment_number(h, bucket);
    Object **place = bucket_place(h, bucket);
    if (bucket % SEGMENT_CHUNK == 0 && is_mapped(h, segment)) {
        mem_count_unmapped(ALLOC_ETS_TABLE, place, CHUNK_BYTES);
        /* Where it fails, the pages stay for a while: they are all zero, as new ones. */
        if (place > h->segment[segment] && !fault_now(FAULT_MMAP))
            madvise(place, CHUNK_BYTES, MADV_DONTNEED);
    }
    if (place == h->segment[segment])
        free_segment(h, segment);
}

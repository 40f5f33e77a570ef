/*
 * Typed allocation: every block says what it is for, and the answer to "where is the memory" is a table over those
 * types.
 *
 * Types come from alloc/types.tab (enum AllocType, ALLOC_<NAME>). Under them lies one general allocator. No call
 * returns NULL: when memory is out, one line with the type and the size asked for goes to standard error and the
 * runtime exits. All calls may be made from any thread, hold no lock, and never collect garbage. A block is freed with
 * the type it was allocated with. Counters are per thread and summed on demand (alloc_sum).
 */
#ifndef VIV_ALLOC_ALLOC_H
#define VIV_ALLOC_ALLOC_H

#include "alloc_types.h" /* generated: enum AllocType, ALLOC_TYPE_COUNT */
#include "base/defs.h"

void *mem_alloc(AllocType type, size_t bytes) __attribute__((malloc, returns_nonnull, alloc_size(2)));
void *mem_calloc(AllocType type, size_t bytes) __attribute__((malloc, returns_nonnull, alloc_size(2)));
/* For what must not share a cache line: `alignment` is a power of two. The others align to 16 bytes. */
void *mem_alloc_aligned(AllocType type, size_t bytes, size_t alignment) __attribute__((malloc, returns_nonnull));
/* `ptr` may be NULL (then it is mem_alloc). */
void *mem_realloc(AllocType type, void *ptr, size_t bytes) __attribute__((returns_nonnull));
/* For sizes that come from outside and may be beyond all memory: NULL then, and `ptr` is as it was. */
void *mem_try_alloc(AllocType type, size_t bytes);
void *mem_try_calloc(AllocType type, size_t bytes);
void *mem_try_realloc(AllocType type, void *ptr, size_t bytes);
/* As mem_try_alloc, for native libraries: what they find in a block before they write there is not zero in its first
 * word. It never is in the stock runtime, and there are libraries that live by that. */
void *mem_try_alloc_foreign(AllocType type, size_t bytes);
/* `ptr` may be NULL (then nothing happens). */
void mem_free(AllocType type, void *ptr);
/* Memory that the caller got from the system itself counts too: one block more, after it has come, or less, before it
 * goes. */
void mem_count_mapped(AllocType type, const void *start, size_t bytes);
void mem_count_unmapped(AllocType type, const void *start, size_t bytes);

typedef enum {
    CLASS_PROCESSES,
    CLASS_SYSTEM,
    CLASS_ATOM,
    CLASS_BINARY,
    CLASS_CODE,
    CLASS_ETS,
    ALLOC_CLASS_COUNT
} AllocClass;
typedef struct {
    const char *name;
    AllocClass class;
    const char *description;
} AllocTypeInfo;
extern const AllocTypeInfo alloc_type_info[ALLOC_TYPE_COUNT];

/* Bytes and blocks now held under a type, summed over the threads; a snapshot, not an instant. */
typedef struct {
    int64_t bytes, blocks;
    int64_t slack;                   /* of the bytes, those that nobody asked for; 0 unless maxima are kept */
    int64_t page_bytes, page_blocks; /* of both, those that mem_count_mapped told of */
} AllocSum;
AllocSum alloc_sum(AllocType type);

#endif

/* The general allocator under the typed one: mimalloc, and the C library's under sanitizers. */
#ifndef VIV_ALLOC_GENERAL_H
#define VIV_ALLOC_GENERAL_H

#include "alloc/alloc.h"

/* Says so, and ends the program. */
_Noreturn void out_of_memory(AllocType type, size_t bytes);

#ifdef VIV_SANITIZE
#include <malloc.h>
#include <stdlib.h>
#define raw_malloc malloc
#define raw_calloc(bytes) calloc(1, bytes)
#define raw_malloc_aligned(bytes, alignment) aligned_alloc(alignment, ((bytes) + (alignment) - 1) & ~((alignment) - 1))
#define raw_realloc realloc
#define raw_free free
#define raw_size malloc_usable_size
#else
#include <mimalloc.h>
#define raw_malloc mi_malloc
#define raw_calloc(bytes) mi_zalloc(bytes)
#define raw_malloc_aligned mi_malloc_aligned
#define raw_realloc mi_realloc
#define raw_free mi_free
#define raw_size mi_usable_size
#endif

#endif

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
#define raw_keep_pages(milliseconds) ((void)0)
#else
#include <mimalloc.h>
/* It aligns blocks of up to 8 bytes to 8; ours are aligned to 16, all of them. */
static inline size_t raw_bytes(size_t bytes) { return bytes > 8 ? bytes : 16; }
#define raw_malloc(bytes) mi_malloc(raw_bytes(bytes))
#define raw_calloc(bytes) mi_zalloc(raw_bytes(bytes))
#define raw_malloc_aligned mi_malloc_aligned
#define raw_realloc(ptr, bytes) mi_realloc(ptr, raw_bytes(bytes))
#define raw_free mi_free
#define raw_size mi_usable_size
/* So long free pages stay before the system gets them, unless the environment says otherwise. */
#if MI_MALLOC_VERSION < 210
#define raw_keep_pages(milliseconds) mi_option_set_default(mi_option_decommit_delay, milliseconds)
#else
#define raw_keep_pages(milliseconds) mi_option_set_default(mi_option_purge_delay, milliseconds)
#endif
#endif

#endif

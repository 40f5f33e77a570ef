/*
 * Pages from the system for what watches the allocator, which cannot ask the allocator itself. All zero, and in memory
 * only when touched; NULL where there are none.
 */
#ifndef VIV_ALLOC_PAGES_H
#define VIV_ALLOC_PAGES_H

#include "base/defs.h"
#include "base/fault.h"

#include <errno.h>
#include <sys/mman.h>

static inline void *pages_get(size_t bytes) {
    int error = errno;
    void *pages = MAP_FAILED;
    if (!fault_now(FAULT_MMAP))
        pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = error;
    return pages == MAP_FAILED ? NULL : pages;
}

static inline void pages_release(void *pages, size_t bytes) {
    if (pages)
        munmap(pages, bytes);
}

#endif

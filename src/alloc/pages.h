/*
 * Pages of the system's.
 *
 * For what watches the allocator, which cannot ask the allocator itself: all zero, and in memory only when touched;
 * NULL where there are none.
 *
 * Those that are about to be touched, whosever they are, can be fetched by one call for several: a page fault for each
 * takes ten times as long. Where the system cannot do that (before Linux 5.14), they come by faults as ever. Ranges of
 * which all is going to be used can have pages of 2 MB, where the system has such (madvise(2), MADV_HUGEPAGE): one
 * fault for 512, which on a virtual machine took a hundredth of their time. A few pages that are free stay, for who
 * wants some soon.
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

#define PAGE_BYTES ((size_t)4096)
#define FETCH_BYTES ((size_t)64 << 10)
/* Whole pages from `start` on, to be written, or only to be read. */
static inline void pages_fetch(void *start, size_t bytes, bool writes) {
#ifdef MADV_POPULATE_WRITE
    int error = errno;
    (void)madvise(start, bytes, writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    errno = error;
#endif
}
/* The same of those that lie within a block, if they are some, and not too many for one call. */
static inline void pages_fetch_within(void *block, size_t bytes) {
    uintptr_t start = ((uintptr_t)block + PAGE_BYTES - 1) & -PAGE_BYTES, end = ((uintptr_t)block + bytes) & -PAGE_BYTES;
    if (bytes >= FETCH_BYTES / 4 && bytes <= 64 * FETCH_BYTES)
        pages_fetch((void *)start, end - start, true);
}

#define LARGE_PAGE_BYTES ((size_t)2 << 20)
static inline void pages_be_large(void *start, size_t bytes) {
    int error = errno;
    (void)madvise(start, bytes, MADV_HUGEPAGE);
    errno = error;
}

/* Free pages that stay in memory: of `*kept` bytes, which the owner's lock is for. False: they are to go back. */
#define PAGES_KEPT_MOST ((size_t)2 << 20)
static inline bool pages_keep(size_t *kept, size_t bytes) {
    if (bytes > PAGES_KEPT_MOST - *kept)
        return false;
    *kept += bytes;
    return true;
}

#endif

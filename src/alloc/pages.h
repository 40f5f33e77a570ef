/*
 * Pages of the system's.
 *
 * For what watches the allocator, which cannot ask the allocator itself: all zero, and in memory only when touched;
 * NULL where there are none.
 *
 * Those that are about to be touched, whosever they are, can be fetched by one call for several: a page fault for each
 * takes ten times as long. Where the system cannot do that (before Linux 5.14), they come by faults as ever. Ranges of
 * which all is going to be used can have pages of 2 MB, where the system has such (madvise(2), MADV_HUGEPAGE): one
 * fault for 512, which on a virtual machine took a hundredth of their time.
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
/* Large pages for what of a range lies behind its first `done` bytes: nothing there has been touched yet. The advice is
 * for all of it, so that it stays one mapping, and is taken back: otherwise the system would make a large page later of
 * what is used in part only (khugepaged). */
static inline void pages_fetch_large(char *range, size_t done, size_t bytes) {
    uintptr_t end = (uintptr_t)range + bytes, from = (uintptr_t)range + done;
    int error = errno;
    (void)madvise(range, bytes, MADV_HUGEPAGE);
    for (uintptr_t at = (from + LARGE_PAGE_BYTES - 1) & -LARGE_PAGE_BYTES; at + LARGE_PAGE_BYTES <= end;
         at += LARGE_PAGE_BYTES)
        pages_fetch((void *)at, PAGE_BYTES, true);
    (void)madvise(range, bytes, MADV_NOHUGEPAGE);
    errno = error;
}

#endif

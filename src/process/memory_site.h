/*
 * Where in a program memory was asked for: for the map of blocks (alloc/block_map.h), which keeps a number for each
 * block, of this table. A site is a line of a function; what its code was may be gone since.
 *
 * Any thread may ask for the site of its own process while that runs; it takes no memory from the allocator. A thread
 * remembers the sites of the last places that it was at, until code is published.
 */
#ifndef VIV_PROCESS_MEMORY_SITE_H
#define VIV_PROCESS_MEMORY_SITE_H

#include "process/process.h"

/* Before there are processes. */
void memory_site_init(void);

/* Around what p runs here: memory that is asked for meanwhile is asked for where p is. */
void memory_site_enter(const Process *p);
void memory_site_leave(void);

typedef struct {
    Term module, function;
    uint32_t arity, line; /* 0: unknown */
} MemorySite;
/* False: there is no such site. */
bool memory_site_find(uint32_t site, MemorySite *found);

#endif

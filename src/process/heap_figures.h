/* The sizes of a process's heap in words, as process_info and the trace of collections tell them. Source: erlang(3)
 * process_info/2, garbage_collection_info. */
#ifndef VIV_PROCESS_HEAP_FIGURES_H
#define VIV_PROCESS_HEAP_FIGURES_H

#include "process/process.h"

/* A process begins with less than the least size that is promised: how much of that is missing. Told as if it were
 * there. */
size_t heap_unused_promise(const Process *p);
/* [{old_heap_block_size, Words}, ...], built in `area`: so many words. By the thread that runs p. */
#define HEAP_FIGURES 11
#define HEAP_FIGURES_WORDS (HEAP_FIGURES * 5)
Term heap_figures(const Process *p, Area *area);

#endif

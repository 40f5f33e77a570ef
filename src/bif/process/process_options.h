/* Options of processes as terms, for those built-in functions that show them; process/spawn_options.h decodes them. */
#ifndef VIV_BIF_PROCESS_PROCESS_OPTIONS_H
#define VIV_BIF_PROCESS_PROCESS_OPTIONS_H

#include "process/spawn_options.h"

Term max_heap_size_term(Area *area, size_t words, uint8_t flags);
Term priority_term(Priority priority);

#endif

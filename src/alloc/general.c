#include "alloc/general.h"

#include <stdio.h>

#include "base/leave.h"

/* In the words of the stock runtime, and its names for what allocates. */
static const char *allocator_name(AllocType type) {
    switch (alloc_type_info[type].class) {
    case CLASS_PROCESSES: return "eheap_alloc";
    case CLASS_BINARY: return "binary_alloc";
    case CLASS_ETS: return "ets_alloc";
    default: return "sys_alloc";
    }
}

noinline _Noreturn void out_of_memory(AllocType type, size_t bytes) {
    char slogan[200];
    int n = snprintf(slogan, sizeof slogan, "%s: Cannot allocate %zu bytes of memory (of type \"%s\").",
                     allocator_name(type), bytes, alloc_type_info[type].name);
    runtime_crash(CRASH_LEAVES, slogan, (size_t)n);
}

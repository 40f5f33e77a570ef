#include "alloc/general.h"

#include <stdio.h>
#include <unistd.h>

noinline _Noreturn void out_of_memory(AllocType type, size_t bytes) {
    char line[200];
    int n = snprintf(line, sizeof line, "viv: out of memory: cannot allocate %zu bytes of type %s (%s)\n", bytes,
                     alloc_type_info[type].name, alloc_type_info[type].description);
    ssize_t ignored = write(2, line, (size_t)n);
    (void)ignored;
    _exit(1);
}

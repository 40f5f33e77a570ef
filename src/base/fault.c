#include "base/fault.h"

#ifdef VIV_DEBUG

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
    const char *name;
    uint64_t each; /* 0: never */
    _Atomic uint64_t passed;
} kinds[FAULT_COUNT] = {
    [FAULT_THREAD] = {.name = "VIV_FAIL_THREAD"},
    [FAULT_ALLOC] = {.name = "VIV_FAIL_ALLOC"},
    [FAULT_MMAP] = {.name = "VIV_FAIL_MMAP"},
    [FAULT_POLL] = {.name = "VIV_FAIL_POLL"},
};

static void read_environment(void) {
    for (unsigned i = 0; i < FAULT_COUNT; i++) {
        const char *each = getenv(kinds[i].name);
        kinds[i].each = each != NULL ? strtoull(each, NULL, 10) : 0;
    }
}

bool fault_now(Fault kind) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    uint64_t each = kinds[kind].each;
    return each != 0 && (atomic_fetch_add_explicit(&kinds[kind].passed, 1, memory_order_relaxed) + 1) % each == 0;
}

#endif

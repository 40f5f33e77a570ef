#include "base/estack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/leave.h"

static noinline _Noreturn void no_memory(size_t bytes) {
    char slogan[100];
    int n =
        snprintf(slogan, sizeof slogan, "temp_alloc: Cannot allocate %zu bytes of memory (of type \"estack\").", bytes);
    runtime_crash(CRASH_LEAVES, slogan, (size_t)n);
}

void estack_grow(EStack *s, size_t words) {
    size_t used = estack_count(s), capacity = (size_t)(s->end - s->base) * 2;
    while (capacity < used + words)
        capacity *= 2;
    bool on_c_stack = s->base == s->fixed;
    Word *base = realloc(on_c_stack ? NULL : s->base, capacity * sizeof(Word));
    if (base == NULL)
        no_memory(capacity * sizeof(Word));
    if (on_c_stack)
        memcpy(base, s->fixed, used * sizeof(Word));
    s->base = base;
    s->top = base + used;
    s->end = base + capacity;
}

void estack_free(EStack *s) {
    free(s->base);
    estack_init(s);
}

#include "process/sample.h"

#include <string.h>

#include "alloc/alloc.h"

static struct {
    _Atomic(Sample *) newest;
    _Atomic uint64_t waiting, lost;
} lists[SAMPLERS_MOST];

void sample_free(Sample *s) { mem_free(ALLOC_TRACE, s); }

Sample *samples_take(unsigned sampler, uint64_t *lost) {
    Sample *newest = atomic_exchange(&lists[sampler].newest, NULL);
    uint64_t count = 0;
    for (const Sample *i = newest; i != NULL; i = i->next)
        count++;
    atomic_fetch_sub(&lists[sampler].waiting, count);
    *lost = atomic_load(&lists[sampler].lost);
    return newest;
}

Sample *samples_reset(unsigned sampler) {
    uint64_t lost;
    Sample *newest = samples_take(sampler, &lost);
    atomic_store(&lists[sampler].lost, 0);
    return newest;
}

void samples_free(Sample *newest) {
    for (Sample *i = newest, *next; i != NULL; i = next) {
        next = i->next;
        sample_free(i);
    }
}

static void give(unsigned sampler, const SampleHead *head, const SampleFrame *frames) {
    if (atomic_fetch_add(&lists[sampler].waiting, 1) >= SAMPLES_WAITING_MOST) {
        atomic_fetch_sub(&lists[sampler].waiting, 1);
        atomic_fetch_add(&lists[sampler].lost, 1);
        return;
    }
    Sample *s = mem_alloc(ALLOC_TRACE, sizeof *s + head->count * sizeof *frames);
    s->head = *head;
    if (head->count > 0)
        memcpy(s->frames, frames, head->count * sizeof *frames);
    s->next = atomic_load_explicit(&lists[sampler].newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&lists[sampler].newest, &s->next, s)) {
    }
}

void samples_give(uint32_t samplers, const SampleHead *head, const SampleFrame *frames) {
    for (uint32_t left = samplers; left != 0; left &= left - 1)
        give((unsigned)__builtin_ctz(left), head, frames);
}

#include "process/sample.h"

#include <string.h>

#include "alloc/alloc.h"

static struct {
    _Atomic(Sample *) newest;
    _Atomic uint64_t waiting; /* bytes */
    _Atomic uint64_t lost;
} lists[SAMPLERS_MOST];

static size_t bytes_of(const SampleHead *head) { return sizeof(Sample) + head->count * sizeof(SampleFrame); }

void sample_free(Sample *s) { mem_free(ALLOC_TRACE, s); }

Sample *samples_take(unsigned sampler, uint64_t *lost) {
    Sample *newest = atomic_exchange(&lists[sampler].newest, NULL);
    uint64_t bytes = 0;
    for (const Sample *i = newest; i != NULL; i = i->next)
        bytes += bytes_of(&i->head);
    atomic_fetch_sub(&lists[sampler].waiting, bytes);
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

void sample_give(unsigned sampler, const SampleHead *head, const SampleFrame *frames) {
    size_t bytes = bytes_of(head);
    if (atomic_fetch_add(&lists[sampler].waiting, bytes) + bytes > SAMPLES_BYTES_MOST) {
        atomic_fetch_sub(&lists[sampler].waiting, bytes);
        atomic_fetch_add(&lists[sampler].lost, head->weight);
        return;
    }
    Sample *s = mem_alloc(ALLOC_TRACE, bytes);
    s->head = *head;
    if (head->count > 0)
        memcpy(s->frames, frames, head->count * sizeof *frames);
    s->next = atomic_load_explicit(&lists[sampler].newest, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&lists[sampler].newest, &s->next, s)) {
    }
}

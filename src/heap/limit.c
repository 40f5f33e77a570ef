#include "heap/limit.h"

static size_t young_words(const Heap *h) { return (size_t)(h->area.top - h->start) + h->fragment_words; }
static size_t old_words(const Heap *h) { return (size_t)(h->old_top - h->old_start); }
/* One that has hibernated may be as small. */
static bool is_new(const Heap *h) { return !h->is_collected && heap_size_words(h) < h->min_words; }

/* A block that takes these words and the stack. */
static size_t block_for(const Heap *h, size_t words) {
    words += (size_t)(h->end - h->area.limit);
    return heap_step(words < h->min_words ? h->min_words : words);
}

bool heap_gets_first_block(const Heap *h, CollectKind kind, size_t need) {
    size_t young = young_words(h);
    return kind == COLLECT_AUTO && is_new(h) && block_for(h, young + need) == block_for(h, young);
}

static size_t words_in_use(const Heap *h) { return is_new(h) ? block_for(h, young_words(h)) : heap_total_words(h); }

/* What is allotted to collect `young` words. What survives a second time goes to the old block: then the new young
 * block counts with what is in the young one, else with the size that it will have. */
static size_t words_to_come(const Heap *h, bool major, size_t young) {
    if (major)
        return block_for(h, young + old_words(h));
    if (h->old_start != NULL)
        return young;
    return h->mature == h->start ? block_for(h, young) : young + heap_step_above(young);
}

bool heap_exceeds_limit(const Heap *h, CollectKind kind, bool major, size_t need) {
    if (heap_gets_first_block(h, kind, need))
        return false;
    size_t beside = h->words_beside + (kind == COLLECT_RESULT ? need : 0);
    size_t words = words_in_use(h) + beside + words_to_come(h, major, young_words(h) + beside);
    if (h->max_flags & HEAP_MAX_SHARED)
        words += (h->area.off_heap_bytes + h->old_off_heap_bytes) / sizeof(Word);
    return words > h->max_words;
}

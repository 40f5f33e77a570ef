#include "process/heap_figures.h"

#include "am.h"
#include "term/integer.h"

size_t heap_unused_promise(const Process *p) {
    size_t words = heap_size_words(&p->heap), least = p->heap.min_words;
    return p->flags & FLAG_HIBERNATED || words >= least ? 0 : least - words;
}

Term heap_figures(const Process *p, Area *area) {
    const Heap *h = &p->heap;
    const struct {
        Term key;
        uint64_t words;
    } figures[HEAP_FIGURES] = {
        {am_old_heap_block_size, (uint64_t)(h->old_end - h->old_start)},
        {am_heap_block_size, heap_size_words(h) + heap_unused_promise(p)},
        {am_mbuf_size, h->fragment_words},
        {am_recent_size, (uint64_t)(h->mature - h->start)},
        {am_stack_size, (uint64_t)(h->end - h->area.limit)},
        {am_old_heap_size, (uint64_t)(h->old_top - h->old_start)},
        {am_heap_size, (uint64_t)(h->area.top - h->start)},
        {am_bin_vheap_size, h->area.off_heap_bytes / WORD_BYTES},
        {am_bin_vheap_block_size, h->virtual_limit / WORD_BYTES},
        {am_bin_old_vheap_size, h->old_off_heap_bytes / WORD_BYTES},
        {am_bin_old_vheap_block_size, h->old_virtual_limit / WORD_BYTES},
    };
    Term list = NIL;
    for (size_t i = array_length(figures); i-- > 0;) {
        Term value = integer_from_uint64(area, figures[i].words);
        list = area_cons(area, area_tuple2(area, figures[i].key, value), list);
    }
    return list;
}

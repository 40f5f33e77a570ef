/*
 * The heap verifier: says at once, and where, when something broke what the collector relies on.
 */
#include "heap/heap.h"
#include "heap/literal.h"

static bool within(const void *p, const void *start, const void *end) {
    return (const char *)p >= (const char *)start && (const char *)p < (const char *)end;
}

static bool in_fragments(const Heap *h, const Term *p) {
    for (const Fragment *f = h->fragments; f != NULL; f = f->next)
        if (within(p, f->words, f->words + f->used))
            return true;
    return false;
}

static void check_pointer(const Heap *h, const Term *slot, bool in_old) {
    Term t = *slot;
    const Term *p = is_list(t) ? list_ptr(t) : boxed_ptr(t);
    if (!is_literal_ptr(p) && !within(p, h->old_start, h->old_top)) {
        if (in_old)
            panic("the word at %p of an old heap points out of it: %#lx", (const void *)slot, t);
        if (!within(p, h->start, h->area.top) && !in_fragments(h, p))
            panic("the word at %p points to no heap: %#lx", (const void *)slot, t);
    }
    if (is_list(t) && (is_header(p[0]) || is_header(p[1]) || p[0] == NON_VALUE))
        panic("the word at %p points to no list cell: %#lx", (const void *)slot, t);
    if (is_boxed(t) && (!is_header(p[0]) || header_kind(p[0]) >= KIND_FILLER))
        panic("the word at %p points to no object: %#lx", (const void *)slot, t);
}

static void check_objects(const Heap *h, const Term *p, const Term *end, bool in_old) {
    while (p < end) {
        if (is_pointer(*p)) {
            check_pointer(h, p, in_old);
        } else if (is_header(*p)) {
            if (header_kind(*p) >= KIND_COUNT || header_arity(*p) >= (size_t)(end - p))
                panic("bad header at %p: %#lx", (const void *)p, *p);
            if (header_is_opaque(*p))
                p += header_arity(*p);
        }
        p++;
    }
    if (p != end)
        panic("the last object of the heap at %p leaves it", (const void *)p);
}

static bool is_off_heap_kind(Kind kind) {
    return kind == KIND_BIN_REF || kind == KIND_MAGIC_REF || (kind >= KIND_EXTERNAL_PID && kind <= KIND_FUN_REF);
}

static void check_off_heap(const Heap *h, const OffHeap *list, bool old) {
    for (; list != NULL; list = list->next) {
        const Term *p = (const Term *)list;
        bool here = old ? within(p, h->old_start, h->old_top) : within(p, h->start, h->area.top) || in_fragments(h, p);
        if (!here || !is_header(list->header) || !is_off_heap_kind(header_kind(list->header)))
            panic("no off-heap object at %p", (const void *)list);
    }
}

static void check_words(const Heap *h, const Term *p, const Term *end) {
    for (; p < end; p++)
        if (is_pointer(*p))
            check_pointer(h, p, false);
}

void heap_verify(const Heap *h, const Rootset *roots) {
    require(h->start <= h->mature && h->mature <= h->area.top && h->area.top <= h->area.limit &&
            h->area.limit <= h->end);
    require(h->old_start <= h->old_top && h->old_top <= h->old_end);
    check_objects(h, h->start, h->area.top, false);
    check_objects(h, h->old_start, h->old_top, true);
    for (const Fragment *f = h->fragments; f != NULL; f = f->next)
        check_objects(h, f->words, f->words + f->used, false);
    check_off_heap(h, h->area.off_heap, false);
    check_off_heap(h, h->old_off_heap, true);
    check_words(h, h->area.limit, h->end);
    for (unsigned i = 0; roots != NULL && i < roots->count; i++)
        check_words(h, roots->range[i].start, roots->range[i].start + roots->range[i].count);
}

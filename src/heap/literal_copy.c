#include "heap/literal_copy.h"

#include "base/estack.h"
#include "base/long_work.h"
#include "heap/sharing.h"
#include "term/refc_binary.h"

#define ROUND_WORDS 4096
#define UNITS_PER_WORD 2
#define WORDS_PER_UNIT 2 /* where they are only looked at */
#define UNITS_PER_FRAGMENT 20
#define UNITS_PER_COPY 40 /* of an object, beside its words */

static bool is_in(LiteralSet set, Term t) { return is_pointer(t) && literal_in_set(set, (const void *)(uintptr_t)t); }

static bool is_found(const LiteralSearch *s, Term t) {
    return is_in(s->set, t) && (s->found == NULL || s->found((const void *)(uintptr_t)t, s->data));
}

/* There may be no block at all. */
static const Term *end_of(const Term *p, size_t count) { return count == 0 ? p : p + count; }

/* Where the next round of a walk ends. It counts as long work. */
static const Term *round_end(const Term *p, const Term *end) {
    const Term *stop = end - p > ROUND_WORDS ? p + ROUND_WORDS : end;
    long_work_count((stop - p) * UNITS_PER_WORD);
    return stop;
}

bool literal_refers_words(const Term *p, size_t count, const LiteralSearch *s) {
    for (const Term *end = end_of(p, count); p < end;)
        for (const Term *stop = round_end(p, end); p < stop; p++)
            if (is_found(s, *p))
                return true;
    return false;
}

/* Without a branch between them. */
static inline bool any_in(const Term *p, unsigned count, Word from, Word bytes) {
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= p[i] - from < bytes;
    return any;
}

#define WORDS_AT_ONCE 8

static bool looks_like_one(const Term *p, const Term *stop, LiteralSet set) {
    Word from = literal_range_start(set.range), bytes = literal_range_bytes(set.range);
    for (; stop - p >= WORDS_AT_ONCE && !any_in(p, WORDS_AT_ONCE, from, bytes); p += WORDS_AT_ONCE) {
    }
    for (; p < stop; p++)
        if (literal_in_set(set, (const void *)(uintptr_t)*p))
            return true;
    return false;
}

/* Does any word, whatever it is, look like a reference? That is answered many times as fast as where objects begin, and
 * nearly always by no. */
static bool may_refer(const Term *p, size_t count, LiteralSet set) {
    for (const Term *end = end_of(p, count), *stop; p < end; p = stop) {
        stop = end - p > ROUND_WORDS ? p + ROUND_WORDS : end;
        long_work_count((stop - p) / WORDS_PER_UNIT);
        if (looks_like_one(p, stop, set))
            return true;
    }
    return false;
}

bool literal_refers_objects(const Term *p, size_t count, const LiteralSearch *s) {
    if (!may_refer(p, count, s->set))
        return false;
    for (const Term *end = end_of(p, count); p < end;)
        for (const Term *stop = round_end(p, end); p < stop; p++) {
            if (is_found(s, *p))
                return true;
            if (is_header(*p) && header_is_opaque(*p))
                p += header_arity(*p);
        }
    return false;
}

static size_t count_of(const Term *start, const Term *end) { return (size_t)(end - start); }

bool literal_refers(const Heap *h, const Rootset *roots, const LiteralSearch *s) {
    for (unsigned i = 0; i < roots->count; i++)
        if (literal_refers_words(roots->range[i].start, roots->range[i].count, s))
            return true;
    if (literal_refers_words(h->area.limit, count_of(h->area.limit, h->end), s) ||
        literal_refers_objects(h->start, count_of(h->start, h->area.top), s) ||
        literal_refers_objects(h->old_start, count_of(h->old_start, h->old_top), s))
        return true;
    for (const Fragment *f = h->fragments; f != NULL; f = f->next) {
        long_work_count(UNITS_PER_FRAGMENT);
        if (literal_refers_objects(f->words, f->used, s))
            return true;
    }
    return false;
}

typedef struct {
    Heap *heap;
    LiteralSet set;
    Met *copied; /* by the literal: where its copy lies */
    EStack *work; /* copied objects whose words have not been looked at */
} Copying;

static Term copy_object(Copying *c, Term t) {
    Area *area = &c->heap->area;
    const Term *from = is_list(t) ? list_ptr(t) : boxed_ptr(t);
    size_t words = is_list(t) ? 2 : header_arity(from[0]) + 1;
    long_work_count((int64_t)words * UNITS_PER_WORD + UNITS_PER_COPY);
    Term *to = area_alloc(area, words);
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
    if (is_list(t))
        return list_make(to);
    switch (header_kind(to[0])) {
    case KIND_BIN_REF:
        ((BinRef *)to)->flags = small_make(0);
        /* fall through */
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_PID:
    case KIND_EXTERNAL_PORT:
    case KIND_EXTERNAL_REF:
    case KIND_FUN_REF:
        off_heap_retain((OffHeap *)to);
        area_link_off_heap(area, (OffHeap *)to, off_heap_bytes((OffHeap *)to));
        break;
    default: break;
    }
    return boxed_make(to);
}

static void replace(Copying *c, Term *slot) {
    if (!is_in(c->set, *slot))
        return;
    bool is_new;
    Term *copy = met_put(c->copied, *slot, &is_new);
    if (is_new) {
        *copy = copy_object(c, *slot);
        estack_push(c->work, *copy);
    }
    *slot = *copy;
}

static void replace_words(Copying *c, Term *p, size_t count) {
    for (const Term *end = end_of(p, count); p < end;)
        for (const Term *stop = round_end(p, end); p < stop; p++)
            replace(c, p);
}

static void replace_objects(Copying *c, Term *p, size_t count) {
    for (const Term *end = end_of(p, count); p < end;)
        for (const Term *stop = round_end(p, end); p < stop; p++) {
            if (is_header(*p) && header_is_opaque(*p))
                p += header_arity(*p);
            else
                replace(c, p);
        }
}

static void finish_work(Copying *c) {
    while (!estack_is_empty(c->work)) {
        Term t = estack_pop(c->work);
        if (is_list(t))
            replace_words(c, list_ptr(t), 2);
        else
            replace_objects(c, boxed_ptr(t), header_arity(boxed_header(t)) + 1);
    }
}

/* What is copied is built in the blocks that are walked: their ends are taken before. */
void literal_copy(Heap *h, Rootset *roots, LiteralSet set) {
    ESTACK(work);
    Met copied;
    met_init(&copied);
    Copying c = {.heap = h, .set = set, .copied = &copied, .work = &work};
    size_t young = count_of(h->start, h->area.top);
    Fragment *fragments = h->fragments;
    size_t newest_used = fragments != NULL ? fragments->used : 0;
    for (unsigned i = 0; i < roots->count; i++)
        replace_words(&c, roots->range[i].start, roots->range[i].count);
    replace_words(&c, h->area.limit, count_of(h->area.limit, h->end));
    replace_objects(&c, h->start, young);
    replace_objects(&c, h->old_start, count_of(h->old_start, h->old_top));
    for (Fragment *f = fragments; f != NULL; f = f->next) {
        long_work_count(UNITS_PER_FRAGMENT);
        replace_objects(&c, f->words, f == fragments ? newest_used : f->used);
    }
    finish_work(&c);
    met_release(&copied);
}

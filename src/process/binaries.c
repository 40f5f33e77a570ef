#include "process/binaries.h"

#include <stdlib.h>

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "heap/literal.h"
#include "heap/sharing.h"
#include "process/dictionary.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

#define UNITS_PER_REFERENCE 10
#define UNITS_PER_TERM 20
#define UNITS_PER_SORTED 100

/* --- the share --- */

void binary_share_add(BinaryShare *sum, RefcBinary *binary) {
    int64_t all = atomic_load_explicit(&binary->refc, memory_order_relaxed);
    sum->share += binary->size / (uint64_t)(all > 0 ? all : 1);
    sum->largest = binary->size > sum->largest ? binary->size : sum->largest;
    sum->references++;
}

Term binary_share_term(const BinaryShare *sum, Area *area) {
    Term share = integer_from_uint64(area, sum->share), references = integer_from_uint64(area, sum->references);
    return area_tuple3(area, share, references, integer_from_uint64(area, sum->largest));
}

bool binaries_share_add(BinaryShare *sum, const OffHeap *list, uint64_t most) {
    for (; list != NULL; list = list->next) {
        if (header_kind(list->header) == KIND_BIN_REF)
            binary_share_add(sum, ((const BinRef *)list)->binary);
        if (sum->references > most)
            return false;
    }
    return true;
}

static bool fragments_share(BinaryShare *sum, const Fragment *f, uint64_t most) {
    for (; f != NULL; f = f->next)
        if (!binaries_share_add(sum, f->off_heap, most))
            return false;
    return true;
}

static bool messages_share(BinaryShare *sum, const Process *p, uint64_t most) {
    uint64_t messages = 0;
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        if (m->is_in_heap)
            continue;
        if (messages++ >= most || !binaries_share_add(sum, m->off_heap, most) || !fragments_share(sum, m->data, most))
            return false;
    }
    return true;
}

bool binaries_share(const Process *p, BinaryShare *sum, uint64_t most) {
    const Heap *h = &p->heap;
    *sum = (BinaryShare){0};
    bool all = binaries_share_add(sum, h->area.off_heap, most) && binaries_share_add(sum, h->old_off_heap, most) &&
               fragments_share(sum, h->fragments, most) && messages_share(sum, p, most);
    long_work_count((int64_t)sum->references * UNITS_PER_REFERENCE);
    return all;
}

/* --- what is held, and what shows it --- */

typedef enum { BY_STACK, BY_DICTIONARY, BY_MESSAGES, BY_OTHER, BY_NOTHING } HeldBy;

/* A reference (BY_NOTHING: nothing is shown by that), or a term that shows bits of a binary. */
typedef struct {
    RefcBinary *binary;
    uint64_t from, to; /* bits */
    HeldBy by;
    bool is_old;
} Window;

typedef struct {
    RefcBinary *binary;
    uint64_t bytes, shown;
    int64_t references, others;
    HeldBy by;
    bool is_old;
} Held;

typedef struct {
    Sharing seen;
    HeldBy by; /* what is walked from now */
    Window *windows;
    size_t count, capacity; /* BINARIES_MOST: there are more */
} Walk;

static bool is_too_much(const Walk *w) { return w->count == BINARIES_MOST; }

static void add(Walk *w, Window window) {
    if (is_too_much(w))
        return;
    if (w->count == w->capacity) {
        w->capacity = 2 * w->capacity + 64;
        w->windows = mem_realloc(ALLOC_TEMP, w->windows, w->capacity * sizeof *w->windows);
    }
    w->windows[w->count++] = window;
}

static void add_references(Walk *w, const OffHeap *list, bool is_old) {
    for (; list != NULL; list = list->next) {
        long_work_count(UNITS_PER_REFERENCE);
        if (header_kind(list->header) == KIND_BIN_REF)
            add(w, (Window){.binary = ((const BinRef *)list)->binary, .by = BY_NOTHING, .is_old = is_old});
    }
}

static void add_fragments(Walk *w, const Fragment *f) {
    for (; f != NULL; f = f->next)
        add_references(w, f->off_heap, false);
}

static void add_all_references(Walk *w, const Process *p) {
    add_references(w, p->heap.area.off_heap, false);
    add_references(w, p->heap.old_off_heap, true);
    add_fragments(w, p->heap.fragments);
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        if (m->is_in_heap)
            continue;
        add_references(w, m->off_heap, false);
        add_fragments(w, m->data);
    }
}

/* `origin` lies outside of a heap only as a literal, which the process does not hold. */
static void show(Walk *w, Term origin, uint64_t from, uint64_t to) {
    if (!is_literal(origin) && is_boxed_kind(origin, KIND_BIN_REF))
        add(w, (Window){((const BinRef *)boxed_ptr(origin))->binary, from, to, w->by, false});
}

/* True: it is a bitstring, and has no terms in it but its origin. */
static bool is_shown(Walk *w, Term t) {
    const Term *words = boxed_ptr(t);
    switch (is_boxed(t) ? header_kind(words[0]) : KIND_TUPLE) {
    case KIND_BIN_REF: show(w, t, 0, (uint64_t)small_value(((const BinRef *)words)->size) * 8); return true;
    case KIND_SUB_BITS: {
        const SubBits *s = (const SubBits *)words;
        show(w, s->origin, (uint64_t)small_value(s->offset), (uint64_t)(small_value(s->offset) + small_value(s->size)));
        return true;
    }
    case KIND_MATCH_CONTEXT: {
        const MatchContext *m = (const MatchContext *)words;
        show(w, m->origin, (uint64_t)small_value(m->offset), (uint64_t)small_value(m->end));
        return true;
    }
    default: return false;
    }
}

static void walk(Walk *w, Term root) {
    ESTACK(stack);
    unsigned left = LONG_WORK_ROUND;
    estack_push(&stack, root);
    while (!estack_is_empty(&stack) && !is_too_much(w)) {
        Term t = estack_pop(&stack);
        left = long_work_step(left, UNITS_PER_TERM);
        if (!sharing_meet(&w->seen, t) || is_shown(w, t))
            continue;
        size_t first, terms;
        const Term *words = is_list(t) ? list_ptr(t) : boxed_ptr(t);
        term_own_words(t, &first, &terms);
        for (size_t i = first; i < first + terms; i++)
            if (is_pointer(words[i]))
                estack_push(&stack, words[i]);
    }
    long_work_rest(left, UNITS_PER_TERM);
}

static void walk_words(Walk *w, const Term *words, size_t count, HeldBy by) {
    w->by = by;
    for (size_t i = 0; i < count && !is_too_much(w); i++)
        if (is_pointer(words[i]))
            walk(w, words[i]);
}

static void walk_roots(Heap *heap, Rootset *roots, void *data) {
    for (unsigned i = 0; i < roots->count; i++)
        walk_words(data, roots->range[i].start, roots->range[i].count, BY_OTHER);
}

static void walk_all(Walk *w, Process *p) {
    const Heap *h = &p->heap;
    walk_words(w, h->area.limit, (size_t)(h->end - h->area.limit), BY_STACK);
    walk_words(w, p->saved, p->arity, BY_STACK);
    if (p->dictionary != NULL)
        walk_words(w, p->dictionary->pairs, 2 * (size_t)p->dictionary->capacity, BY_DICTIONARY);
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        walk_words(w, &m->term, 1, BY_MESSAGES);
    }
    process_with_roots(p, p->saved, p->arity, walk_roots, w);
}

/* --- put together --- */

static int window_order(const void *a, const void *b) {
    const Window *x = a, *y = b;
    if (x->binary != y->binary)
        return x->binary < y->binary ? -1 : 1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : 0;
}

static int largest_first(const void *a, const void *b) {
    uint64_t x = ((const Held *)a)->bytes, y = ((const Held *)b)->bytes;
    return x > y ? -1 : x < y;
}

static size_t bytes_of_bits(uint64_t bits) { return (size_t)((bits + 7) / 8); }

/* Of the windows [*at, count) those of one binary, in order. */
static Held held_of(const Walk *w, size_t *at) {
    Held held = {.binary = w->windows[*at].binary, .by = BY_NOTHING};
    uint64_t shown = 0, reached = 0;
    for (; *at < w->count && w->windows[*at].binary == held.binary; ++*at) {
        const Window *window = &w->windows[*at];
        uint64_t from = window->from > reached ? window->from : reached;
        held.references += window->by == BY_NOTHING;
        held.is_old |= window->is_old;
        held.by = window->by < held.by ? window->by : held.by;
        shown += window->to > from ? window->to - from : 0;
        reached = window->to > reached ? window->to : reached;
    }
    held.bytes = held.binary->size;
    held.shown = bytes_of_bits(shown);
    int64_t all = atomic_load_explicit(&held.binary->refc, memory_order_relaxed);
    held.others = all > held.references ? all - held.references : 0;
    return held;
}

/* Largest first. */
static Held *put_together(Walk *w, size_t *count) {
    Held *held = mem_alloc(ALLOC_TEMP, (w->count + 1) * sizeof *held);
    long_work_count((int64_t)w->count * UNITS_PER_SORTED);
    if (w->count > 1)
        qsort(w->windows, w->count, sizeof *w->windows, window_order);
    *count = 0;
    for (size_t at = 0; at < w->count;)
        held[(*count)++] = held_of(w, &at);
    if (*count > 1)
        qsort(held, *count, sizeof *held, largest_first);
    return held;
}

static Term row_of(const Held *h, Area *area) {
    static const Term names[] = {[BY_STACK] = am_stack,
                                 [BY_DICTIONARY] = am_dictionary,
                                 [BY_MESSAGES] = am_messages,
                                 [BY_OTHER] = am_other,
                                 [BY_NOTHING] = am_garbage};
    Term elements[] = {integer_from_uint64(area, h->bytes),
                       integer_from_uint64(area, h->shown),
                       small_make(h->references),
                       small_make(h->others),
                       names[h->by],
                       h->is_old ? am_old : am_young};
    return area_tuple(area, elements, array_length(elements));
}

static Term heap_term(const Heap *h, Area *area) {
    Term elements[] = {integer_from_uint64(area, h->area.off_heap_bytes),
                       integer_from_uint64(area, h->virtual_limit),
                       integer_from_uint64(area, h->old_off_heap_bytes),
                       integer_from_uint64(area, h->old_virtual_limit),
                       small_make(h->minor_count),
                       small_make(h->fullsweep_after)};
    return area_tuple(area, elements, array_length(elements));
}

static Term answer_of(const Process *p, const Held *held, size_t count, size_t rows, Area *area) {
    uint64_t bytes = 0, shown = 0, garbage = 0, messages = 0, alone = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += held[i].bytes;
        shown += held[i].shown;
        garbage += held[i].by == BY_NOTHING ? held[i].bytes : 0;
        messages += held[i].by == BY_MESSAGES ? held[i].bytes : 0;
        alone += held[i].others == 0 ? held[i].bytes : 0;
    }
    Term list = NIL;
    for (size_t i = rows < count ? rows : count; i-- > 0;)
        list = area_cons(area, row_of(&held[i], area), list);
    Term elements[] = {integer_from_uint64(area, bytes),    integer_from_uint64(area, count),
                       integer_from_uint64(area, shown),    integer_from_uint64(area, garbage),
                       integer_from_uint64(area, messages), integer_from_uint64(area, alone),
                       heap_term(&p->heap, area),           list};
    return area_tuple(area, elements, array_length(elements));
}

static Term answer_of_walk(const Process *p, Walk *w, size_t rows, Area *area) {
    size_t count;
    Held *held = put_together(w, &count);
    Term answer = answer_of(p, held, count, rows, area);
    mem_free(ALLOC_TEMP, held);
    return answer;
}

Term binaries_of(Process *p, size_t rows, Area *area) {
    Walk w = {.windows = NULL};
    sharing_init(&w.seen, false);
    add_all_references(&w, p);
    walk_all(&w, p);
    sharing_release(&w.seen);
    Term answer = is_too_much(&w) ? am_system_limit : answer_of_walk(p, &w, rows, area);
    mem_free(ALLOC_TEMP, w.windows);
    return answer;
}

size_t binaries_words(const Process *p) {
    size_t pairs = p->dictionary != NULL ? 2 * (size_t)p->dictionary->capacity : 0;
    return heap_total_words(&p->heap) + p->message_words + p->message_count * (MESSAGE_UNITS_TO_LOOK + 1) + pairs;
}

#define WORDS_PER_REDUCTION 100

static Term run(Process *p, SystemTask *task) {
    process_bump(p, (int64_t)(binaries_words(p) / WORDS_PER_REDUCTION) + 1);
    LONG_WORK_OPEN;
    return binaries_of(p, (size_t)small_value(task->argument), process_area(p));
}

const SystemTaskKind system_task_binaries = {.run = run, .refusal = am_undefined};

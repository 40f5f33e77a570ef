/*
 * Deep copies. The size comes first, with an explicit stack; the copy itself needs none: what has been copied is scanned for
 * words that still point into the source, and what they point to is appended.
 */
#include "heap/copy.h"

#include "base/estack.h"
#include "heap/literal.h"
#include "term/bits.h"
#include "term/refc_binary.h"

static bool is_shared(Term t, bool literals_too) { return !literals_too && is_literal(t); }

/* A window that fits a HeapBits is copied as one; a larger one keeps its window on a (copied or shared) origin. */
static bool copies_bits(const SubBits *sub) { return (Word)small_value(sub->size) <= HEAP_BITS_MAX_BYTES * 8; }
static size_t copied_bits_words(const SubBits *sub) {
    return HEAP_BITS_WORDS(((size_t)small_value(sub->size) + 7) / 8);
}

static void push_pointers(EStack *stack, const Term *p, size_t count, bool literals_too) {
    for (size_t i = 0; i < count; i++)
        if (is_pointer(p[i]) && !is_shared(p[i], literals_too))
            estack_push(stack, p[i]);
}

static size_t boxed_size(EStack *stack, const Term *p, bool literals_too) {
    size_t arity = header_arity(p[0]);
    Kind kind = header_kind(p[0]);
    if (kind == KIND_SUB_BITS && copies_bits((const SubBits *)p))
        return copied_bits_words((const SubBits *)p);
    if (kind < KIND_FIRST_OPAQUE)
        push_pointers(stack, p + 1, arity, literals_too);
    return arity + 1;
}

static inline size_t flat_size(Term t, bool literals_too) {
    if (!is_pointer(t) || is_shared(t, literals_too))
        return 0;
    ESTACK(stack);
    size_t words = 0;
    estack_push(&stack, t);
    while (!estack_is_empty(&stack)) {
        t = estack_pop(&stack);
        while (is_list(t) && !is_shared(t, literals_too)) {
            words += 2;
            Term head = list_head(t);
            if (is_pointer(head) && !is_shared(head, literals_too))
                estack_push(&stack, head);
            t = list_tail(t);
        }
        if (is_boxed(t) && !is_shared(t, literals_too))
            words += boxed_size(&stack, boxed_ptr(t), literals_too);
    }
    return words;
}

size_t term_flat_size(Term t) { return flat_size(t, false); }
size_t term_flat_size_literals(Term t) { return flat_size(t, true); }

typedef struct {
    Area *area;
    Term *start, *end, *top; /* the words reserved */
    bool literals_too;
} Copy;

static bool is_copied(const Copy *c, Term t) {
    uintptr_t p = (uintptr_t)t;
    return p >= (uintptr_t)c->start && p < (uintptr_t)c->end;
}

static Term copy_small_bits(Copy *c, const SubBits *sub) {
    Word size = (Word)small_value(sub->size);
    size_t words = copied_bits_words(sub);
    HeapBits *to = (HeapBits *)c->top;
    c->top += words;
    to->header = header_make(KIND_HEAP_BITS, words - 1);
    to->size = size;
    if (size > 0)
        c->top[-1] = 0; /* the bits that no one writes */
    bits_copy(to->bytes, 0, bits_origin_bytes(sub->origin), (Word)small_value(sub->offset), size);
    return boxed_make(to);
}

static Term copy_boxed(Copy *c, const Term *from) {
    Kind kind = header_kind(from[0]);
    if (kind == KIND_SUB_BITS && copies_bits((const SubBits *)from))
        return copy_small_bits(c, (const SubBits *)from);
    size_t words = header_arity(from[0]) + 1;
    Term *to = c->top;
    c->top += words;
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
    switch (kind) {
    case KIND_BIN_REF: ((BinRef *)to)->flags = small_make(0); /* fall through */
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_PID:
    case KIND_EXTERNAL_PORT:
    case KIND_EXTERNAL_REF:
        off_heap_retain((OffHeap *)to);
        area_link_off_heap(c->area, (OffHeap *)to, off_heap_bytes((OffHeap *)to));
        break;
    default: break;
    }
    return boxed_make(to);
}

/* The whole spine at once; heads and an improper tail are found by the scan. */
static Term copy_list(Copy *c, Term t) {
    Term result, *slot = &result;
    do {
        Term *to = c->top;
        c->top += 2;
        to[0] = list_head(t);
        *slot = list_make(to);
        slot = to + 1;
        t = list_tail(t);
    } while (is_list(t) && !is_shared(t, c->literals_too));
    *slot = t;
    return result;
}

static void copy_slot(Copy *c, Term *slot) {
    Term t = *slot;
    if (!is_pointer(t) || is_shared(t, c->literals_too) || is_copied(c, t))
        return;
    *slot = is_list(t) ? copy_list(c, t) : copy_boxed(c, boxed_ptr(t));
}

static inline Term copy(Term t, Area *to, size_t words, bool literals_too) {
    if (words == 0)
        return t;
    Term *p = area_alloc(to, words);
    Copy c = {.area = to, .start = p, .end = p + words, .top = p, .literals_too = literals_too};
    copy_slot(&c, &t);
    while (p < c.top) {
        if (is_header(*p) && header_is_opaque(*p))
            p += header_arity(*p);
        else
            copy_slot(&c, p);
        p++;
    }
    require(p == c.end);
    return t;
}

Term term_copy(Term t, Area *to) { return copy(t, to, term_flat_size(t), false); }
Term term_copy_literals(Term t, Area *to) { return copy(t, to, term_flat_size_literals(t), true); }

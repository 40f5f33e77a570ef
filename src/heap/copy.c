/*
 * Deep copies. The size comes first, with an explicit stack; the copy itself needs none: what has been copied is
 * scanned for words that still point into the source, and what they point to is appended.
 */
#include "heap/copy.h"

#include "base/estack.h"
#include "base/thread_progress.h"
#include "term/bits.h"
#include "term/refc_binary.h"

/* What is sized and copied counts as long work. */
#define UNITS_PER_OBJECT 4
#define UNITS_PER_WORD 2

/* What a copy does with literals: it refers to all but those that are leaving, or copies them all. */
typedef struct {
    bool all;
    LiteralRange leaving;
} Literals;

static inline bool is_shared(Term t, Literals literals) {
    return !literals.all && literal_is_shared(literals.leaving, t);
}

/* A window that fits a HeapBits is copied as one; a larger one keeps its window on a (copied or shared) origin. */
static bool copies_bits(const SubBits *sub) {
    return (Word)small_value(sub->size) <= HEAP_BITS_MAX_BYTES * 8 && !bits_are_elsewhere(sub->origin);
}
static size_t copied_bits_words(const SubBits *sub) {
    return HEAP_BITS_WORDS(((size_t)small_value(sub->size) + 7) / 8);
}

/* `met` becomes true when it is; NULL: nobody wants to know. */
force_inline bool is_shared_noting(Term t, Literals literals, bool *met) {
    bool shared = is_shared(t, literals);
    if (shared && met != NULL)
        *met = true;
    return shared;
}

force_inline void push_pointers(EStack *stack, const Term *p, size_t count, Literals literals, bool *met) {
    for (size_t i = 0; i < count; i++)
        if (is_pointer(p[i]) && !is_shared_noting(p[i], literals, met))
            estack_push(stack, p[i]);
}

force_inline size_t boxed_size(EStack *stack, const Term *p, Literals literals, bool *met) {
    size_t arity = header_arity(p[0]);
    Kind kind = header_kind(p[0]);
    if (kind == KIND_SUB_BITS && copies_bits((const SubBits *)p))
        return copied_bits_words((const SubBits *)p);
    if (kind < KIND_FIRST_OPAQUE)
        push_pointers(stack, p + 1, arity, literals, met);
    return arity + 1;
}

force_inline size_t flat_size(Term t, Literals literals, bool *met) {
    if (!is_pointer(t) || is_shared_noting(t, literals, met))
        return 0;
    ESTACK(stack);
    size_t words = 0;
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        left = long_work_step(left, UNITS_PER_OBJECT);
        while (is_list(t)) {
            if (unlikely(is_shared_noting(t, literals, met)))
                break;
            const Term *cell = list_ptr(t);
            Term head = cell[0];
            t = cell[1];
            words += 2;
            left = long_work_step(left, UNITS_PER_OBJECT);
            if (is_pointer(head) && !is_shared_noting(head, literals, met))
                estack_push(&stack, head);
        }
        if (is_boxed(t) && !is_shared_noting(t, literals, met))
            words += boxed_size(&stack, boxed_ptr(t), literals, met);
        if (estack_is_empty(&stack)) {
            long_work_rest(left, UNITS_PER_OBJECT);
            return words;
        }
        t = estack_pop(&stack);
    }
}

size_t term_flat_size(Term t) { return flat_size(t, (Literals){.leaving = literal_counted_now()}, NULL); }
size_t term_flat_size_in(Term t, const CopyPhase *phase) {
    return is_immediate(t) ? 0 : flat_size(t, (Literals){.leaving = phase->counted}, NULL);
}
/* While some are counted the copy may refer to what was not met: the size is that of a copy without them. */
size_t term_flat_size_noting(Term t, const CopyPhase *phase, bool *may_refer) {
    if (is_immediate(t))
        return 0;
    *may_refer |= phase->counted != 0;
    return flat_size(t, (Literals){.leaving = phase->counted}, may_refer);
}
size_t term_flat_size_literals(Term t) { return flat_size(t, (Literals){.all = true}, NULL); }

typedef struct {
    Area *area;
    Term *start, *end; /* the words reserved */
} Copy;

force_inline bool is_copied(const Copy *c, Term t) {
    return t - (Term)(uintptr_t)c->start < (Term)((char *)c->end - (char *)c->start);
}

static noinline Term *copy_small_bits(Term *top, const SubBits *sub) {
    Word size = (Word)small_value(sub->size);
    size_t words = copied_bits_words(sub);
    HeapBits *to = (HeapBits *)top;
    to->header = header_make(KIND_HEAP_BITS, words - 1);
    to->size = size;
    if (size > 0)
        top[words - 1] = 0; /* the bits that no one writes */
    bits_copy(to->bytes, 0, bits_origin_bytes(sub->origin), (Word)small_value(sub->offset), size);
    return top + words;
}

static noinline void copy_off_heap(const Copy *c, OffHeap *to) {
    if (header_kind(to->header) == KIND_BIN_REF)
        ((BinRef *)to)->flags = small_make(0);
    off_heap_retain(to);
    area_link_off_heap(c->area, to, off_heap_bytes(to));
}

/* One bit for each kind that is linked to its area. */
#define OFF_HEAP_KINDS                                                                                                 \
    (1u << KIND_BIN_REF | 1u << KIND_MAGIC_REF | 1u << KIND_EXTERNAL_PID | 1u << KIND_EXTERNAL_PORT |                  \
     1u << KIND_EXTERNAL_REF | 1u << KIND_FUN_REF)

/* Returns the new top. */
force_inline Term *copy_boxed(const Copy *c, Term *slot, Term *top) {
    const Term *from = boxed_ptr(*slot);
    Term header = from[0];
    Kind kind = header_kind(header);
    *slot = boxed_make(top);
    if (kind == KIND_SUB_BITS && copies_bits((const SubBits *)from))
        return copy_small_bits(top, (const SubBits *)from);
    size_t words = header_arity(header) + 1;
    top[0] = header;
    for (size_t i = 1; i < words; i++)
        top[i] = from[i];
    if (OFF_HEAP_KINDS >> kind & 1)
        copy_off_heap(c, (OffHeap *)top);
    return top + words;
}

/* The whole spine at once; heads and an improper tail are found by the scan. */
force_inline Term *copy_list(Term *slot, Term *top, Literals literals) {
    Term t = *slot;
    *slot = list_make(top);
    do {
        const Term *cell = list_ptr(t);
        top[0] = cell[0];
        t = cell[1];
        top[1] = list_make(top + 2);
        top += 2;
        if (!is_list(t))
            break;
    } while (likely(!is_shared(t, literals)));
    top[-1] = t;
    return top;
}

force_inline Term *copy_slot(const Copy *c, Term *slot, Term *top, Literals literals) {
    Term t = *slot;
    if (is_shared(t, literals) || is_copied(c, t))
        return top;
    return is_list(t) ? copy_list(slot, top, literals) : copy_boxed(c, slot, top);
}

force_inline Term copy(Term t, Area *to, size_t words, Literals literals) {
    if (words == 0)
        return t;
    long_work_count_large(words, UNITS_PER_WORD);
    Term *p = area_alloc(to, words), *top = p;
    Copy c = {.area = to, .start = p, .end = p + words};
    top = copy_slot(&c, &t, top, literals);
    for (; p < top; p++) {
        if (is_pointer(*p))
            top = copy_slot(&c, p, top, literals);
        else if (is_header(*p) && header_is_opaque(*p))
            p += header_arity(*p);
    }
    require(p == c.end);
    return t;
}

Term term_copy(Term t, Area *to) {
    Literals literals = {.leaving = literal_leaving_now()};
    return copy(t, to, flat_size(t, literals, NULL), literals);
}

Term term_copy_literals_sized(Term t, size_t words, Area *to) { return copy(t, to, words, (Literals){.all = true}); }

Term term_copy_literals(Term t, Area *to) { return term_copy_literals_sized(t, term_flat_size_literals(t), to); }

Term term_copy_block(const Term *words, size_t count, Area *to) {
    long_work_count_large(count, UNITS_PER_WORD);
    Term *start = area_alloc(to, count), *end = start + count;
    Copy c = {.area = to, .start = start, .end = end};
    Term shift = (Term)(uintptr_t)start - (Term)(uintptr_t)words;
    for (size_t i = 0; i < count; i++)
        start[i] = words[i];
    for (Term *p = start; p < end; p++) {
        if (is_pointer(*p)) {
            *p += shift;
        } else if (is_header(*p)) {
            Term header = *p;
            if (OFF_HEAP_KINDS >> header_kind(header) & 1)
                copy_off_heap(&c, (OffHeap *)p);
            if (header_is_opaque(header))
                p += header_arity(header);
        }
    }
    return boxed_make(start);
}

Term term_copy_in(Term t, Area *to, const CopyPhase *phase) {
    Literals literals = {.leaving = phase->leaving};
    return is_immediate(t) ? t : copy(t, to, flat_size(t, literals, NULL), literals);
}

/* While literals are going away the size is that of a larger copy, maybe. */
Term term_copy_sized_in(Term t, size_t words, Area *to, const CopyPhase *phase) {
    if (unlikely((phase->counted | phase->leaving) != 0))
        return term_copy_in(t, to, phase);
    return copy(t, to, words, (Literals){.leaving = 0});
}

noinline bool copy_phase_has_passed(const CopyPhase *phase) {
    if (long_work_here.is_offline)
        long_work_come_back();
    return phase->counted != literal_counted_now() || phase->leaving != literal_leaving_now();
}

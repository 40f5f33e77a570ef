#include "heap/sharing.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "base/mix.h"
#include "heap/copy.h"
#include "heap/literal.h"

#define UNITS_EACH 20

void met_init(Met *met) {
    met->size = 64;
    met->count = 0;
    met->slots = mem_calloc(ALLOC_TEMP, met->size * sizeof *met->slots);
}

void met_release(Met *met) { mem_free(ALLOC_TEMP, met->slots); }

static size_t place_of(const Met *met, Term t) {
    size_t at = (size_t)mix_word(t) & (met->size - 1);
    while (met->slots[at].from && met->slots[at].from != t)
        at = (at + 1) & (met->size - 1);
    return at;
}

static void grow(Met *met) {
    Met larger = {.size = 2 * met->size, .count = met->count};
    larger.slots = mem_calloc(ALLOC_TEMP, larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < met->size; i++)
        if (met->slots[i].from)
            larger.slots[place_of(&larger, met->slots[i].from)] = met->slots[i];
    met_release(met);
    *met = larger;
}

Term *met_put(Met *met, Term t, bool *is_new) {
    if (2 * met->count >= met->size)
        grow(met);
    size_t at = place_of(met, t);
    *is_new = !met->slots[at].from;
    met->count += *is_new;
    met->slots[at].from = t;
    return &met->slots[at].to;
}

static Term *words_at(Term t) { return is_list(t) ? list_ptr(t) : boxed_ptr(t); }

size_t term_own_words(Term t, size_t *first, size_t *terms) {
    *first = is_list(t) ? 0 : 1;
    if (is_list(t))
        return *terms = 2;
    Term header = boxed_header(t);
    *terms = header_is_opaque(header) ? 0 : header_arity(header);
    return 1 + header_arity(header);
}

/* --- marks --- */

#define PAGE_BITS 12
#define WORDS_PER_PAGE ((1 << PAGE_BITS) / WORD_BYTES)
#define TERMS_PER_MARK 32 /* two bits each */

void sharing_init(Sharing *s, bool literals_too) {
    *s = (Sharing){.literals_too = literals_too};
    met_init(&s->pages);
}

void sharing_release(Sharing *s) {
    for (size_t i = 0; i < s->pages.size; i++)
        if (s->pages.slots[i].from)
            mem_free(ALLOC_TEMP, (uint64_t *)(uintptr_t)s->pages.slots[i].to);
    met_release(&s->pages);
}

/* Objects of a term lie beside each other, mostly. */
static uint64_t *marks_of_page(Sharing *s, uintptr_t number) {
    if (likely(s->last == number))
        return s->last_marks;
    bool is_new;
    Term *marks = met_put(&s->pages, number, &is_new);
    if (is_new)
        *marks = (Term)(uintptr_t)mem_calloc(ALLOC_TEMP, WORDS_PER_PAGE / TERMS_PER_MARK * sizeof *s->last_marks);
    s->last = number;
    return s->last_marks = (uint64_t *)(uintptr_t)*marks;
}

/* The marks of the word where t lies, and their place among the 64 bits: `once` is set, or `once` and `again`. */
static uint64_t *marks_of(Sharing *s, Term t, uint64_t *once, uint64_t *again) {
    uintptr_t address = (uintptr_t)words_at(t), word = address / WORD_BYTES % WORDS_PER_PAGE;
    unsigned bit = 2 * (word % TERMS_PER_MARK);
    *once = UINT64_C(1) << bit;
    *again = UINT64_C(2) << bit;
    return &marks_of_page(s, address >> PAGE_BITS)[word / TERMS_PER_MARK];
}

static bool is_apart(const Sharing *s, Term t) { return is_pointer(t) && (s->literals_too || !is_literal(t)); }

bool sharing_meet(Sharing *s, Term t) {
    if (!is_apart(s, t))
        return false;
    uint64_t once, again, *marks = marks_of(s, t, &once, &again);
    if (*marks & once) {
        *marks |= again;
        s->has_shared = true;
        return false;
    }
    *marks |= once;
    s->count++;
    return true;
}

static bool is_shared(Sharing *s, Term t) {
    uint64_t once, again;
    return s->has_shared && (*marks_of(s, t, &once, &again) & again);
}

/* --- measuring and copying --- */

/* Copied as a whole: what owns something, and what has no terms in it. */
static bool is_whole(Term t) {
    Kind kind = is_list(t) ? KIND_TUPLE : header_kind(boxed_header(t));
    return kind >= KIND_FIRST_OPAQUE || kind == KIND_BIN_REF || kind == KIND_SUB_BITS;
}

/* The places of `words` that hold pointers, or what stands there. */
static void push_inside(EStack *stack, Term t, Term *words, bool places) {
    size_t first, terms;
    term_own_words(t, &first, &terms);
    for (size_t i = first; i < first + terms; i++)
        if (is_pointer(words[i]))
            estack_push(stack, places ? (Word)(uintptr_t)&words[i] : words[i]);
}

size_t sharing_measure(Sharing *s, Term t) {
    ESTACK(stack);
    size_t words = 0, first, terms;
    unsigned left = LONG_WORK_ROUND;
    estack_push(&stack, t);
    while (!estack_is_empty(&stack)) {
        t = estack_pop(&stack);
        left = long_work_step(left, UNITS_EACH);
        if (!sharing_meet(s, t))
            continue;
        words += is_whole(t) ? term_flat_size_literals(t) : term_own_words(t, &first, &terms);
        if (!is_whole(t))
            push_inside(&stack, t, words_at(t), false);
    }
    long_work_rest(left, UNITS_EACH);
    return words;
}

/* One cell or boxed term with its words as they are: those that point are put right later. */
static Term copy_shallow(Area *area, Term t) {
    size_t first, terms, words = term_own_words(t, &first, &terms);
    if (is_whole(t))
        return term_copy_literals(t, area);
    Term *to = area_alloc(area, words);
    memcpy(to, words_at(t), words * WORD_BYTES);
    return is_list(t) ? list_make(to) : boxed_make(to);
}

/* False: a part is copied already, and shared. */
static bool copy_at(Sharing *s, Met *copies, Term *place, Area *to) {
    Term t = *place;
    bool is_new = true;
    Term *copy = is_shared(s, t) ? met_put(copies, t, &is_new) : NULL;
    *place = is_new ? copy_shallow(to, t) : *copy;
    if (copy != NULL)
        *copy = *place;
    return is_new && !is_whole(t);
}

Term sharing_copy(Sharing *s, Term root, Area *to) {
    ESTACK(stack); /* places whose terms are to be copied */
    Met copies;
    met_init(&copies);
    unsigned left = LONG_WORK_ROUND;
    estack_push(&stack, (Word)(uintptr_t)&root);
    while (!estack_is_empty(&stack)) {
        Term *place = (Term *)(uintptr_t)estack_pop(&stack), t = *place;
        left = long_work_step(left, UNITS_EACH);
        if (is_apart(s, t) && copy_at(s, &copies, place, to))
            push_inside(&stack, t, words_at(*place), true);
    }
    long_work_rest(left, UNITS_EACH);
    met_release(&copies);
    return root;
}

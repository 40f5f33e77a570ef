#include "heap/sharing.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "base/mix.h"
#include "heap/copy.h"
#include "heap/literal.h"

#define UNITS_EACH 40

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

static bool is_apart(Term t, bool literals_too) { return is_pointer(t) && (literals_too || !is_literal(t)); }

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

size_t term_shared_size(Term t, bool literals_too) {
    ESTACK(stack);
    Met met;
    met_init(&met);
    size_t words = 0, first, terms;
    unsigned left = LONG_WORK_ROUND;
    estack_push(&stack, t);
    while (!estack_is_empty(&stack)) {
        t = estack_pop(&stack);
        bool is_new = false;
        if (is_apart(t, literals_too))
            met_put(&met, t, &is_new);
        left = long_work_step(left, UNITS_EACH);
        if (!is_new)
            continue;
        words += is_whole(t) ? term_flat_size_literals(t) : term_own_words(t, &first, &terms);
        if (!is_whole(t))
            push_inside(&stack, t, words_at(t), false);
    }
    long_work_rest(left, UNITS_EACH);
    met_release(&met);
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

Term term_copy_shared(Term root, bool literals_too, Area *to, size_t *count) {
    ESTACK(stack); /* places whose terms are to be copied */
    Met met;
    met_init(&met);
    unsigned left = LONG_WORK_ROUND;
    estack_push(&stack, (Word)(uintptr_t)&root);
    while (!estack_is_empty(&stack)) {
        Term *place = (Term *)(uintptr_t)estack_pop(&stack), t = *place;
        left = long_work_step(left, UNITS_EACH);
        if (!is_apart(t, literals_too))
            continue;
        bool is_new;
        Term *copy = met_put(&met, t, &is_new);
        if (is_new)
            *copy = copy_shallow(to, t);
        *place = *copy;
        if (is_new && !is_whole(t))
            push_inside(&stack, t, words_at(*place), true);
    }
    long_work_rest(left, UNITS_EACH);
    if (count != NULL)
        *count = met.count;
    met_release(&met);
    return root;
}

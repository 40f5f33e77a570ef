/*
 * erts_debug and erts_internal: sizes and sharing of terms, the inside of large maps, terms as text.
 * Source: the stock erts_debug.erl, and what it answers.
 *
 * Sharing is found by the addresses of cells and boxed terms, in a table that lasts for the call.
 */
#include <string.h>

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/mix.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/map_trie.h"
#include "term/print.h"

/* Pointers that were met, with what became of them. Open addressing; never more than half full. */
typedef struct {
    struct {
        Term from, to;
    } *slots;
    size_t size, count;
} Met;

static void met_init(Met *met) {
    met->size = 64;
    met->count = 0;
    met->slots = mem_calloc(ALLOC_TEMP, met->size * sizeof *met->slots);
}

static size_t met_place(const Met *met, Term t) {
    size_t at = (size_t)mix_word(t) & (met->size - 1);
    while (met->slots[at].from && met->slots[at].from != t)
        at = (at + 1) & (met->size - 1);
    return at;
}

static void met_grow(Met *met) {
    Met larger = {.size = 2 * met->size, .count = met->count};
    larger.slots = mem_calloc(ALLOC_TEMP, larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < met->size; i++)
        if (met->slots[i].from)
            larger.slots[met_place(&larger, met->slots[i].from)] = met->slots[i];
    mem_free(ALLOC_TEMP, met->slots);
    *met = larger;
}

/* Where the pointer's copy is kept; *is_new: it was not met before. Good until the next call. */
static Term *met_put(Met *met, Term t, bool *is_new) {
    if (2 * met->count >= met->size)
        met_grow(met);
    size_t at = met_place(met, t);
    *is_new = !met->slots[at].from;
    met->count += *is_new;
    met->slots[at].from = t;
    return &met->slots[at].to;
}

static bool is_apart(Term t, bool literals_too) { return is_pointer(t) && (literals_too || !is_literal(t)); }

/* The words of a cell or boxed term, and how many of those from *first on are terms. */
static size_t words_of(Term t, size_t *first, size_t *terms) {
    *first = is_list(t) ? 0 : 1;
    if (is_list(t))
        return *terms = 2;
    Term header = boxed_header(t);
    *terms = header_is_opaque(header) ? 0 : header_arity(header);
    return 1 + header_arity(header);
}

static Term *words_at(Term t) { return is_list(t) ? list_ptr(t) : boxed_ptr(t); }

Term erts_debug_size_shared_1(Process *p, const Term *a) {
    ESTACK(stack);
    Met met;
    met_init(&met);
    size_t words = 0, first, terms;
    estack_push(&stack, a[0]);
    while (!estack_is_empty(&stack)) {
        Term t = estack_pop(&stack);
        bool is_new = false;
        if (is_apart(t, false))
            met_put(&met, t, &is_new);
        if (!is_new)
            continue;
        words += words_of(t, &first, &terms);
        for (size_t i = first; i < first + terms; i++)
            if (is_pointer(words_at(t)[i]))
                estack_push(&stack, words_at(t)[i]);
    }
    process_bump(p, (int64_t)met.count / 4);
    mem_free(ALLOC_TEMP, met.slots);
    return small_make((SWord)words);
}

/* Copied as a whole: what owns something, and what has no terms in it. */
static bool is_whole(Term t) {
    Kind kind = is_list(t) ? KIND_TUPLE : header_kind(boxed_header(t));
    return kind >= KIND_FIRST_OPAQUE || kind == KIND_BIN_REF || kind == KIND_SUB_BITS || kind == KIND_FUN;
}

/* One cell or boxed term with its words as they are: those that point are put right later. */
static Term copy_shallow(Area *area, Term t) {
    size_t first, terms, words = words_of(t, &first, &terms);
    if (is_whole(t))
        return term_copy_literals(t, area);
    Term *to = area_alloc(area, words);
    memcpy(to, words_at(t), words * WORD_BYTES);
    return is_list(t) ? list_make(to) : boxed_make(to);
}

/* A copy in which is shared what was shared. */
static Term copy_shared(Process *p, Term root, bool literals_too) {
    ESTACK(stack); /* places whose terms are to be copied */
    Met met;
    met_init(&met);
    estack_push(&stack, (Word)(uintptr_t)&root);
    while (!estack_is_empty(&stack)) {
        Term *place = (Term *)(uintptr_t)estack_pop(&stack), t = *place;
        if (!is_apart(t, literals_too))
            continue;
        bool is_new;
        Term *copy = met_put(&met, t, &is_new);
        if (is_new)
            *copy = copy_shallow(process_area(p), t);
        *place = *copy;
        size_t first, terms;
        words_of(t, &first, &terms);
        for (size_t i = first; is_new && !is_whole(t) && i < first + terms; i++)
            if (is_pointer(words_at(*place)[i]))
                estack_push(&stack, (Word)(uintptr_t)&words_at(*place)[i]);
    }
    process_bump(p, (int64_t)met.count / 4);
    mem_free(ALLOC_TEMP, met.slots);
    return root;
}

Term erts_debug_copy_shared_2(Process *p, const Term *a) {
    if (a[1] != am_true && a[1] != am_false)
        return fail_badarg(p);
    return copy_shared(p, a[0], a[1] == am_true);
}

/* Large maps */

/* The root, or a node that was given out before. NON_VALUE: the failure is set. */
static Term map_node(Process *p, Term t) {
    if (is_hash_map(t))
        return hash_map_ptr(t)->root;
    if (is_boxed_kind(t, KIND_MAP_NODE))
        return t;
    return is_map(t) ? fail_badarg(p) : fail_value(p, FAIL_BADMAP, t);
}

/* What a node holds: [Key | Value], and nodes, which only erts_internal:term_type and this function take. */
Term erts_internal_map_hashmap_children_1(Process *p, const Term *a) {
    Term node = map_node(p, a[0]), list = NIL;
    if (!is_value(node))
        return NON_VALUE;
    const Term *words = boxed_ptr(node);
    for (size_t i = 0; i < node_count(words); i++)
        list = area_cons(process_area(p), words[2 + i], list);
    return list;
}

#define CHILDREN_MAX 16
typedef struct {
    size_t depth, arrays, bitmaps, leafs, children[CHILDREN_MAX], leafs_at[CHILDREN_MAX];
} MapFigures;

/* Level by level; the levels of a trie are few. */
static void count_children(MapFigures *f, const Term *node, size_t level) {
    size_t count = node_count(node);
    if (count == CHILDREN_MAX && level == 0) { /* only roots are told apart */
        f->arrays++;
    } else {
        f->bitmaps++;
        f->children[(count < CHILDREN_MAX ? count : CHILDREN_MAX) - 1]++;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_boxed(node[2 + i])) {
            count_children(f, boxed_ptr(node[2 + i]), level + 1);
            continue;
        }
        f->leafs++;
        f->leafs_at[level + 1]++;
        f->depth = level + 1 > f->depth ? level + 1 : f->depth;
    }
}

static Term figure_tuple(Area *area, const size_t *figures) {
    Term terms[CHILDREN_MAX];
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        terms[i] = small_make((SWord)figures[i]);
    return area_tuple(area, terms, CHILDREN_MAX);
}

Term erts_debug_map_info_1(Process *p, const Term *a) {
    Area *area = process_area(p);
    MapFigures f = {.depth = 0};
    if (!is_map(a[0]))
        return fail_value(p, FAIL_BADMAP, a[0]);
    if (!is_hash_map(a[0]))
        return fail_badarg(p);
    count_children(&f, boxed_ptr(hash_map_ptr(a[0])->root), 0);
    Term leafs = area_tuple3(area, am_leafs, small_make((SWord)f.leafs), figure_tuple(area, f.leafs_at));
    Term bitmaps = area_tuple3(area, am_bitmaps, small_make((SWord)f.bitmaps), figure_tuple(area, f.children));
    Term list = area_cons(area, bitmaps, area_cons(area, leafs, NIL));
    list = area_cons(area, area_tuple3(area, am_arrays, small_make((SWord)f.arrays), NIL), list);
    return area_cons(area, area_tuple2(area, am_depth, small_make((SWord)f.depth)), list);
}

/* Text */

static Term string_of(Process *p, Term t, bool line) {
    TEXT(text);
    print_term(&text, t);
    if (line)
        text_byte(&text, '\n');
    return list_from_utf8(process_area(p), (const uint8_t *)text.bytes, text.size);
}

/* Prints the term as erlang:display/1 does, and gives the text. */
Term erts_debug_display_1(Process *p, const Term *a) {
    erlang_display_1(p, a);
    return string_of(p, a[0], true);
}

/* OTP 26 on. A limit, which counts parts of the term, is not supported. */
Term erts_internal_term_to_string_2(Process *p, const Term *a) {
    if (a[1] == am_undefined)
        return string_of(p, a[0], false);
    return is_small_within(a[1], 1, SMALL_MAX) ? fail_with(p, FAIL_NOTSUP) : fail_badarg(p);
}

/* Locks are not counted, and that is what these say in a stock runtime that does not count them either. */
Term erts_debug_lcnt_control_1(Process *p, const Term *a) { return fail_badarg(p); }
Term erts_debug_lcnt_control_2(Process *p, const Term *a) { return fail_badarg(p); }
Term erts_debug_lcnt_nothing_0(Process *p, const Term *a) { return am_error; }

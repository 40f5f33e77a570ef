/*
 * erts_debug and erts_internal: sizes and sharing of terms, the inside of large maps, terms as text, instructions.
 * Source: the stock erts_debug.erl, and what it answers.
 */
#include <string.h>

#include "alloc/alloc.h"
#include "base/estack.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "heap/literal.h"
#include "heap/sharing.h"
#include "insns.h"
#include "term/atom.h"
#include "term/map_trie.h"
#include "term/print.h"

static bool is_empty_tuple(Term t) { return is_tuple(t) && tuple_arity(t) == 0; }

/* Of the words of `t`: the tuple of a small map's keys, which is there for an empty one, too. */
static bool is_keys(Term t, size_t word) { return is_flat_map(t) && word == 1; }

/* Takes the parts of a cell or boxed term; its words. They are counted as the stock runtime has them, where a float
 * takes two, {} none, and a small map one more. */
static size_t take_parts(EStack *stack, Term t) {
    size_t first, terms, words = term_own_words(t, &first, &terms);
    const Term *own = is_list(t) ? list_ptr(t) : boxed_ptr(t);
    for (size_t i = first; i < first + terms; i++) {
        if (is_self_float(own[i]))
            words += FLOAT_WORDS;
        else if (is_pointer(own[i]) && (is_keys(t, i) || !is_empty_tuple(own[i])))
            estack_push(stack, own[i]);
    }
    return words + (is_flat_map(t) && flat_map_size(t) > 0);
}

Term erts_debug_size_shared_1(Process *p, const Term *a) {
    ESTACK(stack);
    Sharing s;
    sharing_init(&s, false);
    size_t words = is_self_float(a[0]) ? FLOAT_WORDS : 0;
    if (!is_empty_tuple(a[0]))
        estack_push(&stack, a[0]);
    while (!estack_is_empty(&stack)) {
        Term t = estack_pop(&stack);
        if (sharing_meet(&s, t))
            words += take_parts(&stack, t);
    }
    process_bump(p, (int64_t)s.count / 4);
    sharing_release(&s);
    return small_make((SWord)words);
}

Term erts_debug_copy_shared_2(Process *p, const Term *a) {
    if (a[1] != am_true && a[1] != am_false)
        return fail_badarg(p);
    Sharing s;
    sharing_init(&s, a[1] == am_true);
    sharing_measure(&s, a[0]);
    Term copy = sharing_copy(&s, a[0], process_area(p));
    process_bump(p, (int64_t)s.count / 4);
    sharing_release(&s);
    return copy;
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
        list = area_cons(process_area(p), node_children(words)[i], list);
    return list;
}

#define CHILDREN_MAX 16
#define DEPTHS_MAX 18 /* where collisions are told; else 16 */
typedef struct {
    size_t depth, arrays, bitmaps, leafs, collisions;
    size_t children[CHILDREN_MAX], colliding[CHILDREN_MAX], leafs_at[DEPTHS_MAX];
} MapFigures;

static bool tells_collision(const Term *node) {
    return node_bitmap(node) == MAP_COLLISION && release_has(RELEASE_COLLISIONS_COUNTED);
}

/* Level by level; the levels of a trie are few. */
static void count_children(MapFigures *f, const Term *node, size_t level) {
    size_t count = node_count(node), place = (count < CHILDREN_MAX ? count : CHILDREN_MAX) - 1;
    if (count == CHILDREN_MAX && level == 0) { /* only roots are told apart */
        f->arrays++;
    } else if (tells_collision(node)) {
        f->collisions++;
        f->colliding[place]++;
    } else {
        f->bitmaps++;
        f->children[place]++;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_boxed(node_children(node)[i])) {
            count_children(f, boxed_ptr(node_children(node)[i]), level + 1);
            continue;
        }
        f->leafs++;
        f->leafs_at[level + 1]++;
        f->depth = level + 1 > f->depth ? level + 1 : f->depth;
    }
}

static Term figure_tuple(Area *area, const size_t *figures, size_t count) {
    Term terms[DEPTHS_MAX];
    for (size_t i = 0; i < count; i++)
        terms[i] = small_make((SWord)figures[i]);
    return area_tuple(area, terms, count);
}

/* {What, Number, how many at each of `count` places} in front of a list. */
static Term add_figures(Area *area, Term what, size_t number, const size_t *at, size_t count, Term list) {
    Term figures = area_tuple3(area, what, small_make((SWord)number), figure_tuple(area, at, count));
    return area_cons(area, figures, list);
}

Term erts_debug_map_info_1(Process *p, const Term *a) {
    Area *area = process_area(p);
    MapFigures f = {.depth = 0};
    if (!is_map(a[0]))
        return fail_value(p, FAIL_BADMAP, a[0]);
    if (!is_hash_map(a[0]))
        return fail_badarg(p);
    count_children(&f, boxed_ptr(hash_map_ptr(a[0])->root), 0);
    bool tells = release_has(RELEASE_COLLISIONS_COUNTED);
    Term list = add_figures(area, am_leafs, f.leafs, f.leafs_at, tells ? DEPTHS_MAX : CHILDREN_MAX, NIL);
    list = add_figures(area, am_bitmaps, f.bitmaps, f.children, CHILDREN_MAX, list);
    if (tells)
        list = add_figures(area, am_collisions, f.collisions, f.colliding, CHILDREN_MAX, list);
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

/* As the stock runtime where it runs machine code: of no function is there a listing, whatever is asked for. */
Term erts_debug_disassemble_1(Process *p, const Term *a) { return am_false; }

/* Their names, as strings. */
Term erts_debug_instructions_0(Process *p, const Term *a) {
    Term list = NIL;
    for (size_t i = INSN_COUNT; i-- > 0;) {
        const char *name = insn_info[i].name;
        Term string = list_from_utf8(process_area(p), (const uint8_t *)name, strlen(name));
        list = area_cons(process_area(p), string, list);
    }
    return list;
}

/* Locks are not counted, and that is what these say in a stock runtime that does not count them either. */
Term erts_debug_lcnt_control_1(Process *p, const Term *a) { return fail_badarg(p); }
Term erts_debug_lcnt_control_2(Process *p, const Term *a) { return fail_badarg(p); }
Term erts_debug_lcnt_nothing_0(Process *p, const Term *a) { return am_error; }

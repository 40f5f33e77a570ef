#include "trace/cut.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/map.h"

typedef struct {
    Area *area;
    int64_t words; /* left */
} Cutter;

/* It calls itself at most CUT_DEPTH_MAX deep. */
static Term cut(Cutter *c, Term t, unsigned depth);

static bool takes(Cutter *c, int64_t words) {
    if (c->words < words)
        return false;
    c->words -= words;
    return true;
}

#define UNITS_OF_CELL 5 /* of long work */

static Term cut_list(Cutter *c, Term list, unsigned depth) {
    Term whole = NIL, *last = &whole;
    for (; is_list(list); list = list_tail(list)) {
        if (!takes(c, 2)) {
            *last = am_cut;
            return whole;
        }
        Term head = cut(c, list_head(list), depth - 1);
        *last = area_cons(c->area, head, NIL);
        last = list_ptr(*last) + 1;
        long_work_count(UNITS_OF_CELL);
    }
    *last = cut(c, list, depth - 1);
    return whole;
}

static Term cut_tuple(Cutter *c, Term t, unsigned depth) {
    int64_t arity = (int64_t)tuple_arity(t), kept = arity;
    if (!takes(c, 1 + arity)) {
        kept = c->words - 2; /* the header, and the mark */
        if (kept < 1)
            return am_cut;
        c->words = 0;
    }
    int64_t left_out = kept < arity;
    Term *words = area_alloc(c->area, (size_t)(1 + kept + left_out));
    words[0] = header_make(KIND_TUPLE, kept + left_out);
    for (int64_t i = 1; i <= kept + left_out; i++)
        words[i] = am_cut;
    for (int64_t i = 0; i < kept; i++) {
        words[1 + i] = cut(c, tuple_elements(t)[i], depth - 1);
        long_work_count(UNITS_OF_CELL);
    }
    return boxed_make(words);
}

#define WORDS_OF_PAIR 2
static Term cut_map(Cutter *c, Term t, unsigned depth) {
    MapIterator it;
    Term key, value;
    size_t count = 0;
    if (!takes(c, 3))
        return am_cut;
    Term *pairs = mem_alloc(ALLOC_TEMP, WORDS_OF_PAIR * (map_size(t) + 1) * sizeof *pairs);
    map_iterator_init(&it, t);
    while (map_iterator_next(&it, &key, &value)) {
        bool fits = takes(c, WORDS_OF_PAIR);
        pairs[2 * count] = fits ? cut(c, key, depth - 1) : am_cut;
        pairs[2 * count++ + 1] = fits ? cut(c, value, depth - 1) : am_cut;
        long_work_count(2 * UNITS_OF_CELL);
        if (!fits)
            break;
    }
    Term map = map_from_pairs(c->area, pairs, count);
    mem_free(ALLOC_TEMP, pairs);
    return map;
}

/* {'...', Bytes, Beginning} */
static Term cut_bits(Cutter *c, Term t) {
    size_t bytes = (bits_size(t) + 7) / 8;
    int64_t words = (int64_t)HEAP_BITS_WORDS(bytes);
    if (takes(c, words))
        return t;
    int64_t room = (c->words - 2 - 4) * (int64_t)sizeof(Term);
    c->words = 0;
    BitsView view;
    bits_view(t, &view);
    if (room < (int64_t)bytes)
        view.bit_size = room > 0 ? (Word)room * 8 : 0;
    return area_tuple3(c->area, am_cut, small_make((SWord)bytes), bits_from_view(c->area, &view));
}

static Term cut_leaf(Cutter *c, Term t) { return takes(c, (int64_t)term_flat_size_literals(t)) ? t : am_cut; }

static Term cut(Cutter *c, Term t, unsigned depth) {
    if (is_immediate(t))
        return t;
    if (c->words <= 0)
        return am_cut;
    if (is_bitstring(t))
        return cut_bits(c, t);
    bool is_nested = is_list(t) || is_tuple(t) || is_map(t);
    if (!is_nested)
        return cut_leaf(c, t);
    if (depth == 0)
        return am_cut;
    return is_list(t) ? cut_list(c, t, depth) : is_tuple(t) ? cut_tuple(c, t, depth) : cut_map(c, t, depth);
}

Term term_cut(Term t, unsigned depth, int64_t words, Area *area) {
    Cutter c = {area, words};
    return cut(&c, t, depth);
}

Term term_cut_by(const LimitOptions *limit, Term t, Area *area) {
    return term_cut(t, limit->depth != 0 ? (unsigned)limit->depth : CUT_DEPTH_MAX,
                    limit->size != 0 ? limit->size : INT64_MAX, area);
}

/* Of {M, F, Args} each argument is one; {M, F, Arity} is left as it is. */
static Term cut_call(const LimitOptions *limit, Term call, Area *area) {
    const Term *e = tuple_elements(call);
    if (!is_list(e[2]))
        return call;
    Term list = NIL, *last = &list;
    for (Term rest = e[2]; is_list(rest); rest = list_tail(rest)) {
        *last = area_cons(area, term_cut_by(limit, list_head(rest), area), NIL);
        last = list_ptr(*last) + 1;
    }
    return area_tuple3(area, e[0], e[1], list);
}

static bool is_function(TracerTopic topic, unsigned i, Term t) {
    bool is_message = topic == TOPIC_SEND || topic == TOPIC_RECEIVE;
    return !is_message && (i == 1 || topic == TOPIC_PROCS) && is_tuple_arity(t, 3) && is_atom(tuple_elements(t)[0]) &&
           is_atom(tuple_elements(t)[1]);
}

void event_cut(const LimitOptions *limit, TracerTopic topic, Term *element, unsigned count, Term *result, Area *area) {
    for (unsigned i = 1; i < count; i++)
        element[i] = is_function(topic, i, element[i]) ? cut_call(limit, element[i], area)
                                                       : term_cut_by(limit, element[i], area);
    if (is_value(*result))
        *result = term_cut_by(limit, *result, area);
}

/* What tables ask about keys: which one a head is about, and whether results keep it. */
#include "am.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "match/program.h"
#include "term/compare.h"
#include "term/map.h"

static bool is_variable(Term t) { return t == am_underscore || match_variable(t) >= 0; }

static void push_map(EStack *stack, Term map) {
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        estack_push2(stack, key, value);
}

#define UNITS_PER_PART 5 /* of long work */

/* What there is in a pattern, at any depth. */
enum { HAS_VARIABLE = 1, HAS_MAP = 2, HAS_NAME_OF_WHOLE = 4 };
static unsigned what_is_in(Term pattern) {
    ESTACK(stack);
    unsigned has = 0, left = LONG_WORK_ROUND;
    for (estack_push(&stack, pattern); !estack_is_empty(&stack);) {
        Term t = estack_pop(&stack);
        left = long_work_step(left, UNITS_PER_PART);
        if (is_list(t)) {
            estack_push2(&stack, list_tail(t), list_head(t));
        } else if (is_tuple(t)) {
            for (size_t i = 0; i < tuple_arity(t); i++)
                estack_push(&stack, tuple_elements(t)[i]);
        } else if (is_map(t)) {
            has |= HAS_MAP;
            push_map(&stack, t);
        } else if (is_variable(t)) {
            has |= HAS_VARIABLE;
        } else if (t == am_match_object || t == am_match_variables) {
            has |= HAS_NAME_OF_WHOLE;
        }
    }
    long_work_rest(left, UNITS_PER_PART);
    return has;
}

/* Does only that very term match, and can it be told from an expression? Maps match any map that holds more; '$_' and
 * '$$' are but atoms in a head: stock takes no key for constant that has them. */
static bool is_just_itself(Term pattern) { return what_is_in(pattern) == 0; }
/* In a key, maps are themselves where there are no variables. */
static bool is_key(Term pattern) { return !(what_is_in(pattern) & HAS_VARIABLE); }

size_t match_spec_clause_count(const MatchSpec *spec) { return spec->clause_count; }

Term match_spec_clause_key(const MatchSpec *spec, size_t clause, size_t keypos, bool *never) {
    Term head = spec->clauses[clause].head;
    *never = false;
    if (is_tuple(head)) {
        if (tuple_arity(head) < keypos) {
            *never = true;
            return NON_VALUE;
        }
        Term key = tuple_elements(head)[keypos - 1];
        return is_key(key) ? key : NON_VALUE;
    }
    *never = is_key(head);
    return NON_VALUE;
}

/* Ranges */

#define UNITS_PER_CLAUSE 20 /* of long work */

/* Nothing is known of what stands there. */
static bool is_open(const KeyBound *b, Term part) { return !b->is_key && is_variable(part); }

/* A pattern with variables and maps says nothing, wherever they are in it: so it is in stock, and the range shows where
 * another clause names a map as its key. */
static bool is_bound(const KeyBound *b) {
    return b->is_key || !(is_variable(b->pattern) || (what_is_in(b->pattern) & HAS_MAP));
}

/* Up to where something is not known: *a_is_open, in `a`. */
static int compare_known(const KeyBound *a, const KeyBound *b, bool *a_is_open) {
    ESTACK(stack);
    int order = 0;
    for (estack_push2(&stack, a->pattern, b->pattern); order == 0 && !estack_is_empty(&stack);) {
        Term q = estack_pop(&stack), p = estack_pop(&stack);
        *a_is_open = is_open(a, p);
        if (*a_is_open || is_open(b, q))
            return 0;
        if (is_list(p) && is_list(q)) {
            estack_push2(&stack, list_tail(p), list_tail(q));
            estack_push2(&stack, list_head(p), list_head(q));
        } else if (is_tuple(p) && is_tuple(q) && tuple_arity(p) == tuple_arity(q)) {
            for (size_t i = tuple_arity(p); i-- > 0;)
                estack_push2(&stack, tuple_elements(p)[i], tuple_elements(q)[i]);
        } else { /* where one is a list or a tuple, only that is looked at, or how large it is */
            order = term_compare(p, q);
        }
    }
    return order;
}

int match_bound_compare(const KeyBound *bound, Term key) {
    bool open;
    return bound->is_key ? term_compare(bound->pattern, key) : compare_known(bound, &(KeyBound){key, true}, &open);
}

/* `b` becomes one that has `other` on this side of it, too: where they are the same, the one that is sooner open. */
static void widen(KeyBound *b, const KeyBound *other, bool low) {
    bool open = false;
    int order = compare_known(other, b, &open);
    if (open || (low ? order < 0 : order > 0))
        *b = *other;
}

bool match_spec_key_range(const MatchSpec *spec, size_t keypos, KeyRange *range) {
    bool any = false;
    *range = (KeyRange){{NON_VALUE, false}, {NON_VALUE, false}};
    long_work_count_large(spec->clause_count, UNITS_PER_CLAUSE);
    for (size_t i = 0; i < spec->clause_count; i++) {
        bool never;
        Term key = match_spec_clause_key(spec, i, keypos, &never), head = spec->clauses[i].head;
        if (never)
            continue;
        KeyBound b = {is_tuple(head) ? tuple_elements(head)[keypos - 1] : am_underscore, is_value(key)};
        if (!is_bound(&b)) {
            *range = (KeyRange){{NON_VALUE, false}, {NON_VALUE, false}};
            return true;
        }
        if (!any)
            range->low = range->high = b;
        widen(&range->low, &b, true);
        widen(&range->high, &b, false);
        any = true;
    }
    return any;
}

/* What results keep */

static bool is_const(Term expression) {
    return is_tuple_arity(expression, 2) && tuple_elements(expression)[0] == am_const;
}

/* {{Expression, ...}}: a tuple is made. */
static bool is_constructor(Term expression) {
    return is_tuple_arity(expression, 1) && is_tuple(tuple_elements(expression)[0]);
}

/* A pattern and an expression that are no tuples nor lists. */
static bool same_leaf(Term pattern, Term expression) {
    if (match_variable(pattern) >= 0)
        return expression == pattern;
    return pattern != am_underscore && !is_map(pattern) && expression != am_match_object &&
           expression != am_match_variables && term_identical(pattern, expression);
}

/* Does the expression make what the pattern matched? Only by its form: a variable is the same variable, a list or a
 * tuple has the same parts. */
static bool makes_same(Term pattern, Term expression) {
    ESTACK(stack);
    bool same = true;
    for (estack_push2(&stack, pattern, expression); same && !estack_is_empty(&stack);) {
        expression = estack_pop(&stack);
        pattern = estack_pop(&stack);
        if (is_const(expression)) {
            same = is_just_itself(pattern) && term_identical(pattern, tuple_elements(expression)[1]);
        } else if (is_list(pattern) && is_list(expression)) {
            estack_push2(&stack, list_tail(pattern), list_tail(expression));
            estack_push2(&stack, list_head(pattern), list_head(expression));
        } else if (is_tuple(pattern) && is_constructor(expression)) {
            Term made = tuple_elements(expression)[0];
            same = tuple_arity(made) == tuple_arity(pattern);
            for (size_t i = 0; same && i < tuple_arity(pattern); i++)
                estack_push2(&stack, tuple_elements(pattern)[i], tuple_elements(made)[i]);
        } else {
            same = !is_tuple(expression) && !is_list(expression) && same_leaf(pattern, expression);
        }
    }
    return same;
}

/* {element, KeyPos, '$_'} */
static bool is_own_key(Term expression, size_t keypos) {
    const Term *e = is_tuple_arity(expression, 3) ? tuple_elements(expression) : NULL;
    return e != NULL && e[0] == am_element && e[1] == small_make((SWord)keypos) && e[2] == am_match_object;
}

static bool result_keeps_key(Term head, Term result, size_t keypos) {
    if (result == am_match_object)
        return true;
    if (!is_tuple(head) || tuple_arity(head) < keypos)
        return false;
    Term key = tuple_elements(head)[keypos - 1];
    if (is_const(result)) {
        Term object = tuple_elements(result)[1];
        return is_tuple(object) && tuple_arity(object) >= keypos && is_just_itself(key) &&
               term_identical(tuple_elements(object)[keypos - 1], key);
    }
    if (!is_constructor(result) || tuple_arity(tuple_elements(result)[0]) < keypos)
        return false;
    Term made = tuple_elements(tuple_elements(result)[0])[keypos - 1];
    return is_own_key(made, keypos) || makes_same(key, made);
}

bool match_spec_keeps_key(Term spec, size_t keypos) {
    for (; is_list(spec); spec = list_tail(spec)) {
        const Term *clause = tuple_elements(list_head(spec));
        Term body = clause[2];
        if (!is_list(body) || !is_nil(list_tail(body)) || !result_keeps_key(clause[0], list_head(body), keypos))
            return false;
    }
    return true;
}

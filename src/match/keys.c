/* What tables ask about keys: which one a head is about, and whether results keep it. */
#include "am.h"
#include "base/estack.h"
#include "match/program.h"
#include "term/compare.h"
#include "term/map.h"

static void push_map(EStack *stack, Term map) {
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        estack_push2(stack, key, value);
}

/* Without variables. A map as a pattern is not just that map: `maps`, whether that matters not. */
static bool is_ground(Term pattern, bool maps) {
    ESTACK(stack);
    for (estack_push(&stack, pattern); !estack_is_empty(&stack);) {
        Term t = estack_pop(&stack);
        if (is_list(t)) {
            estack_push2(&stack, list_tail(t), list_head(t));
        } else if (is_tuple(t)) {
            for (size_t i = 0; i < tuple_arity(t); i++)
                estack_push(&stack, tuple_elements(t)[i]);
        } else if (is_map(t) && maps) {
            push_map(&stack, t);
        } else if (is_map(t) || t == am_underscore || match_variable(t) >= 0) {
            return false;
        }
    }
    return true;
}

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
        return is_ground(key, true) ? key : NON_VALUE;
    }
    *never = is_ground(head, true);
    return NON_VALUE;
}

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
            same = is_ground(pattern, false) && term_identical(pattern, tuple_elements(expression)[1]);
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
        return is_tuple(object) && tuple_arity(object) >= keypos && is_ground(key, false) &&
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

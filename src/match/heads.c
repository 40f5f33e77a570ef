/*
 * Heads of match specifications to code. Nested patterns are walked with explicit stacks.
 *
 * In the trace dialects what is matched is a list of arguments, and a head is such a list, a tuple, which counts as the
 * list of its elements, or one variable. Source: answers of OTP 25.
 */
#include "base/long_work.h"
#include "match/compiler.h"
#include "term/atom.h"
#include "term/float.h"
#include "term/map.h"

/* Notes a variable, or that there is a compound term to be looked into. */
static void look_at(MatchCompiler *c, EStack *stack, Term t) {
    int64_t number = match_variable(t);
    if (number >= 0)
        match_add_variable(c, number);
    else if (is_list(t) || is_tuple(t) || is_map(t))
        estack_push(stack, t);
}

static bool are_pattern_keys(MatchCompiler *c, EStack *stack, Term map) {
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);) {
        bool is_variable = match_variable(key) >= 0;
        if (is_variable || key == am_underscore) {
            match_error(c, is_variable ? "Variable found in map key." : "Underscore found in map key.");
            return false;
        }
        look_at(c, stack, value);
    }
    return true;
}

/* Which variables has the head, and are its maps good? Of several that are not, the one is told that the stock runtime
 * meets first: what is in a list, tuple or map is looked at when that is done, the last first. */
static bool look_through(MatchCompiler *c, Term head) {
    ESTACK(stack);
    c->variable_count = 0;
    look_at(c, &stack, head);
    while (!estack_is_empty(&stack)) {
        Term t = estack_pop(&stack);
        for (; is_list(t); t = list_tail(t)) {
            long_work_count(MATCH_UNITS_PER_TERM);
            look_at(c, &stack, list_head(t));
        }
        if (is_map(t) && !are_pattern_keys(c, &stack, t))
            return false;
        for (size_t i = 0; is_tuple(t) && i < tuple_arity(t); i++)
            look_at(c, &stack, tuple_elements(t)[i]);
        if (!is_tuple(t) && !is_map(t))
            look_at(c, &stack, t);
    }
    match_sort_variables(c);
    return true;
}

/* The work stack holds terms; END_OF, with the term below it, is for when all parts of a list or tuple are done. */
#define END_OF NON_VALUE

static void compile_map_pattern(MatchCompiler *c, EStack *stack, Term map) {
    c->changing++;
    size_t count = map_size(map);
    match_emit2(c, M_MAP, count);
    match_grow_stack(c, count);
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        match_emit(c, key);
    /* At run time the first key's value is on top: compile in the same order. */
    size_t base = estack_count(stack);
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        estack_push(stack, value);
    for (Word *low = stack->base + base, *high = stack->top - 1; low < high; low++, high--) {
        Word w = *low;
        *low = *high;
        *high = w;
    }
}

static void compile_variable_pattern(MatchCompiler *c, int64_t number) {
    MatchVariable *v = match_find_variable(c, number);
    c->changing++;
    match_emit2(c, v->is_bound ? M_SAME : M_BIND, match_variable_slot(c, v));
    v->is_bound = true;
}

static void compile_parts(MatchCompiler *c, EStack *stack, EStack *marks, Term t) {
    match_mark(c, marks);
    estack_push2(stack, t, END_OF);
    if (is_list(t)) {
        match_emit(c, M_LIST);
        match_grow_stack(c, 1);
        estack_push2(stack, list_tail(t), list_head(t));
        return;
    }
    match_emit2(c, M_TUPLE, tuple_arity(t));
    match_grow_stack(c, tuple_arity(t));
    for (size_t i = tuple_arity(t); i-- > 0;)
        estack_push(stack, tuple_elements(t)[i]);
}

/* A list or tuple without variables or maps is compared as a whole. */
static void end_parts(MatchCompiler *c, EStack *marks, Term t) {
    MatchMark mark = match_unmark(marks);
    if (c->changing != mark.changing)
        return;
    match_take_back(c, &mark);
    match_emit2(c, M_CONSTANT, t);
}

static void compile_pattern(MatchCompiler *c, Term head) {
    ESTACK(stack);
    ESTACK(marks);
    estack_push(&stack, head);
    while (!estack_is_empty(&stack)) {
        Term t = estack_pop(&stack);
        int64_t number = match_variable(t);
        long_work_count(MATCH_UNITS_PER_TERM);
        if (t == END_OF) {
            end_parts(c, &marks, estack_pop(&stack));
        } else if (t == am_underscore) {
            c->changing++;
            match_emit(c, M_ANY);
        } else if (number >= 0) {
            compile_variable_pattern(c, number);
        } else if (is_list(t) || is_tuple(t)) {
            compile_parts(c, &stack, &marks, t);
        } else if (is_map(t)) {
            compile_map_pattern(c, &stack, t);
        } else if (is_float(t) && float_value(t) == 0) {
            c->changing++; /* not to be compared as a part of something: =:= does not tell the signs of zeros apart */
            match_emit2(c, M_ZERO, t);
        } else {
            match_emit2(c, M_CONSTANT, t);
        }
    }
}

static void compile_arguments(MatchCompiler *c, Term tuple) {
    for (size_t i = 0; i < tuple_arity(tuple); i++) {
        match_emit(c, M_LIST);
        match_grow_stack(c, 1);
        compile_pattern(c, tuple_elements(tuple)[i]);
    }
    match_emit2(c, M_CONSTANT, NIL);
}

/* What is wrong within it counts before its form. */
bool match_compile_head(MatchCompiler *c, Term head) {
    bool fits = is_of_table(c) || is_list(head) || is_nil(head) || is_tuple(head) || head == am_underscore ||
                match_variable(head) >= 0;
    if (!look_through(c, head))
        return false;
    if (!fits)
        match_error(c, "Match head is invalid in this context.");
    else if (!is_of_table(c) && is_tuple(head))
        compile_arguments(c, head);
    else
        compile_pattern(c, head);
    return fits;
}

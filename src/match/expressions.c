/*
 * Guards and bodies of match specifications to code. Nested expressions are walked with an explicit stack.
 *
 * The elements of a tuple, a map's values and then its keys, and the arguments of calls are evaluated from the last to
 * the first; the elements of a list, and the arguments of andalso and orelse, from the first to the last. It shows
 * where a specification is refused, and where actions change what others ask for. Source: answers of OTP 25.
 */
#include "alloc/alloc.h"
#include "base/estack.h"
#include "match/compiler.h"
#include "term/atom.h"
#include "term/map.h"

/* The work stack holds triples: what to do, and two words for it; what is pushed last is done first. */

enum { DO_EXPRESSION, DO_EMIT, DO_EMIT2, DO_LABEL, DO_JUMP, DO_REPEAT_ERRORS };

static void work(EStack *s, Word what, Word a, Word b) { estack_push3(s, what, a, b); }

static Word new_label(MatchCompiler *c) {
    if (c->label_count == c->label_capacity) {
        c->label_capacity = c->label_capacity ? 2 * c->label_capacity : 8;
        c->labels = mem_realloc(ALLOC_MATCH_SPEC, c->labels, c->label_capacity * WORD_BYTES);
    }
    return c->label_count++;
}

/* Is the list made of what stands for itself only? */
static bool is_plain_list(Term list) {
    ESTACK(stack);
    for (estack_push(&stack, list); !estack_is_empty(&stack);) {
        Term t = estack_pop(&stack);
        for (; is_list(t); t = list_tail(t)) {
            Term head = list_head(t);
            if (is_list(head))
                estack_push(&stack, head);
            else if (is_tuple(head) || is_map(head) || is_atom(head))
                return false;
        }
        if (is_tuple(t) || is_map(t) || is_atom(t))
            return false;
    }
    return true;
}

static void compile_atom(MatchCompiler *c, Term t, bool copy) {
    int64_t number = match_variable(t);
    match_grow_stack(c, 1);
    if (number >= 0) {
        MatchVariable *known = match_find_variable(c, number);
        if (!known) {
            match_error(c, "Variable $%lld is unbound.", (long long)number);
            return;
        }
        match_emit2(c, copy ? M_VARIABLE_COPY : M_VARIABLE, known->slot);
    } else if (t == am_match_object) {
        match_emit(c, copy ? M_OBJECT_COPY : M_OBJECT);
    } else if (t == am_match_variables) {
        match_emit2(c, copy ? M_ALL_COPY : M_ALL, c->variable_count);
        for (size_t i = 0; i < c->variable_count; i++)
            match_emit(c, c->variables[i].slot);
    } else {
        match_emit2(c, M_PUSH, t);
    }
}

static void expand_list(MatchCompiler *c, EStack *s, Term list, bool copy) {
    size_t count = 0, base;
    Term t = list;
    for (; is_list(t); t = list_tail(t))
        count++;
    work(s, DO_EMIT2, M_MAKE_LIST, count);
    work(s, DO_EXPRESSION, t, copy);
    base = estack_count(s);
    for (t = list; is_list(t); t = list_tail(t))
        work(s, DO_EXPRESSION, list_head(t), copy);
    /* the head is done first: turn the triples round */
    for (Word *low = s->base + base, *high = s->top - 3; low < high; low += 3, high -= 3)
        for (unsigned i = 0; i < 3; i++) {
            Word w = low[i];
            low[i] = high[i];
            high[i] = w;
        }
}

/* The last is done first. */
static void push_all(EStack *s, const Term *expressions, size_t count, bool copy) {
    for (size_t i = 0; i < count; i++)
        work(s, DO_EXPRESSION, expressions[i], copy);
}

/* Does it stand for itself, whatever is matched? */
static bool is_constant(Term expression) {
    ESTACK(stack);
    for (estack_push(&stack, expression); !estack_is_empty(&stack);) {
        Term t = estack_pop(&stack);
        if (is_list(t)) {
            estack_push2(&stack, list_tail(t), list_head(t));
        } else if (is_map(t)) {
            MapIterator it;
            Term key, value;
            for (map_iterator_init(&it, t); map_iterator_next(&it, &key, &value);)
                estack_push2(&stack, key, value);
        } else if (is_tuple_arity(t, 1) && is_tuple(tuple_elements(t)[0])) {
            t = tuple_elements(t)[0];
            for (size_t i = 0; i < tuple_arity(t); i++)
                estack_push(&stack, tuple_elements(t)[i]);
        } else if (match_variable(t) >= 0 || t == am_match_object || t == am_match_variables ||
                   (is_tuple(t) && !(is_tuple_arity(t, 2) && tuple_elements(t)[0] == am_const))) {
            return false;
        }
    }
    return true;
}

static bool has_constant_values(Term map) {
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        if (!is_constant(value))
            return false;
    return true;
}

/* Room for the pairs is below the keys and values when it is made. */
static void expand_map(MatchCompiler *c, EStack *s, Term map, bool copy) {
    work(s, DO_EMIT2, M_MAKE_MAP, map_size(map));
    if (has_constant_values(map)) /* what is wrong with the keys is told twice then, as on the stock runtime */
        work(s, DO_REPEAT_ERRORS, c->errors.count, 0);
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        work(s, DO_EXPRESSION, key, copy);
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        work(s, DO_EXPRESSION, value, copy);
    match_grow_stack(c, 2 * map_size(map));
}

static void expand_andalso(MatchCompiler *c, EStack *s, Term name, const Term *arguments, size_t count, bool copy) {
    Word end = new_label(c);
    work(s, DO_LABEL, end, 0);
    for (size_t i = count; i-- > 0;) {
        work(s, DO_EXPRESSION, arguments[i], copy);
        if (i > 0)
            work(s, DO_JUMP, name == am_andalso ? M_ANDALSO : M_ORELSE, end);
    }
}

static const MatchActionName *find_action(Term name, size_t arity) {
    const MatchActionName *other_arity = NULL;
    for (size_t i = 0; i < match_action_count; i++)
        if (match_actions[i].name == name) {
            if (match_actions[i].arity == arity)
                return &match_actions[i];
            other_arity = &match_actions[i];
        }
    return other_arity;
}

/* How many entries a stack trace may have is a part of the program. */
static bool is_depth(MatchCompiler *c, Term t) {
    if (!is_small(t))
        match_error(c, "Special form 'current_stacktrace' called with non small argument.");
    else if (small_value(t) < 0)
        match_error(c, "Special form 'current_stacktrace' called with negative integer argument.");
    return is_small(t) && small_value(t) >= 0;
}

static bool is_allowed_function(MatchCompiler *c, const MatchActionName *action, size_t arity, bool here) {
    if (action->arity != arity)
        match_error_function(c, "Function %s does_not_exist.", action->name, arity);
    else if (!here)
        match_error_function(c, "Function %s cannot be called in this context.", action->name, arity);
    return action->arity == arity && here;
}

/* Is the action one of the dialect, in its place, and called as it must be? */
static bool is_allowed(MatchCompiler *c, const MatchActionName *action, Term call) {
    size_t arity = tuple_arity(call) - 1;
    bool is_known = !is_of_table(c) && c->dialect <= action->last, here = c->body || action->in_guards;
    /* as the stock runtime has it */
    Term name = action->name == am_set_seq_token ? am_set_seq_trace : action->name;
    if (action->is_function)
        return is_allowed_function(c, action, arity, is_known && here);
    if (!is_known)
        match_error_form(c, "Special form '%s' used in wrong dialect.", name);
    else if (!here)
        match_error_form(c, "Special form '%s' called in guard context.", name);
    else if (action->arity != arity)
        match_error_arguments(c, action->name, action->arity == 0, call);
    else
        return action->name != am_current_stacktrace || arity == 0 || is_depth(c, tuple_elements(call)[1]);
    return false;
}

/* An action may keep what it is given: a message, a label. */
static void expand_action(MatchCompiler *c, EStack *s, const MatchActionName *action, Term call) {
    size_t arity = tuple_arity(call) - 1;
    if (!is_allowed(c, action, call))
        return;
    work(s, DO_EMIT2, M_ACTION, action->name | (Word)arity << 48);
    push_all(s, tuple_elements(call) + 1, arity, true);
}

static const MatchFunction *find_function(Term name, size_t arity) {
    for (size_t i = 0; i < match_function_count(); i++)
        if (match_functions[i].name == name && match_functions[i].arity == arity)
            return &match_functions[i];
    return NULL;
}

static void expand_function(MatchCompiler *c, EStack *s, Term call, bool copy) {
    Term name = tuple_elements(call)[0];
    const Term *arguments = tuple_elements(call) + 1;
    size_t arity = tuple_arity(call) - 1;
    const MatchActionName *action = find_action(name, arity);
    const MatchFunction *function = find_function(name, arity);
    if (action) {
        expand_action(c, s, action, call);
    } else if (!function && name == am_self) {
        match_error_arguments(c, name, true, call);
    } else if (!function) {
        match_error_function(c, "Function %s does_not_exist.", name, arity);
    } else {
        if (copy && function->returns_part)
            work(s, DO_EMIT, M_COPY, 0);
        work(s, DO_EMIT2, M_CALL, (Word)(function - match_functions) | (Word)arity << 48);
        push_all(s, arguments, arity, false);
    }
}

/* Reserved words are told without their quotes. */
static void error_no_arguments(MatchCompiler *c, Term name) {
    const AtomName *n = atom_name(name);
    int size = (int)n->byte_count;
    const char *text = (const char *)n->bytes;
    match_error(c, "Special form '%.*s' called without arguments in {%.*s}.", size, text, size, text);
}

static void expand_and(EStack *s, const Term *call, size_t count) {
    work(s, DO_EMIT2, call[0] == am_and ? M_AND : M_OR, count);
    push_all(s, call + 1, count, false);
}

/* A tuple: {{...}} makes one, {const, X} is X, all others are calls. */
static void expand_tuple(MatchCompiler *c, EStack *s, Term t, bool copy) {
    size_t arity = tuple_arity(t);
    const Term *e = tuple_elements(t);
    if (arity == 1 && is_tuple(e[0])) {
        work(s, DO_EMIT2, M_MAKE_TUPLE, tuple_arity(e[0]));
        push_all(s, tuple_elements(e[0]), tuple_arity(e[0]), copy);
    } else if (arity == 0 || !is_atom(e[0]) || match_variable(e[0]) >= 0) {
        match_error_term(c, "%s is neither a function call, nor a tuple (tuples are written {{ ... }}).", t);
    } else if (e[0] == am_const) {
        if (arity == 2) {
            match_emit2(c, copy ? M_PUSH_COPY : M_PUSH, e[1]);
            match_grow_stack(c, 1);
        } else {
            match_error_term(c, "Special form 'const' called with more than one argument in %s.", t);
        }
    } else if (e[0] == am_and || e[0] == am_or || e[0] == am_andalso || e[0] == am_orelse) {
        if (arity == 1)
            error_no_arguments(c, e[0]);
        else if (e[0] == am_and || e[0] == am_or)
            expand_and(s, e, arity - 1);
        else
            expand_andalso(c, s, e[0], e + 1, arity - 1, copy);
    } else {
        expand_function(c, s, t, copy);
    }
}

void match_compile_expression(MatchCompiler *c, Term expression, bool copy) {
    ESTACK(s);
    work(&s, DO_EXPRESSION, expression, copy);
    while (!estack_is_empty(&s)) {
        Word b = estack_pop(&s), a = estack_pop(&s), what = estack_pop(&s);
        switch (what) {
        case DO_EMIT: match_emit(c, a); break;
        case DO_EMIT2:
            if (a == M_CALL || a == M_ACTION) {
                match_emit2(c, (MatchInstruction)a, b & (((Word)1 << 48) - 1));
                match_emit(c, b >> 48);
            } else {
                match_emit2(c, (MatchInstruction)a, b);
            }
            match_grow_stack(c, 1);
            break;
        case DO_JUMP: match_emit2(c, (MatchInstruction)a, b); break;
        case DO_REPEAT_ERRORS: match_repeat_errors(c, a); break;
        case DO_LABEL: c->labels[a] = c->spec->code_count; break;
        default:
            if (is_atom(a))
                compile_atom(c, a, b);
            else if (is_tuple(a))
                expand_tuple(c, &s, a, b);
            else if (is_map(a))
                expand_map(c, &s, a, b);
            else if (is_list(a) && !is_plain_list(a))
                expand_list(c, &s, a, b);
            else {
                match_emit2(c, b && is_pointer(a) ? M_PUSH_COPY : M_PUSH, a);
                match_grow_stack(c, 1);
            }
        }
    }
}

static size_t instruction_words(const Word *ip) {
    switch ((MatchInstruction)*ip) {
    case M_CALL:
    case M_ACTION: return 3;
    case M_MAP:
    case M_ALL:
    case M_ALL_COPY: return 2 + ip[1];
    case M_ANY:
    case M_LIST:
    case M_GUARD:
    case M_BODY:
    case M_RETURN:
    case M_POP:
    case M_OBJECT:
    case M_OBJECT_COPY:
    case M_COPY:
    case M_FAIL: return 1;
    default: return 2;
    }
}

/* Jumps hold label numbers until all of a clause is there: then they get places. */
void match_place_labels(MatchCompiler *c, size_t from) {
    Word *ip = c->spec->code + from, *end = c->spec->code + c->spec->code_count;
    for (; ip < end; ip += instruction_words(ip))
        if (*ip == M_ANDALSO || *ip == M_ORELSE)
            ip[1] = c->labels[ip[1]];
    c->label_count = 0;
}


/*
 * Guards and bodies of match specifications to code. Nested expressions are walked with an explicit stack.
 *
 * The elements of a tuple, a map's values and then its keys, and the arguments of calls are evaluated from the last to
 * the first; the elements of a list, and the arguments of andalso and orelse, from the first to the last. It shows
 * where a specification is refused, and where actions change what others ask for. Source: answers of OTP 25.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "match/compiler.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/map.h"

/*
 * The work stack holds triples: what to do, and two words for it; what is pushed last is done first. An expression's
 * second word says whether it is to be copied, and how deep it is nested: the bytes of stack that the stock runtime of
 * 64 bits has used up when it gets there, by what each level takes there (measured). It gives up at a certain depth.
 * A cell of a list is a level, however long the list.
 */
enum { DO_EXPRESSION, DO_EMIT, DO_EMIT2, DO_LABEL, DO_JUMP, DO_LIST, DO_MAP_KEYS, DO_MAP, DO_REPEAT_ERRORS };
enum { LEVEL_OF_LIST = 160, LEVEL_OF_CALL = 160, LEVEL_OF_TUPLE = 224, LEVEL_OF_MAP = 344, DEEPEST = 510600 };

typedef struct {
    bool copy;
    uint32_t nesting;
} How;
static Word how_word(How how) { return (Word)how.nesting << 1 | how.copy; }
static How how_of(Word w) { return (How){w & 1, (uint32_t)(w >> 1)}; }
static How deeper(How how, uint32_t level) { return (How){how.copy, how.nesting + level}; }

static void work(EStack *s, Word what, Word a, Word b) { estack_push3(s, what, a, b); }
static void work_on(EStack *s, Term expression, How how) { work(s, DO_EXPRESSION, expression, how_word(how)); }

static Word new_label(MatchCompiler *c) {
    if (c->label_count == c->label_capacity) {
        c->label_capacity = c->label_capacity ? 2 * c->label_capacity : 8;
        c->labels = mem_realloc(ALLOC_MATCH_SPEC, c->labels, c->label_capacity * WORD_BYTES);
    }
    return c->label_count++;
}

/* What it gives depends on the object, or on when it is asked. */
static void is_changing(MatchCompiler *c) {
    c->changing++;
    c->rewritten++;
}

static void push_constant(MatchCompiler *c, Term t, bool copy) {
    match_emit2(c, copy && is_pointer(t) ? M_PUSH_COPY : M_PUSH, t);
    match_grow_stack(c, 1);
}

static void compile_variable(MatchCompiler *c, int64_t number, bool copy) {
    MatchVariable *known = match_find_variable(c, number);
    if (known)
        match_emit2(c, copy ? M_VARIABLE_COPY : M_VARIABLE, match_variable_slot(c, known));
    else
        match_error(c, "Variable $%lld is unbound.", (long long)number);
}

static void compile_atom(MatchCompiler *c, Term t, bool copy) {
    int64_t number = match_variable(t);
    if (number < 0 && t != am_match_object && t != am_match_variables) {
        push_constant(c, t, copy);
        return;
    }
    is_changing(c);
    match_grow_stack(c, 1);
    if (number >= 0) {
        compile_variable(c, number, copy);
    } else if (t == am_match_object) {
        match_emit(c, copy ? M_OBJECT_COPY : M_OBJECT);
    } else {
        match_emit2(c, copy ? M_ALL_COPY : M_ALL, c->variable_count);
    }
}

static void turn_round(EStack *s, size_t from) {
    for (Word *low = s->base + from, *high = s->top - 3; low < high; low += 3, high -= 3)
        for (unsigned i = 0; i < 3; i++) {
            Word w = low[i];
            low[i] = high[i];
            high[i] = w;
        }
}

/* The elements, the first one first, and the tail. What is too deep ends it: that one is refused, and the rest. */
static void expand_list(EStack *s, Term list, How how) {
    How each = how;
    Term t = list;
    work(s, DO_LIST, list, how_word(how));
    size_t base = estack_count(s);
    while (is_list(t) && each.nesting <= DEEPEST) {
        each = deeper(each, LEVEL_OF_LIST);
        work_on(s, list_head(t), each);
        t = list_tail(t);
    }
    work_on(s, t, each);
    turn_round(s, base);
}

static size_t cells_of(Term list) {
    size_t count = 0;
    for (; is_list(list); list = list_tail(list))
        count++;
    return count;
}

static void make_list(MatchCompiler *c, EStack *marks, Term list, How how) {
    MatchMark mark = match_unmark(marks);
    if (c->rewritten == mark.rewritten) {
        match_take_back(c, &mark);
        push_constant(c, list, how.copy);
        return;
    }
    match_emit2(c, M_MAKE_LIST, cells_of(list));
    match_grow_stack(c, 1);
}

/* The last is done first. */
static void push_all(EStack *s, const Term *expressions, size_t count, How how) {
    for (size_t i = 0; i < count; i++)
        work_on(s, expressions[i], how);
}

/* Room for the pairs is below the keys and values when it is made. */
static void expand_map(MatchCompiler *c, EStack *s, Term map, How how) {
    work(s, DO_MAP, map, how_word(how));
    work(s, DO_MAP_KEYS, map, how_word(how));
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        work_on(s, value, deeper(how, LEVEL_OF_MAP));
    match_grow_stack(c, 2 * map_size(map));
}

/* When the values are constant, what is wrong with the keys is told twice, before RELEASE_KEY_ERRORS_ONCE. */
static void expand_keys(MatchCompiler *c, EStack *s, EStack *marks, Term map, How how) {
    MatchMark mark = match_unmark(marks);
    marks->top += MATCH_MARK_WORDS;
    if (c->changing == mark.changing && !release_has(RELEASE_KEY_ERRORS_ONCE))
        work(s, DO_REPEAT_ERRORS, c->errors.count, 0);
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);)
        work_on(s, key, deeper(how, LEVEL_OF_MAP));
}

static void make_map(MatchCompiler *c, EStack *marks, Term map, How how) {
    MatchMark mark = match_unmark(marks);
    if (c->rewritten == mark.rewritten) {
        match_take_back(c, &mark);
        push_constant(c, map, how.copy);
        return;
    }
    match_emit2(c, M_MAKE_MAP, map_size(map));
    match_grow_stack(c, 1);
}

static void expand_andalso(MatchCompiler *c, EStack *s, Term name, const Term *arguments, size_t count, How how) {
    Word end = new_label(c);
    work(s, DO_LABEL, end, 0);
    for (size_t i = count; i-- > 0;) {
        work_on(s, arguments[i], how);
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
static void expand_action(MatchCompiler *c, EStack *s, const MatchActionName *action, Term call, uint32_t nesting) {
    size_t arity = tuple_arity(call) - 1;
    if (!is_allowed(c, action, call))
        return;
    work(s, DO_EMIT2, M_ACTION, action->name | (Word)arity << 48);
    push_all(s, tuple_elements(call) + 1, arity, (How){true, nesting});
}

static const MatchFunction *find_function(Term name, size_t arity) {
    for (size_t i = 0, count = match_function_count(); i < count; i++)
        if (match_functions[i].name == name && match_functions[i].arity == arity)
            return &match_functions[i];
    return NULL;
}

static void expand_function(MatchCompiler *c, EStack *s, Term call, How how) {
    Term name = tuple_elements(call)[0];
    const Term *arguments = tuple_elements(call) + 1;
    size_t arity = tuple_arity(call) - 1;
    const MatchActionName *action = find_action(name, arity);
    const MatchFunction *function = find_function(name, arity);
    if (action) {
        expand_action(c, s, action, call, how.nesting);
    } else if (!function && name == am_self) {
        match_error_arguments(c, name, true, call);
    } else if (!function) {
        match_error_function(c, "Function %s does_not_exist.", name, arity);
    } else {
        if (how.copy && function->returns_part)
            work(s, DO_EMIT, M_COPY, 0);
        work(s, DO_EMIT2, M_CALL, (Word)(function - match_functions) | (Word)arity << 48);
        push_all(s, arguments, arity, (How){false, how.nesting});
    }
}

/* Reserved words are told without their quotes. */
static void error_no_arguments(MatchCompiler *c, Term name) {
    const AtomName *n = atom_name(name);
    int size = (int)n->byte_count;
    const char *text = (const char *)n->bytes;
    match_error(c, "Special form '%.*s' called without arguments in {%.*s}.", size, text, size, text);
}

static void expand_and(EStack *s, const Term *call, size_t count, uint32_t nesting) {
    work(s, DO_EMIT2, call[0] == am_and ? M_AND : M_OR, count);
    push_all(s, call + 1, count, (How){false, nesting});
}

static void compile_const(MatchCompiler *c, Term t, bool copy) {
    if (tuple_arity(t) == 2) {
        push_constant(c, tuple_elements(t)[1], copy);
        return;
    }
    c->changing++;
    match_error_term(c, "Special form 'const' called with more than one argument in %s.", t);
}

/* `how` is its arguments'. */
static void expand_call(MatchCompiler *c, EStack *s, Term t, How how) {
    size_t arity = tuple_arity(t);
    const Term *e = tuple_elements(t);
    bool is_and = e[0] == am_and || e[0] == am_or;
    c->changing++;
    if (!is_and && e[0] != am_andalso && e[0] != am_orelse)
        expand_function(c, s, t, how);
    else if (arity == 1)
        error_no_arguments(c, e[0]);
    else if (is_and)
        expand_and(s, e, arity - 1, how.nesting);
    else
        expand_andalso(c, s, e[0], e + 1, arity - 1, how);
}

/* A tuple: {{...}} makes one, {const, X} is X, all others are calls. */
static void expand_tuple(MatchCompiler *c, EStack *s, Term t, How how) {
    size_t arity = tuple_arity(t);
    const Term *e = tuple_elements(t);
    c->rewritten++;
    if (arity == 1 && is_tuple(e[0])) {
        work(s, DO_EMIT2, M_MAKE_TUPLE, tuple_arity(e[0]));
        push_all(s, tuple_elements(e[0]), tuple_arity(e[0]), deeper(how, LEVEL_OF_TUPLE));
    } else if (arity == 0 || !is_atom(e[0]) || match_variable(e[0]) >= 0) {
        c->changing++;
        match_error_term(c, "%s is neither a function call, nor a tuple (tuples are written {{ ... }}).", t);
    } else if (e[0] == am_const) {
        compile_const(c, t, how.copy);
    } else {
        expand_call(c, s, t, deeper(how, LEVEL_OF_CALL));
    }
}

static void refuse_depth(MatchCompiler *c, Term t) {
    is_changing(c);
    c->is_too_deep |= c->errors.count == 0;
    match_error_term(c, "Excessive nesting; system limit reached near: %s", t);
}

static void expand(MatchCompiler *c, EStack *s, EStack *marks, Term t, How how) {
    if (how.nesting > DEEPEST) {
        refuse_depth(c, t);
    } else if (is_atom(t)) {
        compile_atom(c, t, how.copy);
    } else if (is_tuple(t)) {
        expand_tuple(c, s, t, how);
    } else if (is_map(t)) {
        match_mark(c, marks);
        expand_map(c, s, t, how);
    } else if (is_list(t)) {
        match_mark(c, marks);
        expand_list(s, t, how);
    } else {
        push_constant(c, t, how.copy);
    }
}

static void emit2(MatchCompiler *c, Word op, Word operand) {
    if (op == M_CALL || op == M_ACTION) {
        match_emit2(c, (MatchInstruction)op, operand & (((Word)1 << 48) - 1));
        match_emit(c, operand >> 48);
    } else {
        match_emit2(c, (MatchInstruction)op, operand);
    }
    match_grow_stack(c, 1);
}

void match_compile_expression(MatchCompiler *c, Term expression, bool copy) {
    ESTACK(s);
    ESTACK(marks);
    work_on(&s, expression, (How){copy, 0});
    while (!estack_is_empty(&s) && !match_has_failed(c)) {
        Word b = estack_pop(&s), a = estack_pop(&s), what = estack_pop(&s);
        long_work_count(MATCH_UNITS_PER_TERM);
        switch (what) {
        case DO_EMIT: match_emit(c, a); break;
        case DO_EMIT2: emit2(c, a, b); break;
        case DO_JUMP: match_emit2(c, (MatchInstruction)a, b); break;
        case DO_LIST: make_list(c, &marks, a, how_of(b)); break;
        case DO_MAP_KEYS: expand_keys(c, &s, &marks, a, how_of(b)); break;
        case DO_MAP: make_map(c, &marks, a, how_of(b)); break;
        case DO_REPEAT_ERRORS: match_repeat_errors(c, a); break;
        case DO_LABEL: c->labels[a] = c->spec->code_count; break;
        default: expand(c, &s, &marks, a, how_of(b));
        }
    }
}

static size_t instruction_words(const Word *ip) {
    switch ((MatchInstruction)*ip) {
    case M_CALL:
    case M_ACTION: return 3;
    case M_MAP: return 2 + ip[1];
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
    if (c->label_count == 0)
        return;
    for (; ip < end; ip += instruction_words(ip))
        if (*ip == M_ANDALSO || *ip == M_ORELSE)
            ip[1] = c->labels[ip[1]];
    c->label_count = 0;
}

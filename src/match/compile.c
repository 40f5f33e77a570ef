/*
 * Match specifications to programs. Nested patterns and expressions are walked with explicit stacks.
 */
#include "alloc/alloc.h"
#include "base/estack.h"
#include "heap/copy.h"
#include "match/program.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/map.h"
#include "term/print.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    uint32_t number, slot;
} Variable;

typedef struct {
    MatchSpec *spec;
    MatchDialect dialect;
    MatchErrors errors;
    Variable *variables; /* of the clause being compiled, in the order of their numbers */
    size_t variable_count, variable_capacity;
    size_t depth;        /* words on the stack here, at most */
    Word *labels;        /* where each is in the code */
    size_t label_count, label_capacity;
    bool body;
} Compiler;

/* Errors */

static void add_error(Compiler *c, const char *format, ...) printf_like(2, 3);
static void add_error(Compiler *c, const char *format, ...) {
    va_list arguments;
    char text[512];
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t bytes = n < (int)sizeof text ? (size_t)n + 1 : sizeof text;
    MatchErrors *e = &c->errors;
    e->texts = mem_realloc(ALLOC_MATCH_SPEC, e->texts, (e->count + 1) * sizeof *e->texts);
    e->texts[e->count] = mem_alloc(ALLOC_MATCH_SPEC, bytes);
    memcpy(e->texts[e->count++], text, bytes);
}

static void add_error_term(Compiler *c, const char *format, Term t) {
    TEXT(text);
    print_term(&text, t);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    add_error(c, format, text_cstring(&text));
#pragma clang diagnostic pop
}

static void add_error_function(Compiler *c, const char *format, Term name, size_t arity) {
    TEXT(text);
    print_atom(&text, name);
    if (arity != SIZE_MAX)
        text_format(&text, "/%zu", arity);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    add_error(c, format, text_cstring(&text));
#pragma clang diagnostic pop
}

static void add_error_call(Compiler *c, const MatchActionName *action, Term call) {
    TEXT(text);
    print_term(&text, call);
    TEXT(form);
    print_atom(&form, action->name);
    add_error(c, "Special form '%s' called with %sarguments in %s.", text_cstring(&form),
              action->arity == 0 ? "" : "wrong number of ", text_cstring(&text));
}

void match_errors_release(MatchErrors *errors) {
    for (size_t i = 0; i < errors->count; i++)
        mem_free(ALLOC_MATCH_SPEC, errors->texts[i]);
    mem_free(ALLOC_MATCH_SPEC, errors->texts);
    *errors = (MatchErrors){0};
}

/* Emitting */

static void emit(Compiler *c, Word w) {
    MatchSpec *s = c->spec;
    if (s->code_count == s->code_capacity) {
        s->code_capacity = s->code_capacity ? 2 * s->code_capacity : 64;
        s->code = mem_realloc(ALLOC_MATCH_SPEC, s->code, s->code_capacity * WORD_BYTES);
    }
    s->code[s->code_count++] = w;
}

static void emit2(Compiler *c, MatchInstruction op, Word operand) {
    emit(c, op);
    emit(c, operand);
}

static void grow_stack(Compiler *c, size_t by) {
    c->depth += by;
    if (c->depth > c->spec->stack_words)
        c->spec->stack_words = c->depth;
}

static Word new_label(Compiler *c) {
    if (c->label_count == c->label_capacity) {
        c->label_capacity = c->label_capacity ? 2 * c->label_capacity : 8;
        c->labels = mem_realloc(ALLOC_MATCH_SPEC, c->labels, c->label_capacity * WORD_BYTES);
    }
    return c->label_count++;
}

/* Variables */

int64_t match_variable(Term atom) {
    if (!is_atom(atom))
        return -1;
    const AtomName *name = atom_name(atom);
    size_t n = name->byte_count;
    if (n < 2 || n > 10 || name->bytes[0] != '$' || (name->bytes[1] == '0' && n > 2))
        return -1;
    int64_t number = 0;
    for (size_t i = 1; i < n; i++) {
        if (name->bytes[i] < '0' || name->bytes[i] > '9')
            return -1;
        number = number * 10 + (name->bytes[i] - '0');
    }
    return number;
}

static Variable *find_variable(Compiler *c, int64_t number) {
    for (size_t i = 0; i < c->variable_count; i++)
        if (c->variables[i].number == number)
            return &c->variables[i];
    return NULL;
}

static uint32_t add_variable(Compiler *c, int64_t number) {
    if (c->variable_count == c->variable_capacity) {
        c->variable_capacity = c->variable_capacity ? 2 * c->variable_capacity : 8;
        c->variables = mem_realloc(ALLOC_MATCH_SPEC, c->variables, c->variable_capacity * sizeof *c->variables);
    }
    size_t at = c->variable_count++;
    uint32_t slot = (uint32_t)at;
    for (; at > 0 && c->variables[at - 1].number > number; at--)
        c->variables[at] = c->variables[at - 1];
    c->variables[at] = (Variable){(uint32_t)number, slot};
    if (c->variable_count > c->spec->variables)
        c->spec->variables = c->variable_count;
    return slot;
}

/* Heads */

static void compile_map_pattern(Compiler *c, EStack *stack, Term map) {
    size_t count = map_size(map);
    emit2(c, M_MAP, count);
    grow_stack(c, count);
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);) {
        if (match_variable(key) >= 0)
            add_error(c, "Variable found in map key.");
        else if (key == am_underscore)
            add_error(c, "Underscore found in map key.");
        emit(c, key);
    }
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

static void compile_head(Compiler *c, Term head) {
    ESTACK(stack);
    estack_push(&stack, head);
    while (!estack_is_empty(&stack)) {
        Term t = estack_pop(&stack);
        int64_t number = match_variable(t);
        if (t == am_underscore) {
            emit(c, M_ANY);
        } else if (number >= 0) {
            Variable *known = find_variable(c, number);
            if (known)
                emit2(c, M_SAME, known->slot);
            else
                emit2(c, M_BIND, add_variable(c, number));
        } else if (match_is_ground(t)) {
            emit2(c, M_CONSTANT, t);
        } else if (is_list(t)) {
            emit(c, M_LIST);
            grow_stack(c, 1);
            estack_push2(&stack, list_tail(t), list_head(t));
        } else if (is_tuple(t)) {
            emit2(c, M_TUPLE, tuple_arity(t));
            grow_stack(c, tuple_arity(t));
            for (size_t i = tuple_arity(t); i-- > 0;)
                estack_push(&stack, tuple_elements(t)[i]);
        } else {
            compile_map_pattern(c, &stack, t);
        }
    }
}

/* Expressions. The work stack holds triples: what to do, and two words for it; what is pushed last is done first. */

enum { DO_EXPRESSION, DO_EMIT, DO_EMIT2, DO_LABEL, DO_JUMP };

static void work(EStack *s, Word what, Word a, Word b) { estack_push3(s, what, a, b); }

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

static void compile_atom(Compiler *c, Term t, bool copy) {
    int64_t number = match_variable(t);
    grow_stack(c, 1);
    if (number >= 0) {
        Variable *known = find_variable(c, number);
        if (!known) {
            add_error(c, "Variable $%lld is unbound.", (long long)number);
            return;
        }
        emit2(c, copy ? M_VARIABLE_COPY : M_VARIABLE, known->slot);
    } else if (t == am_match_object) {
        emit(c, copy ? M_OBJECT_COPY : M_OBJECT);
    } else if (t == am_match_variables) {
        emit2(c, copy ? M_ALL_COPY : M_ALL, c->variable_count);
        for (size_t i = 0; i < c->variable_count; i++)
            emit(c, c->variables[i].slot);
    } else {
        emit2(c, M_PUSH, t);
    }
}

static void expand_list(Compiler *c, EStack *s, Term list, bool copy) {
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

static void expand_map(Compiler *c, EStack *s, Term map, bool copy) {
    work(s, DO_EMIT2, M_MAKE_MAP, map_size(map));
    MapIterator it;
    Term key, value;
    for (map_iterator_init(&it, map); map_iterator_next(&it, &key, &value);) {
        work(s, DO_EXPRESSION, value, copy);
        work(s, DO_EXPRESSION, key, copy);
    }
}

static void push_arguments(EStack *s, const Term *arguments, size_t count, bool copy) {
    for (size_t i = count; i-- > 0;)
        work(s, DO_EXPRESSION, arguments[i], copy);
}

static void expand_andalso(Compiler *c, EStack *s, Term name, const Term *arguments, size_t count, bool copy) {
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
static bool is_depth(Compiler *c, Term t) {
    if (!is_small(t))
        add_error(c, "Special form 'current_stacktrace' called with non small argument.");
    else if (small_value(t) < 0)
        add_error(c, "Special form 'current_stacktrace' called with negative integer argument.");
    return is_small(t) && small_value(t) >= 0;
}

static void expand_action(Compiler *c, EStack *s, const MatchActionName *action, Term call, bool copy) {
    size_t arity = tuple_arity(call) - 1;
    bool is_function = action->name == am_is_seq_trace || action->name == am_get_tcw;
    bool is_known = c->dialect != MATCH_TABLE && c->dialect <= action->last;
    if (!is_known && is_function) {
        add_error_function(c, "Function %s cannot be called in this context.", action->name, arity);
    } else if (!is_known) {
        add_error_function(c, "Special form '%s' used in wrong dialect.", action->name, SIZE_MAX);
    } else if (!c->body && !action->in_guards) {
        add_error_function(c, "Special form '%s' used in guard context.", action->name, SIZE_MAX);
    } else if (action->arity != arity) {
        add_error_call(c, action, call);
    } else if (action->name == am_current_stacktrace && arity == 1 && !is_depth(c, tuple_elements(call)[1])) {
        return;
    } else {
        work(s, DO_EMIT2, M_ACTION, action->name | (Word)arity << 48);
        push_arguments(s, tuple_elements(call) + 1, arity, copy);
    }
}

static const MatchFunction *find_function(Term name, size_t arity) {
    for (size_t i = 0; i < match_function_count(); i++)
        if (match_functions[i].name == name && match_functions[i].arity == arity)
            return &match_functions[i];
    return NULL;
}

static void expand_function(Compiler *c, EStack *s, Term call, bool copy) {
    Term name = tuple_elements(call)[0];
    const Term *arguments = tuple_elements(call) + 1;
    size_t arity = tuple_arity(call) - 1;
    const MatchActionName *action = find_action(name, arity);
    const MatchFunction *function = find_function(name, arity);
    if (action) {
        expand_action(c, s, action, call, copy);
    } else if (!function) {
        add_error_function(c, "Function %s does_not_exist.", name, arity);
    } else {
        if (copy && function->returns_part)
            work(s, DO_EMIT, M_COPY, 0);
        work(s, DO_EMIT2, M_CALL, (Word)(function - match_functions) | (Word)arity << 48);
        push_arguments(s, arguments, arity, false);
    }
}

/* A tuple: {{...}} makes one, {const, X} is X, all others are calls. */
static void expand_tuple(Compiler *c, EStack *s, Term t, bool copy) {
    size_t arity = tuple_arity(t);
    const Term *e = tuple_elements(t);
    if (arity == 1 && is_tuple(e[0])) {
        work(s, DO_EMIT2, M_MAKE_TUPLE, tuple_arity(e[0]));
        push_arguments(s, tuple_elements(e[0]), tuple_arity(e[0]), copy);
    } else if (arity == 0 || !is_atom(e[0]) || match_variable(e[0]) >= 0) {
        add_error_term(c, "%s is neither a function call, nor a tuple (tuples are written {{ ... }}).", t);
    } else if (e[0] == am_const) {
        if (arity == 2) {
            emit2(c, copy ? M_PUSH_COPY : M_PUSH, e[1]);
            grow_stack(c, 1);
        } else {
            add_error_term(c, "Special form 'const' called with more than one argument in %s.", t);
        }
    } else if (e[0] == am_and || e[0] == am_or || e[0] == am_andalso || e[0] == am_orelse) {
        if (arity == 1) {
            TEXT(name);
            print_atom(&name, e[0]);
            const char *quoted = text_cstring(&name), *end = quoted + name.size;
            if (*quoted == '\'') /* reserved words print with quotes */
                quoted++, end--;
            add_error(c, "Special form '%.*s' called without arguments in {%.*s}.", (int)(end - quoted), quoted,
                      (int)(end - quoted), quoted);
        } else if (e[0] == am_and || e[0] == am_or) {
            work(s, DO_EMIT2, e[0] == am_and ? M_AND : M_OR, arity - 1);
            push_arguments(s, e + 1, arity - 1, false);
        } else {
            expand_andalso(c, s, e[0], e + 1, arity - 1, copy);
        }
    } else {
        expand_function(c, s, t, copy);
    }
}

static void compile_expression(Compiler *c, Term expression, bool copy) {
    ESTACK(s);
    work(&s, DO_EXPRESSION, expression, copy);
    while (!estack_is_empty(&s)) {
        Word b = estack_pop(&s), a = estack_pop(&s), what = estack_pop(&s);
        switch (what) {
        case DO_EMIT: emit(c, a); break;
        case DO_EMIT2:
            if (a == M_CALL || a == M_ACTION) {
                emit2(c, (MatchInstruction)a, b & (((Word)1 << 48) - 1));
                emit(c, b >> 48);
            } else {
                emit2(c, (MatchInstruction)a, b);
            }
            grow_stack(c, 1);
            break;
        case DO_JUMP: emit2(c, (MatchInstruction)a, b); break;
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
                emit2(c, b && is_pointer(a) ? M_PUSH_COPY : M_PUSH, a);
                grow_stack(c, 1);
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
static void place_labels(Compiler *c, size_t from) {
    Word *ip = c->spec->code + from, *end = c->spec->code + c->spec->code_count;
    for (; ip < end; ip += instruction_words(ip))
        if (*ip == M_ANDALSO || *ip == M_ORELSE)
            ip[1] = c->labels[ip[1]];
    c->label_count = 0;
}

static void compile_guards(Compiler *c, Term guards) {
    for (; is_list(guards); guards = list_tail(guards)) {
        c->depth = 0;
        compile_expression(c, list_head(guards), false);
        emit(c, M_GUARD);
    }
    if (!is_nil(guards))
        add_error(c, "Match expression is not a list.");
}

static void compile_body(Compiler *c, Term body) {
    if ((!is_list(body) && c->dialect == MATCH_TABLE) || (!is_list(body) && !is_nil(body))) {
        add_error(c, "Body clause does not return anything.");
        return;
    }
    c->body = true;
    emit(c, M_BODY);
    if (is_nil(body))
        emit2(c, M_PUSH, am_true);
    for (; is_list(body); body = list_tail(body)) {
        c->depth = 0;
        compile_expression(c, list_head(body), true);
        if (is_list(list_tail(body)))
            emit(c, M_POP);
    }
    if (!is_nil(body))
        add_error(c, "Match expression is not a list.");
    emit(c, M_RETURN);
    c->body = false;
}

static void compile_clause(Compiler *c, Term clause, MatchClause *out) {
    const Term *e = tuple_elements(clause);
    out->head = e[0];
    out->start = c->spec->code_count;
    c->variable_count = 0;
    c->depth = 0;
    grow_stack(c, 2);
    size_t fail_at = c->spec->code_count + 1;
    emit2(c, M_CLAUSE, 0);
    compile_head(c, e[0]);
    compile_guards(c, e[1]);
    compile_body(c, e[2]);
    if (c->errors.count == 0) {
        place_labels(c, out->start);
        c->spec->code[fail_at] = c->spec->code_count;
    }
}

/* The clauses of a well-formed specification, -1 when it is none (*error says why). */
static int64_t count_clauses(Compiler *c, Term spec) {
    int64_t count = 0;
    Term l = spec;
    if (!is_list(l)) {
        add_error(c, "Match programs are not in a list.");
        return -1;
    }
    for (; is_list(l); l = list_tail(l))
        count++;
    if (!is_nil(l)) {
        add_error(c, "Match programs are not in a proper list.");
        return -1;
    }
    for (l = spec; is_list(l); l = list_tail(l))
        if (!is_tuple_arity(list_head(l), 3)) {
            add_error(c, "Match program part is not a tuple of arity 3.");
            return -1;
        }
    return count;
}

static void compile_clauses(Compiler *c, Term spec, size_t count) {
    MatchSpec *s = c->spec;
    /* All that the code refers to lies in the program's own copy of the specification. */
    fragment_area_init(&s->constants, term_flat_size_literals(spec));
    Term copy = term_copy_literals(spec, &s->constants.area);
    s->constant_data = fragment_area_finish(&s->constants);
    s->clauses = mem_calloc(ALLOC_MATCH_SPEC, count * sizeof *s->clauses);
    s->clause_count = count;
    for (size_t i = 0; i < count && c->errors.count == 0; i++, copy = list_tail(copy))
        compile_clause(c, list_head(copy), &s->clauses[i]);
    emit(c, M_FAIL);
}

MatchSpec *match_spec_compile(Term spec, MatchDialect dialect, MatchErrors *errors) {
    Compiler c = {.dialect = dialect};
    c.spec = mem_calloc(ALLOC_MATCH_SPEC, sizeof *c.spec);
    int64_t count = count_clauses(&c, spec);
    if (count >= 0)
        compile_clauses(&c, spec, (size_t)count);
    mem_free(ALLOC_MATCH_SPEC, c.variables);
    mem_free(ALLOC_MATCH_SPEC, c.labels);
    c.spec->stack_words += 2;
    bool good = c.errors.count == 0;
    if (errors)
        *errors = c.errors;
    else
        match_errors_release(&c.errors);
    if (good)
        return c.spec;
    match_spec_free(c.spec);
    return NULL;
}

void match_spec_free(MatchSpec *spec) {
    fragments_free(spec->constant_data);
    mem_free(ALLOC_MATCH_SPEC, spec->clauses);
    mem_free(ALLOC_MATCH_SPEC, spec->code);
    mem_free(ALLOC_MATCH_SPEC, spec);
}

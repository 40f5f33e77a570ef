/* Match specifications to programs: clauses. */
#include "alloc/alloc.h"
#include "match/compiler.h"
#include "term/atom.h"

/* Is it a list of expressions? */
static bool is_expression_list(MatchCompiler *c, Term list) {
    bool good = is_list(list) || is_nil(list);
    if (!good)
        match_error(c, "Match expression is not a list.");
    return good;
}

static void end_expression_list(MatchCompiler *c, Term tail) {
    if (!is_nil(tail))
        match_error(c, "Match expression is not a proper list.");
}

static void compile_guards(MatchCompiler *c, Term guards) {
    if (!is_expression_list(c, guards))
        return;
    for (; is_list(guards) && !match_has_failed(c); guards = list_tail(guards)) {
        c->depth = 0;
        match_compile_expression(c, list_head(guards), false);
        match_emit(c, M_GUARD);
    }
    if (!match_has_failed(c))
        end_expression_list(c, guards);
}

static void compile_expressions(MatchCompiler *c, Term body) {
    if (is_nil(body))
        match_emit2(c, M_PUSH, am_true);
    for (; is_list(body) && !match_has_failed(c); body = list_tail(body)) {
        c->depth = 0;
        match_compile_expression(c, list_head(body), true);
        if (is_list(list_tail(body)))
            match_emit(c, M_POP);
    }
    if (!match_has_failed(c))
        end_expression_list(c, body);
}

static void compile_body(MatchCompiler *c, Term body) {
    if (is_of_table(c) && !is_list(body)) {
        match_error(c, "Body clause does not return anything.");
        return;
    }
    if (!is_expression_list(c, body))
        return;
    c->body = true;
    match_emit(c, M_BODY);
    compile_expressions(c, body);
    match_emit(c, M_RETURN);
    c->body = false;
}

static void compile_clause(MatchCompiler *c, Term clause, MatchClause *out) {
    const Term *e = tuple_elements(clause);
    out->head = e[0];
    out->start = c->spec->code_count;
    c->depth = 0;
    match_grow_stack(c, 2);
    size_t fail_at = c->spec->code_count + 1;
    match_emit2(c, M_CLAUSE, 0);
    if (!match_compile_head(c, e[0]))
        return;
    compile_guards(c, e[1]);
    if (!match_has_failed(c))
        compile_body(c, e[2]);
    if (c->errors.count == 0) {
        match_place_labels(c, out->start);
        c->spec->code[fail_at] = c->spec->code_count;
    }
}

static Term list_end(Term list) {
    while (is_list(list))
        list = list_tail(list);
    return list;
}

static bool is_clause(MatchCompiler *c, Term clause) {
    if (!is_tuple_arity(clause, 3)) {
        match_error(c, "Match program part is not a tuple of arity 3.");
        return false;
    }
    Term head = tuple_elements(clause)[0];
    bool good = is_of_table(c) || !is_list(head) || is_nil(list_end(head));
    if (!good)
        match_error_term(c, "Match expression part %s is not a proper list.", head);
    return good;
}

/* The clauses of a well-formed specification, -1 when it is none (*error says why). */
static int64_t count_clauses(MatchCompiler *c, Term spec) {
    int64_t count = 0;
    Term l = spec;
    if (!is_list(l)) {
        match_error(c, "Match programs are not in a list.");
        return -1;
    }
    for (; is_list(l); l = list_tail(l))
        count++;
    if (!is_nil(l)) {
        match_error(c, "Match programs are not in a proper list.");
        return -1;
    }
    for (l = spec; is_list(l); l = list_tail(l))
        if (!is_clause(c, list_head(l)))
            return -1;
    return count;
}

static void compile_clauses(MatchCompiler *c, size_t count) {
    MatchSpec *s = c->spec;
    Term clause = s->given;
    s->clauses = s->room && count == 1 ? &s->room->clause : mem_calloc(ALLOC_MATCH_SPEC, count * sizeof *s->clauses);
    s->clause_count = count;
    for (size_t i = 0; i < count && c->errors.count == 0; i++, clause = list_tail(clause))
        compile_clause(c, list_head(clause), &s->clauses[i]);
    match_emit(c, M_FAIL);
}

/* `s` is empty still. */
static MatchVerdict compile(MatchCompiler *c, MatchSpec *s, Term spec) {
    c->spec = s;
    c->variables = c->own_variables;
    c->variable_capacity = array_length(c->own_variables);
    s->code_capacity = MATCH_ROOM_CODE;
    s->code = s->room ? s->room->code : mem_alloc(ALLOC_MATCH_SPEC, s->code_capacity * WORD_BYTES);
    int64_t count = count_clauses(c, spec);
    if (count >= 0) {
        if (!s->room)
            s->source = kept_make(spec);
        s->given = s->room ? spec : kept_term(&s->source);
        compile_clauses(c, (size_t)count);
    }
    if (c->variables != c->own_variables)
        mem_free(ALLOC_MATCH_SPEC, c->variables);
    mem_free(ALLOC_MATCH_SPEC, c->labels);
    s->stack_words += 2;
    if (c->errors.count == 0)
        return MATCH_GOOD;
    match_spec_free(s);
    return c->is_too_deep ? MATCH_TOO_DEEP : MATCH_BAD;
}

MatchVerdict match_spec_compile(Term spec, MatchDialect dialect, MatchSpec **compiled, MatchErrors *errors) {
    MatchCompiler c = {.dialect = dialect, .first_only = errors == NULL};
    MatchSpec *s = mem_calloc(ALLOC_MATCH_SPEC, sizeof *s);
    MatchVerdict verdict = compile(&c, s, spec);
    if (errors)
        *errors = c.errors;
    else
        match_errors_release(&c.errors);
    *compiled = verdict == MATCH_GOOD ? s : NULL;
    return verdict;
}

MatchVerdict match_spec_compile_here(Term spec, MatchRoom *room, MatchSpec **compiled) {
    MatchCompiler c = {.dialect = MATCH_TABLE, .first_only = true};
    MatchRoomParts *parts = (MatchRoomParts *)room;
    parts->spec = (MatchSpec){.room = parts, .source = KEPT_NONE};
    MatchVerdict verdict = compile(&c, &parts->spec, spec);
    match_errors_release(&c.errors);
    *compiled = verdict == MATCH_GOOD ? &parts->spec : NULL;
    return verdict;
}

MatchSpec *match_spec_keep(MatchSpec *spec) {
    MatchSpec *kept = spec;
    if (spec->room) {
        MatchVerdict verdict = match_spec_compile(spec->given, MATCH_TABLE, &kept, NULL);
        require(verdict == MATCH_GOOD);
        match_spec_free(spec);
    }
    return kept;
}

Term match_spec_source(const MatchSpec *spec) { return spec->given; }

void match_spec_free(MatchSpec *spec) {
    const MatchRoomParts *room = spec->room;
    kept_release(&spec->source);
    if (!room || spec->clauses != &room->clause)
        mem_free(ALLOC_MATCH_SPEC, spec->clauses);
    if (!room || spec->code != room->code)
        mem_free(ALLOC_MATCH_SPEC, spec->code);
    if (!room)
        mem_free(ALLOC_MATCH_SPEC, spec);
}

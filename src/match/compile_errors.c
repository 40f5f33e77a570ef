#include <stdio.h>
#include <string.h>

#include "alloc/alloc.h"
#include "match/compiler.h"
#include "term/atom.h"
#include "term/print.h"

void match_error(MatchCompiler *c, const char *format, ...) {
    va_list arguments;
    char text[MATCH_ERROR_BYTES + 1];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MatchErrors *e = &c->errors;
    e->texts = mem_realloc(ALLOC_MATCH_SPEC, e->texts, (e->count + 1) * sizeof *e->texts);
    size_t bytes = strlen(text) + 1;
    e->texts[e->count] = mem_alloc(ALLOC_MATCH_SPEC, bytes);
    memcpy(e->texts[e->count++], text, bytes);
}

void match_repeat_errors(MatchCompiler *c, size_t from) {
    for (size_t i = from, end = c->errors.count; i < end; i++)
        match_error(c, "%s", c->errors.texts[i]);
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"

void match_error_term(MatchCompiler *c, const char *format, Term t) {
    TEXT(text);
    print_term_up_to(&text, t, MATCH_ERROR_BYTES);
    match_error(c, format, text_cstring(&text));
}

void match_error_function(MatchCompiler *c, const char *format, Term name, size_t arity) {
    TEXT(text);
    print_atom(&text, name);
    text_format(&text, "/%zu", arity);
    match_error(c, format, text_cstring(&text));
}

void match_error_form(MatchCompiler *c, const char *format, Term name) {
    const AtomName *text = atom_name(name);
    char form[MATCH_ERROR_BYTES];
    snprintf(form, sizeof form, "%.*s", (int)text->byte_count, (const char *)text->bytes);
    match_error(c, format, form);
}

#pragma clang diagnostic pop

void match_error_arguments(MatchCompiler *c, Term name, bool takes_none, Term call) {
    TEXT(text);
    print_term_up_to(&text, call, MATCH_ERROR_BYTES);
    const AtomName *form = atom_name(name);
    match_error(c, "Special form '%.*s' called with %sarguments in %s.", (int)form->byte_count,
                (const char *)form->bytes, takes_none ? "" : "wrong number of ", text_cstring(&text));
}

void match_errors_release(MatchErrors *errors) {
    for (size_t i = 0; i < errors->count; i++)
        mem_free(ALLOC_MATCH_SPEC, errors->texts[i]);
    mem_free(ALLOC_MATCH_SPEC, errors->texts);
    *errors = (MatchErrors){0};
}

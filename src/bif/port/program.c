#include "bif/port/program.h"

#include <string.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "sys/environment.h"
#include "term/atom.h"
#include "term/bits.h"

bool native_text(Text *to, Term t) {
    size_t before = to->size;
    bool is_text;
    if (is_atom(t)) {
        const AtomName *name = atom_name(t);
        text_bytes(to, name->bytes, name->byte_count);
        is_text = true;
    } else if (is_bitstring(t)) {
        is_text = text_from_binary(to, t);
    } else {
        is_text = text_from_characters(to, t, SIZE_MAX) == CHARACTERS_OK;
    }
    return is_text && memchr(to->bytes + before, 0, to->size - before) == NULL;
}

static char *string_of(const char *bytes, size_t size) {
    char *s = mem_alloc(ALLOC_PORT, size + 1);
    memcpy(s, bytes, size);
    s[size] = 0;
    return s;
}

char *native_string(Term t) {
    TEXT(text);
    return native_text(&text, t) ? string_of(text.bytes, text.size) : NULL;
}

/* --- a list of strings that ends with NULL ------------------------------------------------------------------------ */

typedef struct {
    char **at;
    size_t count, capacity;
} Strings;

static void add(Strings *s, char *string) {
    if (s->count + 1 >= s->capacity) {
        s->capacity = s->capacity == 0 ? 8 : 2 * s->capacity;
        s->at = mem_realloc(ALLOC_PORT, s->at, s->capacity * sizeof *s->at);
    }
    s->at[s->count++] = string;
    s->at[s->count] = NULL;
}

static void drop(Strings *s, size_t i) {
    mem_free(ALLOC_PORT, s->at[i]);
    s->at[i] = s->at[--s->count];
    s->at[s->count] = NULL;
}

/* --- the environment ---------------------------------------------------------------------------------------------- */

static void add_inherited(Strings *s) {
    mutex_lock(&environment_lock);
    for (char **e = environ; e != NULL && *e != NULL; e++)
        add(s, string_of(*e, strlen(*e)));
    mutex_unlock(&environment_lock);
}

static void drop_variable(Strings *s, const char *name, size_t length) {
    for (size_t i = 0; i < s->count; i++)
        if (strncmp(s->at[i], name, length) == 0 && s->at[i][length] == '=')
            drop(s, i--);
}

/* {Name, Value}, {Name, false} */
static bool change(Strings *s, Term pair) {
    TEXT(text);
    if (!is_tuple_arity(pair, 2) || is_atom(tuple_elements(pair)[0]))
        return false;
    Term value = tuple_elements(pair)[1];
    if (!native_text(&text, tuple_elements(pair)[0]) || text.size == 0 || memchr(text.bytes, '=', text.size) != NULL)
        return false;
    size_t length = text.size;
    text_byte(&text, '=');
    if (value != am_false && (is_atom(value) || !native_text(&text, value)))
        return false;
    drop_variable(s, text_cstring(&text), length);
    if (value != am_false)
        add(s, string_of(text.bytes, text.size));
    return true;
}

static bool set_environment(ChildSpec *spec, Term changes) {
    Strings s = {0};
    bool is_good = true;
    add_inherited(&s);
    if (s.at == NULL) { /* there must be a list */
        add(&s, NULL);
        s.count = 0;
    }
    if (is_value(changes)) {
        for (; is_good && is_list(changes); changes = list_tail(changes))
            is_good = change(&s, list_head(changes));
        is_good = is_good && is_nil(changes);
    }
    spec->environment = s.at;
    return is_good;
}

static Term set_common(ChildSpec *spec, const ProgramOptions *o) {
    if (is_value(o->folder) && (spec->folder = native_string(o->folder)) == NULL)
        return am_badarg;
    return set_environment(spec, o->environment) ? am_ok : am_badopt;
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

Term program_of_command(ChildSpec *spec, const char *command, const ProgramOptions *o) {
    Strings s = {0};
    TEXT(text);
    text_string(&text, "exec ");
    text_string(&text, command);
    add(&s, string_of("sh", 2));
    add(&s, string_of("-c", 2));
    add(&s, string_of(text.bytes, text.size));
    spec->path = string_of("/bin/sh", strlen("/bin/sh"));
    spec->arguments = s.at;
    return is_value(o->arguments) || is_value(o->first_argument) ? am_badarg : set_common(spec, o);
}

static bool add_arguments(Strings *s, Term list) {
    for (; is_list(list); list = list_tail(list)) {
        char *string = is_atom(list_head(list)) ? NULL : native_string(list_head(list));
        if (string == NULL)
            return false;
        add(s, string);
    }
    return is_nil(list);
}

Term program_of_file(ChildSpec *spec, const char *path, const ProgramOptions *o) {
    Strings s = {0};
    char *first = is_value(o->first_argument) ? native_string(o->first_argument) : string_of(path, strlen(path));
    if (first == NULL)
        return am_badarg;
    add(&s, first);
    bool is_good = !is_value(o->arguments) || add_arguments(&s, o->arguments);
    spec->path = string_of(path, strlen(path));
    spec->arguments = s.at;
    return is_good ? set_common(spec, o) : am_badarg;
}

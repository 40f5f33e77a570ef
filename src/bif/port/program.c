#include "bif/port/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "sys/environment.h"
#include "term/atom.h"
#include "term/bits.h"

bool program_text(Text *to, Term t) {
    if (is_atom(t)) {
        const AtomName *name = atom_name(t);
        return native_from_utf8(to, (const uint8_t *)name->bytes, name->byte_count);
    }
    if (!is_bitstring(t))
        return native_from_characters(to, t);
    size_t before = to->size;
    return text_from_binary(to, t) && memchr(to->bytes + before, 0, to->size - before) == NULL;
}

static char *string_of(const char *bytes, size_t size) {
    char *s = mem_alloc(ALLOC_PORT, size + 1);
    memcpy(s, bytes, size);
    s[size] = 0;
    return s;
}

char *native_string(Term t) {
    TEXT(text);
    return program_text(&text, t) ? string_of(text.bytes, text.size) : NULL;
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

/* --- the environment ---------------------------------------------------------------------------------------------- */

/* Name=Value, or what is said of a name, of which the last counts. */
typedef struct {
    char *string;
    size_t name_bytes, place;
    bool is_dropped; /* there is to be no such variable, or something else is said of it later */
} Variable;

typedef struct {
    Variable *at;
    size_t count, capacity;
} Variables;

static void add_variable(Variables *v, char *string, size_t name_bytes, bool is_dropped) {
    if (v->count == v->capacity) {
        v->capacity = v->capacity == 0 ? 64 : 2 * v->capacity;
        v->at = mem_realloc(ALLOC_PORT, v->at, v->capacity * sizeof *v->at);
    }
    v->at[v->count] = (Variable){string, name_bytes, v->count, is_dropped};
    v->count++;
}

static void add_inherited(Variables *v) {
    mutex_lock(&environment_lock);
    for (char **e = environ; e != NULL && *e != NULL; e++)
        add_variable(v, string_of(*e, strlen(*e)), strcspn(*e, "="), false);
    mutex_unlock(&environment_lock);
}

/* Neither atoms nor binaries. */
static bool is_characters(Term t) { return is_list(t) || is_nil(t); }

/* {Name, Value}, {Name, false} as Name=Value, Name=; no value is `false`, too. */
static bool change_decode(Term pair, Text *text, size_t *name_bytes, bool *is_dropped) {
    if (!is_tuple_arity(pair, 2))
        return false;
    Term name = tuple_elements(pair)[0], value = tuple_elements(pair)[1];
    *is_dropped = value == am_false || is_nil(value);
    if (!is_characters(name) || !program_text(text, name) || memchr(text->bytes, '=', text->size) != NULL)
        return false;
    *name_bytes = text->size;
    text_byte(text, '=');
    return *is_dropped || (is_characters(value) && program_text(text, value));
}

/* `to`: NULL: they are looked at only. */
static bool take_changes(Variables *to, Term changes) {
    for (; is_list(changes); changes = list_tail(changes)) {
        TEXT(text);
        size_t name_bytes;
        bool is_dropped;
        if (!change_decode(list_head(changes), &text, &name_bytes, &is_dropped))
            return false;
        if (to != NULL)
            add_variable(to, string_of(text.bytes, text.size), name_bytes, is_dropped);
    }
    return is_nil(changes);
}

static int compare_names(const Variable *a, const Variable *b) {
    size_t least = a->name_bytes < b->name_bytes ? a->name_bytes : b->name_bytes;
    int order = memcmp(a->string, b->string, least);
    return order != 0 ? order : (a->name_bytes > b->name_bytes) - (a->name_bytes < b->name_bytes);
}

/* Those of one name in their order. */
static int by_name(const void *of_a, const void *of_b) {
    const Variable *a = of_a, *b = of_b;
    int order = compare_names(a, b);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static void drop_earlier(Variables *v) {
    qsort(v->at, v->count, sizeof *v->at, by_name);
    for (size_t i = 0; i + 1 < v->count; i++)
        if (compare_names(&v->at[i], &v->at[i + 1]) == 0)
            v->at[i].is_dropped = true;
}

static char **strings_of(Variables *v) {
    char **all = mem_calloc(ALLOC_PORT, (v->count + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (v->at[i].is_dropped)
            mem_free(ALLOC_PORT, v->at[i].string);
        else
            all[count++] = v->at[i].string;
    }
    mem_free(ALLOC_PORT, v->at);
    return all;
}

static bool set_environment(ChildSpec *spec, Term changes) {
    Variables v = {0};
    add_inherited(&v);
    bool is_good = !is_value(changes) || take_changes(&v, changes);
    if (is_value(changes) && v.count > 0)
        drop_earlier(&v);
    spec->environment = strings_of(&v);
    return is_good;
}

/* One without a name is where the runtime is. */
static bool set_folder(ChildSpec *spec, Term folder) {
    TEXT(text);
    if (!program_text(&text, folder))
        return false;
    spec->folder = text.size == 0 ? NULL : string_of(text.bytes, text.size);
    return true;
}

static Term set_common(ChildSpec *spec, const ProgramOptions *o) {
    if (is_value(o->folder) && !set_folder(spec, o->folder))
        return am_badarg;
    return set_environment(spec, o->environment) ? am_ok : am_badopt;
}

bool program_options_are_idle(const ProgramOptions *o) {
    TEXT(text);
    if (is_value(o->arguments) || is_value(o->first_argument))
        return false;
    bool is_good_folder = !is_value(o->folder) || program_text(&text, o->folder);
    return is_good_folder && (!is_value(o->environment) || take_changes(NULL, o->environment));
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
        char *string = native_string(list_head(list));
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

/* Atoms and strings: texts in Latin-1, or, since 2.17, UTF-8. */
#include "nif/env.h"

#include "base/unicode.h"
#include "term/atom.h"

#include <string.h>

static Term put(const char *name, size_t length, ErlNifCharEncoding encoding) {
    const uint8_t *bytes = (const uint8_t *)name;
    switch (encoding) {
    case ERL_NIF_LATIN1: return atom_put_latin1(bytes, length, NULL);
    case ERL_NIF_UTF8: return atom_put(bytes, length, NULL);
    default: return NON_VALUE;
    }
}

ERL_NIF_TERM enif_make_atom_len(ErlNifEnv *env, const char *name, size_t length) {
    Term atom = put(name, length, ERL_NIF_LATIN1);
    return is_value(atom) ? atom : enif_make_badarg(env);
}

ERL_NIF_TERM enif_make_atom(ErlNifEnv *env, const char *name) { return enif_make_atom_len(env, name, strlen(name)); }

int enif_make_new_atom_len(ErlNifEnv *env, const char *name, size_t length, ERL_NIF_TERM *atom,
                           ErlNifCharEncoding encoding) {
    Term t = put(name, length, encoding);
    if (!is_value(t))
        return 0;
    *atom = t;
    return 1;
}

int enif_make_new_atom(ErlNifEnv *env, const char *name, ERL_NIF_TERM *atom, ErlNifCharEncoding encoding) {
    return enif_make_new_atom_len(env, name, strlen(name), atom, encoding);
}

static Term find_latin1(const uint8_t *name, size_t length) {
    uint8_t utf8[2 * ATOM_MAX_CHARACTERS];
    if (length > ATOM_MAX_CHARACTERS)
        return NON_VALUE;
    uint8_t *to = utf8;
    for (size_t i = 0; i < length; i++)
        to += utf8_encode(name[i], to);
    return atom_find(utf8, (size_t)(to - utf8));
}

int enif_make_existing_atom_len(ErlNifEnv *env, const char *name, size_t length, ERL_NIF_TERM *atom,
                                ErlNifCharEncoding encoding) {
    const uint8_t *bytes = (const uint8_t *)name;
    Term t = encoding == ERL_NIF_LATIN1 ? find_latin1(bytes, length)
             : encoding == ERL_NIF_UTF8 ? atom_find(bytes, length)
                                        : NON_VALUE;
    if (!is_value(t))
        return 0;
    *atom = t;
    return 1;
}

int enif_make_existing_atom(ErlNifEnv *env, const char *name, ERL_NIF_TERM *atom, ErlNifCharEncoding encoding) {
    return enif_make_existing_atom_len(env, name, strlen(name), atom, encoding);
}

/* Bytes that the text of an atom takes in an encoding; false when it cannot be written in it. */
static bool encoded_length(Term atom, ErlNifCharEncoding encoding, size_t *length) {
    if (!is_atom(atom))
        return false;
    const AtomName *name = atom_name(atom);
    *length = encoding == ERL_NIF_UTF8 ? name->byte_count : name->character_count;
    return encoding == ERL_NIF_UTF8 || (encoding == ERL_NIF_LATIN1 && name->latin1);
}

int enif_get_atom_length(ErlNifEnv *env, ERL_NIF_TERM atom, unsigned *length, ErlNifCharEncoding encoding) {
    size_t bytes;
    if (!encoded_length(atom, encoding, &bytes))
        return 0;
    *length = (unsigned)bytes;
    return 1;
}

int enif_get_atom(ErlNifEnv *env, ERL_NIF_TERM atom, char *buffer, unsigned size, ErlNifCharEncoding encoding) {
    size_t bytes;
    if (!encoded_length(atom, encoding, &bytes) || bytes >= size)
        return 0;
    const AtomName *name = atom_name(atom);
    if (encoding == ERL_NIF_UTF8) {
        memcpy(buffer, name->bytes, bytes);
    } else {
        const uint8_t *at = name->bytes, *end = at + name->byte_count;
        uint32_t character;
        for (char *to = buffer; at < end && utf8_decode(&at, end, &character) == UTF8_OK;)
            *to++ = (char)character;
    }
    buffer[bytes] = '\0';
    return (int)bytes + 1;
}

static Term string_of_latin1(ErlNifEnv *env, const uint8_t *text, size_t length) {
    if (length == 0)
        return NIL;
    Term *cells = area_alloc(env->area, 2 * length);
    Term list = NIL;
    for (size_t i = length; i-- > 0;) {
        cells[2 * i] = small_make(text[i]);
        cells[2 * i + 1] = list;
        list = list_make(cells + 2 * i);
    }
    return list;
}

static Term string_of_utf8(ErlNifEnv *env, const uint8_t *at, const uint8_t *end) {
    if (at == end)
        return NIL;
    Term *cells = area_alloc(env->area, 2 * (size_t)(end - at)), *free_cells = cells + 2 * (end - at);
    Term *cell = cells;
    uint32_t character;
    while (at < end && utf8_decode(&at, end, &character) == UTF8_OK) {
        cell[0] = small_make(character);
        cell[1] = list_make(cell + 2);
        cell += 2;
    }
    if (at < end)
        cell = cells; /* not UTF-8 */
    else
        cell[-1] = NIL;
    area_give_back(env->area, cell, free_cells);
    return at < end ? enif_make_badarg(env) : list_make(cells);
}

ERL_NIF_TERM enif_make_string_len(ErlNifEnv *env, const char *string, size_t length, ErlNifCharEncoding encoding) {
    const uint8_t *text = (const uint8_t *)string;
    switch (encoding) {
    case ERL_NIF_LATIN1: return string_of_latin1(env, text, length);
    case ERL_NIF_UTF8: return string_of_utf8(env, text, text + length);
    default: return enif_make_badarg(env);
    }
}

ERL_NIF_TERM enif_make_string(ErlNifEnv *env, const char *string, ErlNifCharEncoding encoding) {
    return enif_make_string_len(env, string, strlen(string), encoding);
}

/* The next character of a list in an encoding: how many bytes at `to`, 0 when it has no place there. */
static size_t encode_character(Term character, ErlNifCharEncoding encoding, uint8_t *to) {
    if (!is_small(character) || small_value(character) < 0)
        return 0;
    SWord c = small_value(character);
    if (encoding == ERL_NIF_LATIN1) {
        to[0] = (uint8_t)c;
        return c <= 255;
    }
    bool fits = encoding == ERL_NIF_UTF8 && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    return fits ? utf8_encode((uint32_t)c, to) : 0;
}

int enif_get_string(ErlNifEnv *env, ERL_NIF_TERM list, char *buffer, unsigned size, ErlNifCharEncoding encoding) {
    if (size < 1)
        return 0;
    size_t at = 0;
    for (; is_list(list); list = list_tail(list)) {
        uint8_t bytes[4];
        size_t count = encode_character(list_head(list), encoding, bytes);
        if (count == 0 || at + count >= size) {
            buffer[at] = '\0';
            return count == 0 ? 0 : -(int)(at + 1);
        }
        memcpy(buffer + at, bytes, count);
        at += count;
    }
    buffer[at] = '\0';
    return is_nil(list) ? (int)at + 1 : 0;
}

int enif_get_string_length(ErlNifEnv *env, ERL_NIF_TERM list, unsigned *length, ErlNifCharEncoding encoding) {
    size_t bytes = 0;
    for (; is_list(list); list = list_tail(list)) {
        uint8_t ignored[4];
        size_t count = encode_character(list_head(list), encoding, ignored);
        if (count == 0)
            return 0;
        bytes += count;
    }
    if (!is_nil(list))
        return 0;
    *length = (unsigned)bytes;
    return 1;
}

/*
 * Atoms from and to text. Source: erlang(3) list_to_atom/1 and neighbours.
 *
 * Too many characters are system_limit for those that make atoms, and badarg for the *_existing_* ones.
 */
#include "term/atom.h"
#include "base/unicode.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/bits.h"

Term erlang_atom_to_list_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    const AtomName *name = atom_name(a[0]);
    return list_from_utf8(process_area(p), name->bytes, name->byte_count);
}

static Term latin1_binary(Process *p, const AtomName *name) {
    uint8_t *to;
    Term binary = binary_make(process_area(p), name->character_count, &to);
    const uint8_t *at = name->bytes, *end = name->bytes + name->byte_count;
    for (uint32_t c; at < end; *to++ = (uint8_t)c)
        require(utf8_decode(&at, end, &c) == UTF8_OK);
    return binary;
}

static bool is_utf8_name(Term encoding) { return encoding == am_utf8 || encoding == am_unicode; }

Term erlang_atom_to_binary_2(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !(is_utf8_name(a[1]) || a[1] == am_latin1))
        return fail_badarg(p);
    const AtomName *name = atom_name(a[0]);
    if (is_utf8_name(a[1]))
        return binary_from_bytes(process_area(p), name->bytes, name->byte_count);
    return name->latin1 ? latin1_binary(p, name) : fail_badarg(p);
}

/* A full atom table ends the stock runtime; here the call fails. */
static Term atom_made(Process *p, CharactersResult result, const Text *text) {
    bool full = result == CHARACTERS_TOO_MANY;
    Term atom = result == CHARACTERS_OK ? atom_put((const uint8_t *)text->bytes, text->size, &full) : NON_VALUE;
    if (is_value(atom))
        return atom;
    return full ? fail_system_limit(p) : fail_badarg(p);
}

static Term atom_found(Process *p, CharactersResult result, const Text *text) {
    Term atom = result == CHARACTERS_OK ? atom_find((const uint8_t *)text->bytes, text->size) : NON_VALUE;
    return is_value(atom) ? atom : fail_badarg(p);
}

Term erlang_list_to_atom_1(Process *p, const Term *a) {
    TEXT(text);
    return atom_made(p, text_from_characters(&text, a[0], ATOM_MAX_CHARACTERS), &text);
}

Term erlang_list_to_existing_atom_1(Process *p, const Term *a) {
    TEXT(text);
    return atom_found(p, text_from_characters(&text, a[0], ATOM_MAX_CHARACTERS), &text);
}

/* What stands behind as many characters as there may be is too much, whatever it is. */
static CharactersResult check_utf8_name(const uint8_t *at, size_t bytes) {
    const uint8_t *end = at + bytes;
    uint32_t c;
    for (unsigned count = 0; at < end; count++) {
        if (count == ATOM_MAX_CHARACTERS)
            return CHARACTERS_TOO_MANY;
        if (utf8_decode(&at, end, &c) != UTF8_OK)
            return CHARACTERS_BAD;
    }
    return CHARACTERS_OK;
}

/* The name in a binary, as UTF-8. */
static CharactersResult text_from_name(Text *to, Term binary, Term encoding) {
    TEXT(raw);
    if (!(is_utf8_name(encoding) || encoding == am_latin1) || !text_from_binary(&raw, binary))
        return CHARACTERS_BAD;
    if (raw.size > (encoding == am_latin1 ? ATOM_MAX_CHARACTERS : ATOM_MAX_BYTES))
        return CHARACTERS_TOO_MANY;
    if (is_utf8_name(encoding)) {
        text_bytes(to, raw.bytes, raw.size);
        return check_utf8_name((const uint8_t *)raw.bytes, raw.size);
    }
    for (size_t i = 0; i < raw.size; i++) {
        uint8_t utf8[UTF8_MAX_BYTES];
        text_bytes(to, utf8, utf8_encode((uint8_t)raw.bytes[i], utf8));
    }
    return CHARACTERS_OK;
}

Term erlang_binary_to_atom_2(Process *p, const Term *a) {
    TEXT(text);
    return atom_made(p, text_from_name(&text, a[0], a[1]), &text);
}

Term erlang_binary_to_existing_atom_2(Process *p, const Term *a) {
    TEXT(text);
    return atom_found(p, text_from_name(&text, a[0], a[1]), &text);
}

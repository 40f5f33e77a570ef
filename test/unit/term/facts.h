/*
 * What the tests of src/term share: an area whose words are never freed, the files under facts/ (made by
 * make_facts.escript from the stock runtime), and terms from their external format in hexadecimal. Trusts its input.
 */
#ifndef VIV_TEST_UNIT_TERM_FACTS_H
#define VIV_TEST_UNIT_TERM_FACTS_H

#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"
#include "term/print.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma clang diagnostic ignored "-Wunused-function" /* no test needs all of it */

static Term *test_overflow(Area *area, size_t words) { return malloc(words * sizeof(Term)); }
static Area the_area = {.overflow = test_overflow};

static void terms_init(void) {
    atom_table_init(100000);
    node_table_init();
}

static FILE *facts_open(const char *name) {
    static const char *const folders[] = {"test/unit/term/facts", "../../test/unit/term/facts"};
    char path[4096];
    for (size_t i = 0; i < array_length(folders); i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], name);
        FILE *f = fopen(path, "r");
        if (f != NULL)
            return f;
    }
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/facts/%s", (int)(slash - __FILE__), __FILE__, name);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        panic("no facts: %s", path);
    return f;
}

/* The next line, split at `separator`; how many parts. 0 at the end of the file. */
static size_t facts_line(FILE *f, char separator, char **parts, size_t max) {
    static char *line;
    static size_t capacity;
    ssize_t length = getline(&line, &capacity, f);
    if (length <= 0)
        return 0;
    line[length - 1] = 0;
    size_t n = 0;
    for (char *p = line; n < max; p = strchr(p, separator) + 1) {
        parts[n++] = p;
        char *end = strchr(p, separator);
        if (end == NULL)
            break;
        *end = 0;
        *(p = end) = separator;
    }
    for (size_t i = 1; i < n; i++)
        parts[i][-1] = 0;
    return n;
}

typedef struct {
    const uint8_t *p;
} Reader;

static uint64_t read_uint(Reader *r, unsigned bytes) {
    uint64_t v = 0;
    while (bytes-- > 0)
        v = v << 8 | *r->p++;
    return v;
}

static Term read_term(Reader *r);

static Term read_atom(Reader *r, size_t size) {
    Term t = atom_put(r->p, size, NULL);
    require(is_value(t));
    r->p += size;
    return t;
}

static Term read_tuple(Reader *r, size_t arity) {
    Term *p = area_alloc(&the_area, arity + 1);
    p[0] = header_make(KIND_TUPLE, arity);
    for (size_t i = 0; i < arity; i++)
        p[1 + i] = read_term(r);
    return boxed_make(p);
}

static Term read_list(Reader *r, size_t length) {
    Term result, *slot = &result;
    for (size_t i = 0; i < length; i++) {
        Term cell = area_cons(&the_area, read_term(r), NIL);
        *slot = cell;
        slot = list_ptr(cell) + 1;
    }
    *slot = read_term(r);
    return result;
}

static Term read_string(Reader *r, size_t length) {
    Term t = NIL;
    for (size_t i = length; i-- > 0;)
        t = area_cons(&the_area, small_make(r->p[i]), t);
    r->p += length;
    return t;
}

static Term read_map(Reader *r, size_t size) {
    Term *pairs = malloc(2 * size * sizeof *pairs + 1);
    for (size_t i = 0; i < 2 * size; i++)
        pairs[i] = read_term(r);
    Term t = map_from_pairs(&the_area, pairs, size);
    free(pairs);
    return t;
}

static Term read_bits(Reader *r, size_t bytes, unsigned last) {
    uint8_t *data;
    Word bits = bytes == 0 ? 0 : (bytes - 1) * 8 + last;
    Term t = bits_make(&the_area, bits, &data);
    bits_copy(data, 0, r->p, 0, bits);
    r->p += bytes;
    return t;
}

static Term read_export(Reader *r) {
    Term module = read_term(r), function = read_term(r), arity = read_term(r);
    Mfa *mfa = malloc(sizeof *mfa);
    *mfa = (Mfa){module, function, (uint32_t)small_value(arity)};
    Term *p = area_alloc(&the_area, 2);
    p[0] = header_make(KIND_EXPORT_FUN, 1);
    p[1] = (Term)(uintptr_t)mfa;
    return boxed_make(p);
}

static Term read_ref(Reader *r) {
    uint32_t numbers[REF_NUMBERS_MAX], count = (uint32_t)read_uint(r, 2);
    Term name = read_term(r);
    uint32_t creation = (uint32_t)read_uint(r, 4);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)read_uint(r, 4);
    return ident_ref(&the_area, name, creation, numbers, count);
}

static Term read_pid(Reader *r) {
    Term name = read_term(r);
    uint32_t number = (uint32_t)read_uint(r, 4), serial = (uint32_t)read_uint(r, 4);
    return ident_pid(&the_area, name, (uint32_t)read_uint(r, 4), number, serial);
}

static Term read_big(Reader *r, size_t bytes) {
    bool negative = *r->p++;
    Term t = integer_from_bytes(&the_area, r->p, bytes, true, negative);
    r->p += bytes;
    return t;
}

static Term read_port(Reader *r, unsigned id_bytes) {
    Term name = read_term(r);
    uint64_t id = read_uint(r, id_bytes);
    return ident_port(&the_area, name, (uint32_t)read_uint(r, 4), id);
}

static Term read_term(Reader *r) {
    size_t size;
    switch (read_uint(r, 1)) {
    case 70: return float_make(&the_area, float_from_bits(read_uint(r, 8)));
    case 77: size = read_uint(r, 4); return read_bits(r, size, (unsigned)read_uint(r, 1));
    case 88: return read_pid(r);
    case 89: return read_port(r, 4);
    case 120: return read_port(r, 8);
    case 90: return read_ref(r);
    case 97: return small_make((SWord)read_uint(r, 1));
    case 98: return small_make((int32_t)read_uint(r, 4));
    case 100: {
        size = read_uint(r, 2);
        Term t = atom_put_latin1(r->p, size, NULL);
        r->p += size;
        return t;
    }
    case 118: return read_atom(r, read_uint(r, 2));
    case 119: return read_atom(r, read_uint(r, 1));
    case 104: return read_tuple(r, read_uint(r, 1));
    case 105: return read_tuple(r, read_uint(r, 4));
    case 106: return NIL;
    case 107: return read_string(r, read_uint(r, 2));
    case 108: return read_list(r, read_uint(r, 4));
    case 109: size = read_uint(r, 4); return read_bits(r, size, 8);
    case 110: return read_big(r, read_uint(r, 1));
    case 111: return read_big(r, read_uint(r, 4));
    case 113: return read_export(r);
    case 116: return read_map(r, read_uint(r, 4));
    default: panic("tag %d in a fact", r->p[-1]);
    }
}

static uint8_t hex_value(char c) { return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10); }

static Term term_from_hex(const char *hex) {
    size_t n = strlen(hex) / 2;
    uint8_t *bytes = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(hex_value(hex[2 * i]) << 4 | hex_value(hex[2 * i + 1]));
    Reader r = {bytes + 1};
    Term t = read_term(&r);
    free(bytes);
    return t;
}

#endif

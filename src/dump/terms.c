#include "dump/terms.h"

#include <stdio.h>

#include "dump/external.h"
#include "term/atom.h"
#include "term/float.h"
#include "term/map_trie.h"
#include "term/print.h"
#include "term/refc_binary.h"

static void put_decimal(Text *to, SWord value) {
    char digits[24], *p = digits + sizeof digits;
    Word n = value < 0 ? 0 - (Word)value : (Word)value;
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    if (value < 0)
        *--p = '-';
    text_bytes(to, p, (size_t)(digits + sizeof digits - p));
}

static void put_atom(Text *to, Term atom) {
    const AtomName *name = atom_name(atom);
    text_byte(to, 'A');
    dump_hex(to, name->byte_count);
    text_byte(to, ':');
    text_bytes(to, name->bytes, name->byte_count);
}

static void put_address(Text *to, const void *p) {
    text_byte(to, 'H');
    dump_hex(to, (uintptr_t)p);
}

static const void *float_place(const Term *slot) { return (const char *)slot + 1; }

/* A catch, or what is no term, stands on a stack only, which writes those itself. */
void dump_value(Text *to, const Term *slot) {
    Term t = *slot;
    if (is_pointer(t)) {
        put_address(to, is_list(t) ? list_ptr(t) : boxed_ptr(t));
    } else if (is_small(t)) {
        text_byte(to, 'I');
        put_decimal(to, small_value(t));
    } else if (is_self_float(t)) {
        put_address(to, float_place(slot));
    } else if (is_atom(t)) {
        put_atom(to, t);
    } else if (is_local_pid(t)) {
        text_byte(to, 'P');
        print_pid(to, t);
    } else if (is_local_port(t)) {
        text_byte(to, 'p');
        print_port(to, t);
    } else {
        text_byte(to, 'N');
    }
}

static void put_values(Text *to, const Term *slots, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_byte(to, ',');
        dump_value(to, &slots[i]);
    }
}

static void begin_object(Text *to, const void *at) {
    dump_hex(to, (uintptr_t)at);
    text_byte(to, ':');
}

static void put_float_object(Text *to, const void *at, double d) {
    char digits[40];
    int size = snprintf(digits, sizeof digits, "%.20e", d);
    begin_object(to, at);
    text_byte(to, 'F');
    dump_hex(to, (uint64_t)size);
    text_format(to, ":%s\n", digits);
}

void dump_floats(Text *to, const Term *slots, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_self_float(slots[i]))
            put_float_object(to, float_place(&slots[i]), float_value(slots[i]));
}

#define COPIED_BYTES_MAX 65536

/* A part of another binary, as such: whole bytes from a whole byte on. */
static void put_part(Text *to, Term origin, const BitsView *view) {
    const Term *p = boxed_ptr(origin);
    bool is_ref = header_kind(p[0]) == KIND_BIN_REF;
    const uint8_t *start = is_ref ? ((const BinRef *)p)->binary->bytes : ((const HeapBits *)p)->bytes;
    text_string(to, is_ref ? "Yc" : "Ys");
    dump_hex(to, is_ref ? (uintptr_t)((const BinRef *)p)->binary : (uintptr_t)p);
    text_byte(to, ':');
    dump_hex(to, (size_t)(view->bytes - start));
    text_byte(to, ':');
    dump_hex(to, view->bit_size / 8);
}

/* There is no form for parts that begin within a byte: their bytes are written, if they are not too many; nor for a
 * last byte that is not whole. */
static void put_sub_bits(Text *to, Term t, Term origin) {
    BitsView view;
    bits_of(t, &view);
    size_t bytes = view.bit_size / 8;
    if (view.bit_size % 8 != 0 && bytes < COPIED_BYTES_MAX) {
        dump_external(to, t);
    } else if (view.bit_offset != 0 && bytes < COPIED_BYTES_MAX && dump_external_takes(bytes)) {
        text_string(to, "Yh");
        dump_bytes(to, view.bytes, view.bit_offset, bytes);
    } else {
        put_part(to, origin, &view);
    }
}

static void put_heap_bits(Text *to, Term t) {
    const HeapBits *bits = (const HeapBits *)boxed_ptr(t);
    if (bits->size % 8 != 0) {
        dump_external(to, t);
        return;
    }
    text_string(to, "Yh");
    dump_bytes(to, bits->bytes, 0, bits->size / 8);
}

static void put_bin_ref(Text *to, const BinRef *ref) {
    text_string(to, "Yc");
    dump_hex(to, (uintptr_t)ref->binary);
    text_string(to, ":0:");
    dump_hex(to, (uint64_t)small_value(ref->size));
}

static void put_big(Text *to, const Term *p) {
    size_t at = header_arity(p[0]);
    text_string(to, header_kind(p[0]) == KIND_NEG_BIG ? "B-16#" : "B16#");
    dump_hex(to, p[at]);
    while (--at > 0)
        for (int shift = 60; shift >= 0; shift -= 4)
            text_byte(to, "0123456789ABCDEF"[p[at] >> shift & 15]);
}

static void put_hash_map(Text *to, const HashMap *map) {
    const Term *root = boxed_ptr(map->root);
    text_string(to, "Mh");
    dump_hex(to, (uint64_t)small_value(map->size));
    text_byte(to, ':');
    dump_hex(to, node_count(root));
    text_byte(to, ':');
    put_values(to, node_children(root), node_count(root));
}

static void put_counted(Text *to, const char *kind, const Term *slots, size_t count) {
    text_string(to, kind);
    dump_hex(to, count);
    text_byte(to, ':');
    put_values(to, slots, count);
}

static void put_flat_map(Text *to, const FlatMap *map) {
    size_t size = header_arity(map->header) - 1;
    text_string(to, "Mf");
    dump_hex(to, size);
    text_byte(to, ':');
    dump_value(to, &map->keys);
    text_byte(to, ':');
    put_values(to, map->values, size);
}

static void put_object(Text *to, const Term *p) {
    Term t = boxed_make(p);
    begin_object(to, p);
    switch (header_kind(p[0])) {
    case KIND_TUPLE: put_counted(to, "t", p + 1, header_arity(p[0])); break;
    case KIND_FLAT_MAP: put_flat_map(to, (const FlatMap *)p); break;
    case KIND_HASH_MAP: put_hash_map(to, (const HashMap *)p); break;
    case KIND_MAP_NODE: put_counted(to, "Mn", node_children(p), node_count(p)); break;
    case KIND_SUB_BITS: put_sub_bits(to, t, ((const SubBits *)p)->origin); break;
    case KIND_MATCH_CONTEXT: put_sub_bits(to, t, ((const MatchContext *)p)->origin); break;
    case KIND_BIN_REF: put_bin_ref(to, (const BinRef *)p); break;
    case KIND_POS_BIG:
    case KIND_NEG_BIG: put_big(to, p); break;
    case KIND_HEAP_BITS: put_heap_bits(to, t); break;
    case KIND_EXTERNAL_PID:
        text_byte(to, 'P');
        print_pid(to, t);
        break;
    case KIND_EXTERNAL_PORT:
        text_byte(to, 'p');
        print_port(to, t);
        break;
    default: dump_external(to, t); /* funs, references */
    }
    text_byte(to, '\n');
}

static void put_cell(Text *to, const Term *cell) {
    dump_floats(to, cell, 2);
    begin_object(to, cell);
    text_byte(to, 'l');
    dump_value(to, &cell[0]);
    text_byte(to, '|');
    dump_value(to, &cell[1]);
    text_byte(to, '\n');
}

/* Its values are written by themselves: of tuples and maps. */
static bool has_values(Kind kind) { return kind <= KIND_MAP_NODE; }

static void put_boxed(Text *to, const Term *p) {
    Kind kind = header_kind(p[0]);
    if (kind == KIND_FUN_REF || kind == KIND_FILLER)
        return;
    if (kind == KIND_FLOAT) {
        put_float_object(to, p, boxed_float_value(boxed_make(p)));
        return;
    }
    if (has_values(kind))
        dump_floats(to, p + 1, header_arity(p[0]));
    put_object(to, p);
}

void dump_objects(Text *to, const Term *start, const Term *end) {
    if (start < end)
        dump_external_grant((size_t)((const char *)end - (const char *)start));
    for (const Term *p = start; p < end;) {
        size_t words = is_header(*p) ? header_arity(*p) + 1 : 2;
        if (words > (size_t)(end - p) || (is_header(*p) && header_kind(*p) >= KIND_COUNT))
            return; /* somebody was in the middle of it */
        if (is_header(*p))
            put_boxed(to, p);
        else
            put_cell(to, p);
        p += words;
    }
}

#define PRINT_LEVELS 16
#define PRINT_LIMBS_MAX 64

static void print_level(Text *to, Term t, unsigned levels);

static void print_elements(Text *to, const Term *elements, size_t count, unsigned levels) {
    text_byte(to, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_byte(to, ',');
        print_level(to, elements[i], levels);
    }
    text_byte(to, '}');
}

static bool is_text(Term t) {
    for (; is_list(t); t = list_tail(t))
        if (!is_small(list_head(t)) || small_value(list_head(t)) < 32 || small_value(list_head(t)) > 126)
            return false;
    return is_nil(t);
}

static void print_text(Text *to, Term t) {
    text_byte(to, '"');
    for (; is_list(t); t = list_tail(t)) {
        if (small_value(list_head(t)) == '"')
            text_byte(to, '\\');
        text_byte(to, (char)small_value(list_head(t)));
    }
    text_byte(to, '"');
}

static void print_cells(Text *to, Term t, unsigned levels) {
    text_byte(to, '[');
    print_level(to, list_head(t), levels);
    for (t = list_tail(t); is_list(t); t = list_tail(t)) {
        text_byte(to, ',');
        print_level(to, list_head(t), levels);
    }
    if (!is_nil(t)) {
        text_byte(to, '|');
        print_level(to, t, levels);
    }
    text_byte(to, ']');
}

static void print_map(Text *to, Term t, unsigned levels) {
    MapIterator it;
    Term key, value;
    const char *before = "#{";
    map_iterator_init(&it, t);
    if (map_size(t) == 0)
        text_string(to, before);
    for (; map_iterator_next(&it, &key, &value); before = ",") {
        text_string(to, before);
        print_level(to, key, levels);
        text_string(to, "=>");
        print_level(to, value, levels);
    }
    text_byte(to, '}');
}

/* The depth is bounded: this recurs. */
static void print_level(Text *to, Term t, unsigned levels) {
    if (is_pointer(t) && levels == 0)
        text_string(to, "...");
    else if (is_tuple(t))
        print_elements(to, tuple_elements(t), tuple_arity(t), levels - 1);
    else if (is_map(t))
        print_map(to, t, levels - 1);
    else if (is_list(t) && is_text(t))
        print_text(to, t);
    else if (is_list(t))
        print_cells(to, t, levels - 1);
    else if (is_big(t) && header_arity(boxed_header(t)) > PRINT_LIMBS_MAX)
        text_string(to, "...");
    else
        print_term(to, t);
}

void dump_print(Text *to, Term t) { print_level(to, t, PRINT_LEVELS); }

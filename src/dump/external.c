/*
 * A term is counted first, as its size comes before its bytes. The size of a fun stands within, so each fun is counted
 * once more where it is written: that is why funs are whole to some levels of funs in funs only.
 *
 * What was counted, and is more than there is room for, costs a part of the room: so is all counting bounded by what
 * was granted, as what is written is.
 */
#include "dump/external.h"

#include <string.h>

#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map_trie.h"
#include "term/node.h"

void dump_hex(Text *to, uint64_t n) {
    unsigned digits = n == 0 ? 1 : (67 - (unsigned)__builtin_clzll(n)) / 4;
    char *p = text_extend(to, digits);
    while (digits-- > 0) {
        p[digits] = "0123456789ABCDEF"[n & 15];
        n >>= 4;
    }
}

void bits_of(Term t, BitsView *view) {
    if (!is_match_context(t)) {
        bits_view(t, view);
        return;
    }
    const MatchContext *c = (const MatchContext *)boxed_ptr(t);
    Word offset = (Word)small_value(c->offset);
    *view = (BitsView){bits_origin_bytes(c->origin) + offset / 8, offset % 8, (Word)small_value(c->end) - offset};
}

/* What is still to be written: words in a row, children of a large map's node, or the rest of a list. */
typedef struct {
    enum { RUN, TRIE, CELLS } kind;
    const Term *at;
    size_t count;
    Term list;
    unsigned funs; /* around it */
} Item;

static Item stack[EXTERNAL_DEPTH_MAX];
static size_t depth;

static size_t granted; /* bytes that large terms may still take */
static size_t most;    /* bytes that the one that is being counted may take */

#define COST_OF_VAIN 8 /* one byte of so many that were counted for nothing */

void dump_external_grant(size_t bytes) { granted += bytes; }

static size_t room(void) {
    size_t there = granted > EXTERNAL_SMALL ? granted : EXTERNAL_SMALL;
    return there < EXTERNAL_BYTES_MAX ? there : EXTERNAL_BYTES_MAX;
}

bool dump_external_takes(size_t bytes) {
    if (bytes <= EXTERNAL_SMALL)
        return true;
    bool fits = bytes <= room();
    size_t counted = granted < EXTERNAL_BYTES_MAX ? granted : EXTERNAL_BYTES_MAX;
    granted -= fits ? bytes : counted / COST_OF_VAIN;
    return fits;
}

/* To nowhere (NULL), counted; or in base 64, three bytes at a time. */
typedef struct {
    Text *to;
    size_t bytes;
    uint8_t three[3];
    unsigned held;
} Writer;

static void put_group(Text *to, const uint8_t *three, unsigned count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *p = text_extend(to, 4);
    p[0] = digits[three[0] >> 2];
    p[1] = digits[(three[0] & 3) << 4 | three[1] >> 4];
    p[2] = count > 1 ? digits[(three[1] & 15) << 2 | three[2] >> 6] : '=';
    p[3] = count > 2 ? digits[three[2] & 63] : '=';
}

static void put8(Writer *w, uint8_t byte) {
    w->bytes++;
    if (w->to == NULL)
        return;
    w->three[w->held++] = byte;
    if (w->held == 3) {
        put_group(w->to, w->three, 3);
        w->held = 0;
    }
}

static void finish(Writer *w) {
    if (w->held == 0)
        return;
    memset(w->three + w->held, 0, 3 - w->held);
    put_group(w->to, w->three, w->held);
}

static void put_number(Writer *w, uint64_t n, unsigned bytes) {
    while (bytes-- > 0)
        put8(w, (uint8_t)(n >> 8 * bytes));
}

static void put_bytes(Writer *w, const uint8_t *bytes, size_t count) {
    if (w->to == NULL)
        w->bytes += count;
    else
        for (size_t i = 0; i < count; i++)
            put8(w, bytes[i]);
}

static void put_head(Writer *w, uint8_t tag, uint64_t n, unsigned bytes) {
    put8(w, tag);
    put_number(w, n, bytes);
}

static void put_atom(Writer *w, Term atom) {
    const AtomName *name = atom_name(atom);
    bool is_small_name = name->byte_count < 256;
    put_head(w, is_small_name ? ETF_SMALL_ATOM_UTF8 : ETF_ATOM_UTF8, name->byte_count, is_small_name ? 1 : 2);
    put_bytes(w, name->bytes, name->byte_count);
}

static void put_omitted(Writer *w) {
    put_head(w, ETF_SMALL_ATOM_UTF8, 3, 1);
    put_bytes(w, (const uint8_t *)"...", 3);
}

static void put_integer(Writer *w, Term t) {
    IntegerView v;
    integer_view(t, &v);
    if (is_small(t) && small_value(t) >= INT32_MIN && small_value(t) <= INT32_MAX) {
        put_head(w, ETF_INTEGER, (uint32_t)small_value(t), 4);
        return;
    }
    size_t bytes = 8 * v.count;
    while (bytes > 0 && (uint8_t)(v.limbs[(bytes - 1) / 8] >> (bytes - 1) % 8 * 8) == 0)
        bytes--;
    put_head(w, bytes < 256 ? ETF_SMALL_BIG : ETF_LARGE_BIG, bytes, bytes < 256 ? 1 : 4);
    put8(w, v.negative);
    put_bytes(w, (const uint8_t *)v.limbs, bytes);
}

static void put_float(Writer *w, Term t) {
    double d = float_value(t);
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    put_head(w, ETF_NEW_FLOAT, bits, 8);
}

static void put_pid(Writer *w, Term pid) {
    put8(w, ETF_NEW_PID);
    put_atom(w, ident_node_name(pid));
    put_number(w, pid_number(pid), 4);
    put_number(w, pid_serial(pid), 4);
    put_number(w, ident_node(pid)->creation, 4);
}

static void put_port(Writer *w, Term port) {
    put8(w, ETF_V4_PORT);
    put_atom(w, ident_node_name(port));
    put_number(w, port_number(port), 8);
    put_number(w, ident_node(port)->creation, 4);
}

static void put_ref(Writer *w, Term ref) {
    uint32_t count;
    const uint32_t *numbers = ident_ref_numbers(ref, &count);
    put_head(w, ETF_NEWER_REFERENCE, count, 2);
    put_atom(w, ident_node_name(ref));
    put_number(w, ident_node(ref)->creation, 4);
    for (uint32_t i = 0; i < count; i++)
        put_number(w, numbers[i], 4);
}

static void put_bits(Writer *w, Term t) {
    BitsView view;
    bits_of(t, &view);
    size_t bytes = (view.bit_size + 7) / 8;
    unsigned last = view.bit_size % 8;
    put_head(w, last == 0 ? ETF_BINARY : ETF_BIT_BINARY, bytes, 4);
    if (last != 0)
        put8(w, (uint8_t)last);
    if (w->to == NULL)
        w->bytes += bytes;
    else
        for (Word at = 0; at < view.bit_size; at += 8) {
            unsigned bits = view.bit_size - at < 8 ? (unsigned)(view.bit_size - at) : 8;
            put8(w, (uint8_t)(bits_get(view.bytes, view.bit_offset + at, bits) << (8 - bits)));
        }
}

static void put_export(Writer *w, Term t) {
    const Mfa *mfa = export_fun_mfa(t);
    put8(w, ETF_EXPORT);
    put_atom(w, mfa->module);
    put_atom(w, mfa->function);
    put_head(w, ETF_SMALL_INTEGER, mfa->arity, 1);
}

/* Asked before a term with others in it is begun. There is room left for what a large map takes below itself. */
static bool is_too_deep(void) { return depth >= EXTERNAL_DEPTH_MAX - 2 * MAP_LEVELS; }

static unsigned funs_around(void) { return depth > 0 ? stack[depth - 1].funs : 0; }

static void push(Item item) {
    require(depth < EXTERNAL_DEPTH_MAX);
    item.funs += funs_around();
    stack[depth++] = item;
}

static void put_list(Writer *w, Term t) {
    if (is_too_deep()) {
        put_omitted(w);
        return;
    }
    size_t count = 0;
    for (Term rest = t; is_list(rest) && count < most; rest = list_tail(rest))
        count++;
    put_head(w, ETF_LIST, count, 4);
    push((Item){.kind = CELLS, .list = t});
}

/* Words of one object, behind a head that says how many. */
static void put_run(Writer *w, uint8_t tag, unsigned head_bytes, uint64_t n, Item item) {
    if (is_too_deep()) {
        put_omitted(w);
        return;
    }
    put_head(w, tag, n, head_bytes);
    push(item);
}

static void put_map(Writer *w, Term t) {
    if (is_hash_map(t)) {
        Item root = {.kind = TRIE, .at = &hash_map_ptr(t)->root, .count = 1};
        put_run(w, ETF_MAP, 4, map_size(t), root);
        return;
    }
    size_t size = flat_map_size(t);
    Item pairs = {.kind = TRIE, .at = flat_map_keys(t), .count = size, .list = t};
    put_run(w, ETF_MAP, 4, size, pairs);
}

static void put_parts(Writer *w, size_t base);

static void put_fun_head(Writer *w, Term t) {
    const Fun *fun = fun_ptr(t);
    const FunEntry *entry = fun->entry;
    put8(w, (uint8_t)entry->arity);
    put_bytes(w, entry->uniq, sizeof entry->uniq);
    put_number(w, entry->index, 4);
    put_number(w, fun_free_count(t), 4);
    put_atom(w, entry->module);
    put_head(w, ETF_INTEGER, entry->old_index, 4);
    put_head(w, ETF_INTEGER, entry->old_uniq, 4);
    put_pid(w, fun_creator(fun));
}

static void put_fun_parts(Writer *w, Term t) {
    put_fun_head(w, t);
    push((Item){.kind = RUN, .at = fun_ptr(t)->env, .count = fun_free_count(t), .funs = 1});
}

/* Each of its values is '...'. */
static void put_fun_alone(Writer *w, Term t) {
    Writer values = {0}, count = {.bytes = 4};
    put_omitted(&values);
    put_fun_head(&count, t);
    put_head(w, ETF_NEW_FUN, count.bytes + fun_free_count(t) * values.bytes, 4);
    put_fun_head(w, t);
    for (size_t i = 0; i < fun_free_count(t); i++)
        put_omitted(w);
}

static void put_fun(Writer *w, Term t) {
    if (is_too_deep() || funs_around() >= EXTERNAL_FUNS_MAX) {
        put_fun_alone(w, t);
        return;
    }
    Writer count = {.bytes = 4};
    if (w->to != NULL) {
        size_t base = depth;
        put_fun_parts(&count, t);
        put_parts(&count, base);
    }
    put_head(w, ETF_NEW_FUN, count.bytes, 4);
    put_fun_parts(w, t);
}

static void put_boxed(Writer *w, Term t) {
    size_t arity = header_arity(boxed_header(t));
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE: {
        Item elements = {.kind = RUN, .at = tuple_elements(t), .count = arity};
        put_run(w, arity < 256 ? ETF_SMALL_TUPLE : ETF_LARGE_TUPLE, arity < 256 ? 1 : 4, arity, elements);
        return;
    }
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: put_map(w, t); return;
    case KIND_FUN: put_fun(w, t); return;
    case KIND_EXPORT_FUN: put_export(w, t); return;
    case KIND_POS_BIG:
    case KIND_NEG_BIG: put_integer(w, t); return;
    case KIND_FLOAT: put_float(w, t); return;
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: put_ref(w, t); return;
    case KIND_EXTERNAL_PID: put_pid(w, t); return;
    case KIND_EXTERNAL_PORT: put_port(w, t); return;
    case KIND_SUB_BITS:
    case KIND_MATCH_CONTEXT:
    case KIND_BIN_REF:
    case KIND_HEAP_BITS: put_bits(w, t); return;
    default: put_omitted(w);
    }
}

static void put_term(Writer *w, Term t) {
    if (is_list(t))
        put_list(w, t);
    else if (is_boxed(t))
        put_boxed(w, t);
    else if (is_self_float(t))
        put_float(w, t);
    else if (is_small(t))
        put_integer(w, t);
    else if (is_atom(t))
        put_atom(w, t);
    else if (is_local_pid(t))
        put_pid(w, t);
    else if (is_local_port(t))
        put_port(w, t);
    else if (is_nil(t))
        put8(w, ETF_NIL);
    else
        put_omitted(w);
}

/* A key of a flat map and its value; or a cell, or a node, of a large one. */
static void put_next_child(Writer *w, Item *item) {
    const Term *at = item->at++;
    item->count--;
    if (item->list != 0) {
        const FlatMap *map = flat_map_ptr(item->list);
        push((Item){.kind = RUN, .at = &map->values[at - flat_map_keys(item->list)], .count = 1});
        put_term(w, *at); /* what is in it comes before what was pushed */
    } else if (is_list(*at)) {
        push((Item){.kind = RUN, .at = list_ptr(*at), .count = 2});
    } else {
        const Term *node = boxed_ptr(*at);
        push((Item){.kind = TRIE, .at = node_children(node), .count = node_count(node)});
    }
}

static void put_next_cell(Writer *w, Item *item) {
    Term t = item->list;
    if (is_list(t)) {
        item->list = list_tail(t);
        put_term(w, list_head(t));
    } else {
        depth--;
        put_term(w, t);
    }
}

static void put_parts(Writer *w, size_t base) {
    while (depth > base) {
        Item *item = &stack[depth - 1];
        if (w->to == NULL && w->bytes > most)
            depth = base;
        else if (item->kind == CELLS)
            put_next_cell(w, item);
        else if (item->count == 0)
            depth--;
        else if (item->kind == TRIE)
            put_next_child(w, item);
        else {
            item->count--;
            put_term(w, *item->at++);
        }
    }
}

static void put_whole(Writer *w, Term t) {
    depth = 0;
    put8(w, ETF_VERSION);
    put_term(w, t);
    put_parts(w, 0);
}

static void put_alone(Writer *w, Term t) {
    put8(w, ETF_VERSION);
    if (is_boxed(t) && header_kind(boxed_header(t)) == KIND_FUN)
        put_fun_alone(w, t);
    else
        put_omitted(w);
}

void dump_external(Text *to, Term t) {
    Writer count = {0}, out = {.to = to};
    most = room();
    put_whole(&count, t);
    void (*put)(Writer *, Term) = put_whole;
    if (!dump_external_takes(count.bytes)) {
        put = put_alone;
        count = (Writer){0};
        put_alone(&count, t);
    }
    text_byte(to, 'E');
    dump_hex(to, count.bytes);
    text_byte(to, ':');
    put(&out, t);
    finish(&out);
}

void dump_base64(Text *to, const uint8_t *bytes, size_t bit_offset, size_t count) {
    Writer out = {.to = to};
    for (size_t i = 0; i < count; i++)
        put8(&out, bit_offset == 0 ? bytes[i] : (uint8_t)bits_get(bytes, bit_offset + 8 * i, 8));
    finish(&out);
}

void dump_bytes(Text *to, const uint8_t *bytes, size_t bit_offset, size_t count) {
    dump_hex(to, count);
    text_byte(to, ':');
    dump_base64(to, bytes, bit_offset, count);
}

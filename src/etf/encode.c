/*
 * The encoder: a stack of items that say what is still to be written. An item's `kind`:
 *   TERM    `term`
 *   RUN     the last `count` words of the object `term`
 *   CELLS   the elements of list `term`, then its tail
 *   NODE    the last `count` children of the node `term` of a large map
 *   FUN_END the size of a fun that begins at byte `count` goes to place `term` (a small) of the buffer
 */
#include "etf/encode_parts.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/unicode.h"
#include "etf/local.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/cells.h"
#include "term/compare.h"
#include "term/float.h"
#include "term/float_text.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/magic_table.h"
#include "term/map.h"
#include "term/node.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void grow(EtfEncoder *e, size_t bytes) {
    size_t used = (size_t)(e->at - e->start);
    size_t capacity = 2 * used + bytes + ETF_BUFFER_FIXED; /* not twice `bytes`: at the end that were copied again */
    if (e->buffer == NULL) {
        e->buffer = refc_binary_create(capacity);
        memcpy(e->buffer->bytes, e->start, used);
    } else {
        e->buffer = refc_binary_resize(e->buffer, capacity);
    }
    e->start = e->buffer->bytes;
    e->at = e->start + used;
    e->end = e->start + capacity;
}

/* Room for `bytes`, at most ETF_BUFFER_FIXED; the caller writes and moves e->at. */
static inline uint8_t *room(EtfEncoder *e, size_t bytes) {
    if (unlikely((size_t)(e->end - e->at) < bytes))
        grow(e, bytes);
    return e->at;
}

static inline void put8(EtfEncoder *e, uint8_t v) {
    *room(e, 1) = v;
    e->at++;
}
static inline uint8_t *store16(uint8_t *p, uint16_t v) {
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
    return p + 2;
}
static inline uint8_t *store32(uint8_t *p, uint32_t v) { return store16(store16(p, (uint16_t)(v >> 16)), (uint16_t)v); }
static inline uint8_t *store64(uint8_t *p, uint64_t v) { return store32(store32(p, (uint32_t)(v >> 32)), (uint32_t)v); }
static void put32(EtfEncoder *e, uint32_t v) { e->at = store32(room(e, 4), v); }
static void put64(EtfEncoder *e, uint64_t v) { e->at = store64(room(e, 8), v); }
static void put_tag16(EtfEncoder *e, uint8_t tag, uint16_t v) {
    uint8_t *p = room(e, 3);
    *p = tag;
    e->at = store16(p + 1, v);
}
static void put_tag32(EtfEncoder *e, uint8_t tag, uint32_t v) {
    uint8_t *p = room(e, 5);
    *p = tag;
    e->at = store32(p + 1, v);
}

/* Any number of bytes. */
static uint8_t *put_many(EtfEncoder *e, size_t bytes) {
    uint8_t *p = room(e, bytes);
    e->at += bytes;
    return p;
}

static void put_bytes(EtfEncoder *e, const void *data, size_t bytes) {
    uint8_t *p = put_many(e, bytes);
    if (bytes > 0)
        memcpy(p, data, bytes);
}

/* Nothing is written, and nothing to be written. */
static void init_empty(EtfEncoder *e, EtfMode mode, unsigned minor, unsigned flags) {
    e->form = (EtfForm){(uint8_t)minor, (uint8_t)flags};
    etf_items_init(e);
    etf_encoder_init_bytes(e, mode);
}

void etf_encoder_init(EtfEncoder *e, Term t, EtfMode mode, unsigned minor, unsigned flags) {
    init_empty(e, mode, minor, flags);
    put8(e, ETF_VERSION);
    if (flags & ETF_LOCAL) {
        put8(e, ETF_LOCAL_TERM);
        put32(e, 0); /* see seal */
    }
    etf_push(e, ITEM_TERM, 0, t);
}

void etf_encoder_init_sent(EtfEncoder *e, Term t, EtfMode mode, EtfAtoms *atoms, size_t ahead) {
    assume(mode != ETF_COUNT);
    init_empty(e, mode, ETF_MINOR_MAX, ETF_SENT);
    e->atoms = atoms;
    e->ahead = ahead;
    room(e, ahead);
    e->at += ahead;
    e->flushed = 0 - ahead;
    etf_push(e, ITEM_TERM, 0, t);
}

static void put_latin1_atom(EtfEncoder *e, const AtomName *name) {
    uint8_t *p = room(e, 3 + name->character_count);
    const uint8_t *from = name->bytes, *end = from + name->byte_count;
    *p++ = ETF_ATOM;
    p = store16(p, (uint16_t)name->character_count);
    if (name->character_count == name->byte_count) { /* ASCII */
        memcpy(p, from, name->byte_count);
        e->at = p + name->byte_count;
        return;
    }
    while (from < end) {
        uint32_t character = 0;
        utf8_decode(&from, end, &character);
        *p++ = (uint8_t)character;
    }
    e->at = p;
}

/* False: it is to stand in full. */
static bool put_atom_number(EtfEncoder *e, Term atom) {
    unsigned number = etf_atoms_put(e->atoms, atom);
    if (number == ETF_ATOMS_MAX)
        return false;
    uint8_t *p = room(e, 2);
    p[0] = ETF_ATOM_CACHE_REF;
    p[1] = (uint8_t)number;
    e->at += 2;
    return true;
}

static noinline void put_utf8_atom(EtfEncoder *e, Term atom) {
    if (e->atoms != NULL && put_atom_number(e, atom))
        return;
    const AtomName *name = atom_name(atom);
    if (name->byte_count <= 255) {
        uint8_t *p = room(e, 2);
        p[0] = ETF_SMALL_ATOM_UTF8;
        p[1] = (uint8_t)name->byte_count;
        e->at += 2;
    } else {
        put_tag16(e, ETF_ATOM_UTF8, (uint16_t)name->byte_count);
    }
    put_bytes(e, name->bytes, name->byte_count);
}

static void put_atom(EtfEncoder *e, Term atom) {
    if (e->form.minor < 2) {
        const AtomName *name = atom_name(atom);
        if (name->latin1) {
            put_latin1_atom(e, name);
            return;
        }
    }
    put_utf8_atom(e, atom);
}

static void put_big(EtfEncoder *e, Term t) {
    size_t bytes = (integer_bit_length(t) + 7) / 8;
    if (bytes <= 255) {
        put8(e, ETF_SMALL_BIG);
        put8(e, (uint8_t)bytes);
    } else {
        put_tag32(e, ETF_LARGE_BIG, (uint32_t)bytes);
    }
    put8(e, integer_is_negative(t));
    integer_magnitude_bytes(t, put_many(e, bytes), bytes);
}

static void put_small(EtfEncoder *e, Term t) {
    SWord value = small_value(t);
    if ((Word)value <= 255) {
        uint8_t *p = room(e, 2);
        p[0] = ETF_SMALL_INTEGER;
        p[1] = (uint8_t)value;
        e->at += 2;
    } else if (value == (int32_t)value) {
        put_tag32(e, ETF_INTEGER, (uint32_t)value);
    } else {
        put_big(e, t);
    }
}

static void put_float(EtfEncoder *e, Term t) {
    if (likely(e->form.minor > 0)) {
        uint8_t *p = room(e, 1 + 8);
        *p = ETF_NEW_FLOAT;
        e->at = store64(p + 1, float_bits(float_value(t)));
        return;
    }
    char text[FLOAT_TEXT_MAX] = {0};
    float_text_scientific(float_value(t), 20, text);
    put8(e, ETF_FLOAT);
    put_bytes(e, text, ETF_FLOAT_TEXT_BYTES);
}

/* A creation of 0 is any, for who reads. */
static uint32_t put_node(EtfEncoder *e, Term t) {
    if (etf_names_no_node(&e->form, t)) {
        put8(e, ETF_NIL);
        return 0;
    }
    const Node *node = ident_node(t);
    put_atom(e, node->name);
    return node->creation;
}

static void put_pid(EtfEncoder *e, Term t) {
    put8(e, ETF_NEW_PID);
    uint32_t creation = put_node(e, t);
    put32(e, pid_number(t));
    put32(e, pid_serial(t));
    put32(e, creation);
}

static void put_port(EtfEncoder *e, Term t) {
    uint64_t number = port_number(t);
    bool newest = number > ETF_V3_PORT_MAX;
    put8(e, newest ? ETF_V4_PORT : ETF_NEW_PORT);
    uint32_t creation = put_node(e, t);
    if (newest)
        put64(e, number);
    else
        put32(e, (uint32_t)number);
    put32(e, creation);
}

static void put_ref(EtfEncoder *e, Term t) {
    uint32_t count;
    if (is_magic_ref(t))
        magic_remember(magic_ref_binary(t));
    const uint32_t *numbers = ident_ref_numbers(t, &count);
    put_tag16(e, ETF_NEWER_REFERENCE, (uint16_t)count);
    put32(e, put_node(e, t));
    for (uint32_t i = 0; i < count; i++)
        put32(e, numbers[i]);
}

static void put_export(EtfEncoder *e, Term t) {
    const Mfa *mfa = export_fun_mfa(t);
    put8(e, ETF_EXPORT);
    put_atom(e, mfa->module);
    put_atom(e, mfa->function);
    put_small(e, small_make(mfa->arity));
}

/* The size counts itself and all up to the end of the last free variable. */
static void put_fun(EtfEncoder *e, Term t) {
    const Fun *fun = fun_ptr(t);
    const FunEntry *entry = fun->entry;
    put8(e, ETF_NEW_FUN);
    size_t size_at = etf_encoder_total(e);
    put32(e, 0);
    etf_push(e, ITEM_FUN_END, size_at, small_make((SWord)(size_at - e->flushed)));
    put8(e, (uint8_t)entry->arity);
    put_bytes(e, entry->uniq, sizeof entry->uniq);
    put32(e, entry->index);
    put32(e, (uint32_t)fun_free_count(t));
    put_atom(e, entry->module);
    put_small(e, small_make((int32_t)entry->old_index));
    put_small(e, small_make((int32_t)entry->old_uniq));
    put_pid(e, fun_creator(fun));
    etf_push(e, ITEM_RUN, fun_free_count(t), t);
}

static void finish_fun(EtfEncoder *e, const EtfItem *item) {
    store32(e->start + small_value(item->term), (uint32_t)(etf_encoder_total(e) - item->count));
}

static void put_piece(EtfEncoder *e, Term t, size_t bytes) {
    if (e->piece_count == e->piece_capacity) {
        e->piece_capacity = 2 * e->piece_capacity + 4;
        e->pieces = mem_realloc(ALLOC_TEMP, e->pieces, e->piece_capacity * sizeof(EtfPiece));
    }
    e->pieces[e->piece_count++] = (EtfPiece){(size_t)(e->at - e->start), t};
    e->flushed += bytes;
}

/* NULL: the bytes lie in a heap. */
static RefcBinary *bits_owner(Term t) {
    Term origin = is_boxed_kind(t, KIND_SUB_BITS) ? ((const SubBits *)boxed_ptr(t))->origin : t;
    return is_boxed_kind(origin, KIND_BIN_REF) ? ((const BinRef *)boxed_ptr(origin))->binary : NULL;
}

static bool is_shared(const EtfEncoder *e, Term t, const BitsView *view, size_t bytes) {
    if (!(e->form.flags & ETF_SENT))
        return bytes > HEAP_BITS_MAX_BYTES;
    return bytes >= ETF_SENT_PIECE_BYTES && view->bit_offset == 0 && bits_owner(t) != NULL;
}

static void put_bits(EtfEncoder *e, Term t, int64_t *work) {
    BitsView view;
    bits_view(t, &view);
    size_t bytes = (view.bit_size + 7) / 8;
    unsigned last = view.bit_size & 7;
    if (unlikely(bytes > UINT32_MAX)) {
        e->is_too_large = true;
        return;
    }
    *work -= (int64_t)(bytes / ETF_BYTES_PER_WORK);
    put_tag32(e, last == 0 ? ETF_BINARY : ETF_BIT_BINARY, (uint32_t)bytes);
    if (last != 0) {
        put8(e, (uint8_t)last);
    } else if (e->mode == ETF_PIECES && is_shared(e, t, &view, bytes)) {
        put_piece(e, t, bytes);
        return;
    }
    uint8_t *p = put_many(e, bytes);
    if (bytes == 0)
        return;
    p[bytes - 1] = 0;
    bits_copy(p, 0, view.bytes, view.bit_offset, view.bit_size);
}

static inline bool is_byte(Term t) { return is_small(t) && (Word)small_value(t) <= UINT8_MAX; }

#define BYTE_SIZE 2    /* of an integer of one byte, with its tag */
#define INTEGER_SIZE 5 /* of one of four */
#define UNITS_PER_CELL 2 /* of long work */

static void put_byte_list(EtfEncoder *e, Term t) {
    while (is_list(t)) {
        uint8_t *p = room(e, 1);
        for (; p < e->end && is_list(t); t = list_tail(t))
            *p++ = (uint8_t)small_value(list_head(t));
        e->at = p;
    }
}

/* Bytes in a row that end properly are a string when they are not too many. Else there is room at once for as many
 * bytes as the list takes, if it has small integers only, so that a long one is not moved while it is written. */
static void put_list(EtfEncoder *e, Term t, int64_t *work) {
    size_t count = 0, larger = 0;
    unsigned left = LONG_WORK_ROUND;
    Term tail = t;
    Word stride = CELL_STRIDE;
    for (; is_list(tail); tail = next_cell(tail, &stride), count++) {
        larger += !is_byte(list_head(tail));
        left = long_work_step(left, UNITS_PER_CELL);
    }
    *work -= (int64_t)(count / 8);
    if (larger == 0 && is_nil(tail) && count <= ETF_STRING_MAX) {
        put_tag16(e, ETF_STRING, (uint16_t)count);
        put_byte_list(e, t);
    } else {
        put_tag32(e, ETF_LIST, (uint32_t)count);
        room(e, larger * INTEGER_SIZE + (count - larger) * BYTE_SIZE + 1);
        etf_push(e, ITEM_CELLS, 0, t);
    }
}

/* A short string is one that is looked at twice if it turns out to be none. */
#define SHORT_STRING 32

static inline bool put_short_string(EtfEncoder *e, Term t) {
    uint8_t *p = room(e, 3 + SHORT_STRING);
    size_t count = 0;
    for (; is_list(t) && is_byte(list_head(t)); t = list_tail(t)) {
        if (count == SHORT_STRING)
            return false;
        p[3 + count++] = (uint8_t)small_value(list_head(t));
    }
    if (!is_nil(t))
        return false;
    p[0] = ETF_STRING;
    e->at = store16(p + 1, (uint16_t)count) + count;
    return true;
}

/* Whole bytes of a heap, by the word: behind them there is room for more. */
static inline bool put_heap_bytes(EtfEncoder *e, const HeapBits *bits) {
    size_t bytes = bits->size / 8;
    if (bits->size % 8 != 0 || bytes > HEAP_BITS_MAX_BYTES)
        return false;
    uint8_t *p = room(e, 5 + HEAP_BITS_MAX_BYTES);
    *p = ETF_BINARY;
    p = store32(p + 1, (uint32_t)bytes);
    for (size_t i = 0; i < bytes; i += WORD_BYTES)
        memcpy(p + i, bits->bytes + i, WORD_BYTES);
    e->at = p + bytes;
    return true;
}

/* Integers of more limbs are work. */
#define LIMBS_OF_LEAF 8

static inline bool put_boxed_leaf(EtfEncoder *e, Term t) {
    Term header = boxed_header(t);
    switch (header_kind(header)) {
    case KIND_HEAP_BITS: return put_heap_bytes(e, (const HeapBits *)boxed_ptr(t));
    case KIND_FLOAT: put_float(e, t); return true;
    case KIND_POS_BIG:
    case KIND_NEG_BIG:
        if (header_arity(header) > LIMBS_OF_LEAF)
            return false;
        put_big(e, t);
        return true;
    default: return false;
    }
}

static noinline bool put_other_leaf(EtfEncoder *e, Term t) {
    if (is_boxed(t))
        return !is_tuple(t) && put_boxed_leaf(e, t);
    if (is_list(t))
        return put_short_string(e, t);
    if (is_self_float(t))
        put_float(e, t);
    else if (is_nil(t))
        put8(e, ETF_NIL);
    else
        return false;
    return true;
}

/* What most terms are made of: written at once. False: it is something else, and nothing is written. */
static inline bool put_leaf(EtfEncoder *e, Term t) {
    if (is_small(t))
        put_small(e, t);
    else if (is_atom(t))
        put_atom(e, t);
    else
        return put_other_leaf(e, t);
    return true;
}

/* Leaves at the beginning are written, and a tuple that follows then; what is left becomes an item. */
static void put_tuple(EtfEncoder *e, Term t, int64_t *work) {
    int64_t left = *work;
    for (;;) {
        size_t count = tuple_arity(t);
        const Term *p = tuple_elements(t);
        if (count <= 255) {
            uint8_t *to = room(e, 2);
            to[0] = ETF_SMALL_TUPLE;
            to[1] = (uint8_t)count;
            e->at += 2;
        } else {
            put_tag32(e, ETF_LARGE_TUPLE, (uint32_t)count);
        }
        for (; count > 0 && left > 0 && put_leaf(e, *p); p++, count--)
            left--;
        bool goes_on = count > 0 && left > 0 && is_tuple(*p);
        if (goes_on)
            count--;
        if (count > 0)
            etf_push(e, ITEM_RUN, count, t);
        if (!goes_on)
            break;
        t = *p;
        left--;
    }
    *work = left;
}

/* The same of pairs. The first of what is left is to come off the stack first. */
static void put_flat_map(EtfEncoder *e, Term t, int64_t *work) {
    size_t count = flat_map_size(t), at = 0;
    const Term *keys = flat_map_keys(t), *values = flat_map_ptr(t)->values, *value = NULL;
    *work -= (int64_t)count;
    while (value == NULL && at < count && put_leaf(e, keys[at])) {
        if (!put_leaf(e, values[at]))
            value = &values[at];
        at++;
    }
    while (count-- > at) {
        etf_push(e, ITEM_TERM, 0, values[count]);
        etf_push(e, ITEM_TERM, 0, keys[count]);
    }
    if (value != NULL)
        etf_push(e, ITEM_TERM, 0, *value);
}

static int compare_pairs(const void *a, const void *b) {
    return term_compare_exact(*(const Term *)a, *(const Term *)b);
}

#define UNITS_PER_SORTED_PAIR 200 /* of long work */

/* Keys and values by turns in a tuple, sorted by key. */
static Term sorted_pairs(Term map, Area *area) {
    size_t count = map_size(map);
    long_work_count_large(count, UNITS_PER_SORTED_PAIR);
    Term *tuple = area_alloc(area, 1 + 2 * count), *p = tuple + 1;
    tuple[0] = header_make(KIND_TUPLE, 2 * count);
    MapIterator it;
    map_iterator_init(&it, map);
    while (map_iterator_next(&it, p, p + 1))
        p += 2;
    qsort(tuple + 1, count, 2 * sizeof(Term), compare_pairs);
    return boxed_make(tuple);
}

static void put_map(EtfEncoder *e, Term t, Area *area, int64_t *work) {
    put_tag32(e, ETF_MAP, (uint32_t)map_size(t));
    bool is_sorted = is_flat_map(t) && !release_has(RELEASE_ATOM_KEYS_BY_INDEX);
    if ((e->form.flags & ETF_DETERMINISTIC) && !is_sorted)
        etf_push(e, ITEM_RUN, 2 * map_size(t), sorted_pairs(t, area));
    else if (is_flat_map(t))
        put_flat_map(e, t, work);
    else
        etf_push_node(e, hash_map_ptr(t)->root);
}

static void put_boxed(EtfEncoder *e, Term t, Area *area, int64_t *work) {
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE: put_tuple(e, t, work); break;
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: put_map(e, t, area, work); break;
    case KIND_FUN: put_fun(e, t); break;
    case KIND_EXPORT_FUN: put_export(e, t); break;
    case KIND_SUB_BITS:
    case KIND_BIN_REF:
    case KIND_HEAP_BITS: put_bits(e, t, work); break;
    case KIND_POS_BIG:
    case KIND_NEG_BIG:
        *work -= (int64_t)(header_arity(boxed_header(t)) * WORD_BYTES / ETF_BYTES_PER_WORK);
        put_big(e, t);
        break;
    case KIND_FLOAT: put_float(e, t); break;
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: put_ref(e, t); break;
    case KIND_EXTERNAL_PID: put_pid(e, t); break;
    case KIND_EXTERNAL_PORT: put_port(e, t); break;
    default: panic("no external form for the object at %p", (void *)boxed_ptr(t));
    }
}

static void put_term(EtfEncoder *e, Term t, Area *area, int64_t *work) {
    if (is_small(t))
        put_small(e, t);
    else if (is_atom(t))
        put_atom(e, t);
    else if (is_list(t))
        put_list(e, t, work);
    else if (is_boxed(t))
        put_boxed(e, t, area, work);
    else if (is_nil(t))
        put8(e, ETF_NIL);
    else if (is_self_float(t))
        put_float(e, t);
    else if (is_local_pid(t))
        put_pid(e, t);
    else if (is_local_port(t))
        put_port(e, t);
    else
        panic("no external form for the word %#lx", t);
}

/* Words until one leaves an item of its own. The item of the last word goes before: so nesting to the right takes no
 * room. */
static void put_run(EtfEncoder *e, const EtfItem *item, Area *area, int64_t *work) {
    size_t depth = e->item_count;
    const Term *p = etf_last_words(item->term, item->count), *end = p + item->count;
    while (p < end && *work > 0) {
        (*work)--;
        if (put_leaf(e, *p)) {
            p++;
            continue;
        }
        e->items[depth - 1].count = (size_t)(end - p) - 1;
        if (end - p == 1)
            e->item_count--;
        put_term(e, *p++, area, work);
        if (p == end || e->item_count > depth)
            return;
    }
    e->items[depth - 1].count = (size_t)(end - p);
    if (p == end)
        e->item_count--;
}

/* Integers of at most four bytes, of which long lists are made most often, as far as there is room and work. The cells
 * behind them. */
static Term put_integers(EtfEncoder *e, Term t, int64_t *work) {
    uint8_t *p = e->at;
    int64_t left = *work;
    for (Term head; is_list(t) && is_small(head = list_head(t)) && left > 0 && e->end - p >= INTEGER_SIZE; left--) {
        SWord value = small_value(head);
        if (value != (int32_t)value)
            break;
        bool small = (Word)value <= UINT8_MAX;
        p[0] = small ? ETF_SMALL_INTEGER : ETF_INTEGER;
        if (small)
            p[1] = (uint8_t)value;
        else
            store32(p + 1, (uint32_t)value);
        p += small ? BYTE_SIZE : INTEGER_SIZE;
        t = list_tail(t);
    }
    e->at = p;
    *work = left;
    return t;
}

static void put_cells(EtfEncoder *e, const EtfItem *item, Area *area, int64_t *work) {
    size_t depth = e->item_count;
    Term t = put_integers(e, item->term, work);
    while (is_list(t) && *work > 0) {
        Term head = list_head(t);
        t = list_tail(t);
        (*work)--;
        if (!put_leaf(e, head)) {
            e->items[depth - 1].term = t;
            put_term(e, head, area, work);
            if (e->item_count > depth)
                return;
        }
        t = put_integers(e, t, work);
    }
    e->items[depth - 1].term = t;
    if (!is_list(t)) {
        e->item_count--;
        put_term(e, t, area, work);
    }
}

/* A child of a node is a cell [Key | Value], or a node. */
static void put_child(EtfEncoder *e, Term child, Area *area, int64_t *work) {
    if (!is_list(child)) {
        etf_push_node(e, child);
        return;
    }
    etf_push(e, ITEM_TERM, 0, list_tail(child));
    put_term(e, list_head(child), area, work);
}

/* Takes the next step of the newest item, which is popped when there is none. (A push may move the items.) */
static void step(EtfEncoder *e, Area *area, int64_t *work) {
    EtfItem *item = etf_newest_item(e);
    Term t = item->term;
    switch (item->kind) {
    case ITEM_RUN: put_run(e, item, area, work); break;
    case ITEM_CELLS: put_cells(e, item, area, work); break;
    case ITEM_TERM:
        e->item_count--;
        put_term(e, t, area, work);
        break;
    case ITEM_NODE:
        if (item->count == 0)
            e->item_count--;
        else /* the last child first, as stock maps are written */
            put_child(e, node_children(boxed_ptr(t))[--item->count], area, work);
        break;
    default: {
        EtfItem end = *item;
        e->item_count--;
        finish_fun(e, &end);
    }
    }
}

static uint32_t add_piece(uint32_t sum, Term piece) {
    uint8_t part[ETF_BUFFER_FIXED]; /* it may not begin at a byte */
    BitsView view;
    bits_view(piece, &view);
    for (size_t done = 0, size = view.bit_size / 8, count; done < size; done += count) {
        count = size - done < sizeof part ? size - done : sizeof part;
        bits_copy(part, 0, view.bytes, view.bit_offset + 8 * done, 8 * count);
        sum = etf_local_add(sum, part, count);
    }
    return sum;
}

/* All is written: the check sum of a term in local form. */
static void seal(EtfEncoder *e) {
    uint8_t *place = e->start + 2;
    const uint8_t *from = place + ETF_LOCAL_SUM_BYTES;
    uint32_t sum = etf_local_start();
    for (size_t i = 0; i < e->piece_count; i++) {
        const uint8_t *at = e->start + e->pieces[i].at;
        sum = add_piece(etf_local_add(sum, from, (size_t)(at - from)), e->pieces[i].binary);
        from = at;
    }
    store32(place, etf_local_add(sum, from, (size_t)(e->at - from)));
}

EtfStatus etf_encoder_run(EtfEncoder *e, Area *area, int64_t *work) {
    if (e->mode == ETF_COUNT)
        return etf_encoder_count(e, work);
    while (e->item_count > 0) {
        if (*work <= 0)
            return ETF_MORE;
        step(e, area, work); /* with work left: it always gets on */
        (*work)--;
    }
    etf_pieces_thaw(e);
    if (unlikely(e->is_too_large))
        return ETF_SYSTEM_LIMIT;
    if (e->form.flags & ETF_LOCAL)
        seal(e);
    return ETF_DONE;
}

void etf_encoder_move(EtfEncoder *to, EtfEncoder *from) {
    *to = *from;
    if (from->items == from->fixed_items)
        to->items = to->fixed_items;
    if (from->start == from->fixed) {
        to->start = to->fixed;
        to->at = to->fixed + (from->at - from->fixed);
        to->end = to->fixed + ETF_BUFFER_FIXED;
    }
}

#define UNITS_PER_BYTE_DEFLATED 20 /* of long work */

void etf_encoder_compress(EtfEncoder *e, unsigned level) {
    size_t size = (size_t)(e->at - e->start), plain = size - 1;
    if (level == 0 || size <= ETF_COMPRESSED_HEADER_BYTES || plain > UINT32_MAX)
        return;
    long_work_count_large(plain, UNITS_PER_BYTE_DEFLATED);
    uLongf room = compressBound(plain);
    RefcBinary *packed = refc_binary_create(ETF_COMPRESSED_HEADER_BYTES + room);
    uint8_t *p = packed->bytes;
    if (compress2(p + ETF_COMPRESSED_HEADER_BYTES, &room, e->start + 1, plain, (int)level) != Z_OK ||
        room + ETF_COMPRESSED_HEADER_BYTES > size) {
        refc_binary_release(packed);
        return;
    }
    p[0] = ETF_VERSION;
    p[1] = ETF_COMPRESSED;
    store32(p + 2, (uint32_t)plain);
    if (e->buffer != NULL)
        refc_binary_release(e->buffer);
    e->buffer = packed;
    e->start = p;
    e->at = e->end = p + ETF_COMPRESSED_HEADER_BYTES + room;
}

/* All bytes of the buffer, as one that nobody else has. */
static RefcBinary *take_buffer(EtfEncoder *e) {
    size_t size = (size_t)(e->at - e->start);
    RefcBinary *buffer = e->buffer;
    if (buffer == NULL) {
        buffer = refc_binary_create(size);
        memcpy(buffer->bytes, e->start, size);
    } else {
        buffer = refc_binary_resize(buffer, size);
    }
    e->buffer = NULL;
    e->start = e->at = e->end = e->fixed;
    return buffer;
}

static EtfBytes shared_bytes(RefcBinary *owner, const uint8_t *bytes, size_t size) {
    refc_binary_retain(owner);
    return (EtfBytes){owner, bytes, size};
}

size_t etf_encoder_take(EtfEncoder *e, EtfBytes *parts) {
    size_t from = e->ahead, size = (size_t)(e->at - e->start), count = 0;
    RefcBinary *buffer = take_buffer(e);
    for (size_t i = 0; i < e->piece_count; i++) {
        BitsView view;
        const EtfPiece *piece = &e->pieces[i];
        bits_view(piece->binary, &view);
        if (piece->at > from) /* always, before the first piece: its tag and size */
            parts[count++] = shared_bytes(buffer, buffer->bytes + from, piece->at - from);
        parts[count++] = shared_bytes(bits_owner(piece->binary), view.bytes, view.bit_size / 8);
        from = piece->at;
    }
    if (size > from)
        parts[count++] = shared_bytes(buffer, buffer->bytes + from, size - from);
    refc_binary_release(buffer);
    return count;
}

void etf_encoder_release(EtfEncoder *e) {
    if (e->items != e->fixed_items)
        mem_free(ALLOC_TEMP, e->items);
    e->items = e->fixed_items;
    mem_free(ALLOC_TEMP, e->pieces);
    e->pieces = NULL;
    if (e->buffer != NULL)
        refc_binary_release(e->buffer);
    e->buffer = NULL;
}

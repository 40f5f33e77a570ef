/*
 * The second pass: builds what the first one found to be well-formed.
 *
 * Instead of recursing, a stack of frames says which places of half-built objects wait for a term. A frame's `kind`:
 *   RUN    `remaining` words from `at` on
 *   CELLS  list cells that lie one behind the other: `remaining` - 1 heads, then the tail of the last cell
 *   PAIRS  keys and values of a flat map at `at`, by turns
 *   LARGE  the same into a block `extra`, of which the map is made at the end and stored in *at
 */
#include "etf/decode.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "code/export.h"
#include "etf/decode_parts.h"
#include "etf/local.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"

#include <string.h>

enum { FRAME_RUN, FRAME_CELLS, FRAME_PAIRS, FRAME_LARGE };

static void push(EtfDecoder *d, uint8_t kind, size_t remaining, Term *at, void *extra) {
    if (d->frame_count == d->frame_capacity) {
        size_t bytes = 2 * d->frame_capacity * sizeof(EtfFrame);
        long_work_count_large(bytes / WORD_BYTES, 1);
        if (d->frames == d->fixed) {
            d->frames = mem_alloc(ALLOC_TEMP, bytes);
            memcpy(d->frames, d->fixed, sizeof d->fixed);
        } else {
            d->frames = mem_realloc(ALLOC_TEMP, d->frames, bytes);
        }
        d->frame_capacity *= 2;
    }
    d->frames[d->frame_count++] = (EtfFrame){kind, remaining, at, extra};
}

/* The first of the `remaining` places of a flat map, which are keys and values by turns. */
static inline Term *place_in_map(FlatMap *map, size_t remaining) {
    size_t i = 2 * (header_arity(map->header) - 1) - remaining;
    return i % 2 == 0 ? tuple_elements(map->keys) + i / 2 : map->values + i / 2;
}

/* The next open place of a frame, whose `remaining` is not 0. */
static inline Term *take_place(EtfFrame *f) {
    f->remaining--;
    switch (f->kind) {
    case FRAME_RUN: return f->at++;
    case FRAME_CELLS:
        if (f->remaining == 0)
            return f->at - 1;
        f->at[1] = list_make(f->at + 2);
        f->at += 2;
        return f->at - 2;
    case FRAME_PAIRS: return place_in_map((FlatMap *)f->at, f->remaining + 1);
    default: return (Term *)f->extra + f->remaining; /* backwards: order does not matter for a large map */
    }
}

/* Frees what the frames own, and fills the places that they keep open. */
static void drop_frames(EtfDecoder *d) {
    while (d->frame_count > 0) {
        EtfFrame *f = &d->frames[--d->frame_count];
        while (f->remaining > 0)
            *take_place(f) = NIL;
        if (f->kind == FRAME_LARGE) {
            *f->at = NIL;
            mem_free(ALLOC_TEMP, f->extra);
        }
    }
}

/* Keys into their order; false when two are the same. They come sorted from most senders. */
static bool sort_pairs(FlatMap *map) {
    size_t count = header_arity(map->header) - 1;
    Term *keys = tuple_elements(map->keys);
    for (size_t i = 1; i < count; i++) {
        Term key = keys[i], value = map->values[i];
        size_t at = i;
        int order = 1;
        while (at > 0 && (order = term_compare_keys(key, keys[at - 1])) < 0) {
            keys[at] = keys[at - 1];
            map->values[at] = map->values[at - 1];
            at--;
        }
        keys[at] = key;
        map->values[at] = value;
        if (order == 0)
            return false;
    }
    return true;
}

/* The pairs were filled from the end, so each stands as value, key. */
static bool finish_large(EtfDecoder *d, const EtfFrame *f) {
    Term *pairs = f->extra;
    size_t count = (size_t)small_value(*f->at);
    for (size_t i = 0; i < count; i++) {
        Term value = pairs[2 * i];
        pairs[2 * i] = pairs[2 * i + 1];
        pairs[2 * i + 1] = value;
    }
    Term map = map_from_pairs(&d->local, pairs, count);
    *f->at = map;
    return map_size(map) == count;
}

/* All places of the top frame are filled. */
static bool finish_frame(EtfDecoder *d) {
    EtfFrame f = d->frames[--d->frame_count];
    if (f.kind == FRAME_PAIRS)
        return sort_pairs((FlatMap *)f.at);
    if (f.kind != FRAME_LARGE)
        return true;
    bool unique = finish_large(d, &f);
    mem_free(ALLOC_TEMP, f.extra);
    return unique;
}

static Term read_big(EtfDecoder *d, size_t bytes) {
    bool negative = reader_u8(&d->in) != 0;
    return integer_from_bytes(&d->local, reader_take(&d->in, bytes), bytes, true, negative);
}

/* Most of the bytes that are shared, so that little is kept for nothing. */
static bool is_shared(const EtfDecoder *d, size_t bytes) {
    return d->owner != NULL && d->inflated == NULL && bytes >= ETF_SHARED_BYTES && bytes <= ETF_SHARED_MAX &&
           bytes >= d->owner->size - d->owner->size / 4;
}

static Term read_binary(EtfDecoder *d) {
    size_t bytes = reader_u32(&d->in);
    const uint8_t *from = reader_take(&d->in, bytes);
    if (likely(!is_shared(d, bytes)))
        return binary_from_bytes(&d->local, from, bytes);
    size_t offset = (size_t)(from - d->owner->bytes);
    refc_binary_retain(d->owner);
    return bits_sub(&d->local, binary_from_refc(&d->local, d->owner, offset + bytes), 8 * offset, 8 * bytes);
}

static Term read_bits(EtfDecoder *d) {
    size_t bytes = reader_u32(&d->in);
    unsigned last = reader_u8(&d->in);
    BitsView view = {.bytes = reader_take(&d->in, bytes), .bit_size = bytes == 0 ? 0 : 8 * (bytes - 1) + last};
    return bits_from_view(&d->local, &view);
}

static Term string_make(EtfDecoder *d, const uint8_t *text, size_t count) {
    if (count == 0)
        return NIL;
    Term *cells = area_alloc(&d->local, 2 * count), *p = cells;
    for (size_t i = 0; i < count; i++, p += 2) {
        p[0] = small_make(text[i]);
        p[1] = list_make(p + 2);
    }
    p[-1] = NIL;
    return list_make(cells);
}

static Term read_string(EtfDecoder *d) {
    size_t count = reader_u16(&d->in);
    return string_make(d, reader_take(&d->in, count), count);
}

static Term read_pid(EtfDecoder *d, bool *full) {
    bool old = reader_u8(&d->in) == ETF_PID;
    Term node = etf_read_node(&d->in, d->atoms, full);
    uint32_t number = reader_u32(&d->in), serial = reader_u32(&d->in);
    uint32_t creation = old ? reader_u8(&d->in) : reader_u32(&d->in);
    return is_value(node) ? ident_pid(&d->local, node, creation, number, serial) : NON_VALUE;
}

static Term read_port(EtfDecoder *d, uint8_t tag, bool *full) {
    Term node = etf_read_node(&d->in, d->atoms, full);
    uint64_t id = tag == ETF_V4_PORT ? reader_u64(&d->in) : reader_u32(&d->in);
    uint32_t creation = tag == ETF_PORT ? reader_u8(&d->in) : reader_u32(&d->in);
    return is_value(node) ? ident_port(&d->local, node, creation, id) : NON_VALUE;
}

static Term read_reference(EtfDecoder *d, uint8_t tag, bool *full) {
    uint32_t numbers[REF_NUMBERS_MAX], creation = 0;
    unsigned count = tag == ETF_REFERENCE ? 1 : reader_u16(&d->in);
    Term node = etf_read_node(&d->in, d->atoms, full);
    if (tag == ETF_NEWER_REFERENCE)
        creation = reader_u32(&d->in);
    else if (tag == ETF_NEW_REFERENCE)
        creation = reader_u8(&d->in);
    for (unsigned i = 0; i < count; i++)
        numbers[i] = reader_u32(&d->in);
    if (tag == ETF_REFERENCE)
        creation = reader_u8(&d->in);
    return is_value(node) ? ident_ref(&d->local, node, creation, numbers, count) : NON_VALUE;
}

static Term read_export(EtfDecoder *d, bool *full) {
    Term module = etf_read_atom(&d->in, d->atoms, full), function = etf_read_atom(&d->in, d->atoms, full);
    unsigned arity = (unsigned)etf_read_integer(&d->in);
    if (!is_value(module) || !is_value(function))
        return NON_VALUE;
    ExportFun *fun = (ExportFun *)area_alloc(&d->local, 2);
    fun->header = header_make(KIND_EXPORT_FUN, 1);
    fun->export = export_put(module, function, arity);
    return boxed_make(fun);
}

static Term read_fun(EtfDecoder *d, bool *full) {
    reader_u32(&d->in); /* size */
    unsigned arity = reader_u8(&d->in);
    const uint8_t *uniq = reader_take(&d->in, 16);
    uint32_t index = reader_u32(&d->in), free_count = reader_u32(&d->in);
    Term module = etf_read_atom(&d->in, d->atoms, full);
    uint32_t old_index = (uint32_t)etf_read_integer(&d->in), old_uniq = (uint32_t)etf_read_integer(&d->in);
    Term creator = read_pid(d, full);
    if (!is_value(module) || !is_value(creator))
        return NON_VALUE;
    Fun *fun = (Fun *)area_alloc(&d->local, FUN_WORDS + free_count);
    fun->header = header_make(KIND_FUN, FUN_WORDS - 1 + free_count);
    fun->entry = fun_entry_put(module, old_uniq, old_index, uniq, index, arity);
    fun->ref = fun_ref_make(&d->local, fun->entry);
    fun->creator = creator;
    push(d, FRAME_RUN, free_count, fun->env, NULL);
    return boxed_make(fun);
}

static Term read_tuple(EtfDecoder *d, size_t count) {
    Term *p = area_alloc(&d->local, 1 + count);
    p[0] = header_make(KIND_TUPLE, count);
    push(d, FRAME_RUN, count, p + 1, NULL);
    return boxed_make(p);
}

static Term read_list(EtfDecoder *d, Term *place) {
    size_t count = reader_u32(&d->in);
    if (count == 0) { /* the tail alone */
        push(d, FRAME_RUN, 1, place, NULL);
        return NIL;
    }
    Term *cells = area_alloc(&d->local, 2 * count);
    push(d, FRAME_CELLS, count + 1, cells, NULL);
    return list_make(cells);
}

static Term flat_map_begin(EtfDecoder *d, size_t count) {
    Term *keys = area_alloc(&d->local, 1 + count);
    keys[0] = header_make(KIND_TUPLE, count);
    FlatMap *map = (FlatMap *)area_alloc(&d->local, 2 + count);
    map->header = header_make(KIND_FLAT_MAP, 1 + count);
    map->keys = boxed_make(keys);
    return boxed_make(map);
}

/* A large map's place holds the number of pairs until the map is there. */
static Term read_map(EtfDecoder *d, Term *place) {
    size_t count = reader_u32(&d->in);
    if (count > MAP_FLAT_MAX) {
        push(d, FRAME_LARGE, 2 * count, place, mem_alloc(ALLOC_TEMP, 2 * count * sizeof(Term)));
        return small_make((SWord)count);
    }
    Term map = flat_map_begin(d, count);
    push(d, FRAME_PAIRS, 2 * count, boxed_ptr(map), NULL);
    return map;
}

static double read_float_text(EtfDecoder *d) {
    double value = 0;
    etf_float_text(reader_take(&d->in, ETF_FLOAT_TEXT_BYTES), &value);
    return value;
}

/* The next term; what it contains is left to the frame that it pushes. NON_VALUE when it cannot be built. */
static Term read_one(EtfDecoder *d, Term *place, bool *full) {
    Reader *in = &d->in;
    const uint8_t *start = in->at;
    uint8_t tag = reader_u8(in);
    switch (tag) {
    case ETF_SMALL_INTEGER: return small_make(reader_u8(in));
    case ETF_INTEGER: return small_make((int32_t)reader_u32(in));
    case ETF_FLOAT: return float_make(&d->local, read_float_text(d));
    case ETF_NEW_FLOAT: return float_make(&d->local, float_from_bits(reader_u64(in)));
    case ETF_ATOM:
    case ETF_SMALL_ATOM:
    case ETF_ATOM_UTF8:
    case ETF_SMALL_ATOM_UTF8:
    case ETF_ATOM_CACHE_REF: in->at = start; return etf_read_atom(in, d->atoms, full);
    case ETF_PID:
    case ETF_NEW_PID: in->at = start; return read_pid(d, full);
    case ETF_PORT:
    case ETF_NEW_PORT:
    case ETF_V4_PORT: return read_port(d, tag, full);
    case ETF_REFERENCE:
    case ETF_NEW_REFERENCE:
    case ETF_NEWER_REFERENCE: return read_reference(d, tag, full);
    case ETF_SMALL_TUPLE: return read_tuple(d, reader_u8(in));
    case ETF_LARGE_TUPLE: return read_tuple(d, reader_u32(in));
    case ETF_NIL: return NIL;
    case ETF_STRING: return read_string(d);
    case ETF_LIST: return read_list(d, place);
    case ETF_BINARY: return read_binary(d);
    case ETF_BIT_BINARY: return read_bits(d);
    case ETF_SMALL_BIG: return read_big(d, reader_u8(in));
    case ETF_LARGE_BIG: return read_big(d, reader_u32(in));
    case ETF_MAP: return read_map(d, place);
    case ETF_EXPORT: return read_export(d, full);
    case ETF_LOCAL_TERM: reader_take(in, ETF_LOCAL_SUM_BYTES); return read_one(d, place, full);
    default: return read_fun(d, full); /* ETF_NEW_FUN: the check let nothing else through */
    }
}

/* The builders get an area of their own over the reserved words, so that nothing needs to be asked for twice; what goes
 * beyond them (large maps) comes from the area behind. */
static Term *local_overflow(Area *area, size_t words) {
    EtfDecoder *d = container_of(area, EtfDecoder, local);
    return area_alloc(d->area, words);
}

static void begin_build(EtfDecoder *d, Area *area) {
    d->area = area;
    d->local = (Area){.overflow = local_overflow};
    if (d->words > 0) {
        d->local.top = area_alloc(area, d->words);
        d->local.limit = d->local.top + d->words;
    }
    d->reserved_end = d->local.limit;
    push(d, FRAME_RUN, 1, &d->result, NULL);
}

static void end_build(EtfDecoder *d) {
    drop_frames(d);
    for (OffHeap *object = d->local.off_heap, *next; object != NULL; object = next) {
        next = object->next;
        area_link_off_heap(d->area, object, 0);
    }
    d->area->off_heap_bytes += d->local.off_heap_bytes;
    d->local.off_heap = NULL;
    d->local.off_heap_bytes = 0;
    area_give_back(d->area, d->local.top, d->reserved_end);
    d->local.top = d->local.limit = d->reserved_end = NULL;
}

/* A term that contains no other, and of which nothing has to be said but where it goes: NON_VALUE, and nothing is read,
 * if it is another one. The first pass has seen that it is whole. */
static inline Term read_plain(EtfDecoder *d, const uint8_t **at) {
    const uint8_t *p = *at;
    size_t count;
    switch (*p) {
    case ETF_SMALL_INTEGER: *at = p + 2; return small_make(p[1]);
    case ETF_INTEGER: *at = p + 5; return small_make((int32_t)bytes_u32(p + 1));
    case ETF_NIL: *at = p + 1; return NIL;
    case ETF_NEW_FLOAT: *at = p + 9; return float_make(&d->local, float_from_bits(bytes_u64(p + 1)));
    case ETF_ATOM: {
        Term atom = atom_put_latin1(p + 3, count = bytes_u16(p + 1), NULL);
        *at = is_value(atom) ? p + 3 + count : p;
        return atom;
    }
    case ETF_ATOM_CACHE_REF: *at = p + 2; return d->atoms[p[1]];
    case ETF_SMALL_ATOM_UTF8: {
        Term atom = atom_put(p + 2, count = p[1], NULL);
        *at = is_value(atom) ? p + 2 + count : p;
        return atom;
    }
    case ETF_STRING:
        count = bytes_u16(p + 1);
        *at = p + 3 + count;
        return string_make(d, p + 3, count);
    case ETF_BINARY:
        count = bytes_u32(p + 1);
        if (count > HEAP_BITS_MAX_BYTES)
            return NON_VALUE;
        *at = p + 5 + count;
        return binary_from_bytes(&d->local, p + 5, count);
    default: return NON_VALUE;
    }
}

/* The frame on top, its places in registers. What is written in it is stale until it is put back. */
typedef struct {
    EtfFrame *frame;
    Term *at;
    size_t remaining;
    unsigned kind;
} Open;

static inline void open_top(const EtfDecoder *d, Open *o) {
    EtfFrame *f = &d->frames[d->frame_count - 1];
    *o = (Open){f, f->at, f->remaining, f->kind};
}

static inline void put_back(const Open *o) {
    o->frame->at = o->at;
    o->frame->remaining = o->remaining;
}

/* Its next place, which it has. */
static inline Term *open_place(Open *o) {
    Term *place = o->at;
    if (o->kind == FRAME_RUN)
        o->at++;
    else if (o->kind == FRAME_PAIRS)
        place = place_in_map((FlatMap *)place, o->remaining);
    else if (o->remaining == 1)
        place--;
    else {
        place[1] = list_make(place + 2);
        o->at += 2;
    }
    o->remaining--;
    return place;
}

/* A new frame on top. That one goes if none of its places is open any more, and nothing is left to do with it: so
 * nesting to the right takes no room. */
static inline void open_inner(EtfDecoder *d, Open *o, unsigned kind, Term *at, size_t remaining) {
    if (o->remaining == 0 && o->kind != FRAME_PAIRS)
        d->frame_count--;
    else
        put_back(o);
    push(d, (uint8_t)kind, remaining, at, NULL);
    open_top(d, o);
}

/* A tuple, list or small map of which the first bytes are at *from, and what is open in it. NON_VALUE: another term. */
static inline Term begin_term(EtfDecoder *d, const uint8_t **from, unsigned *kind, Term **at, size_t *count) {
    const uint8_t *p = *from;
    switch (*p) {
    case ETF_SMALL_TUPLE:
        *from = p + 2;
        *count = p[1];
        *kind = FRAME_RUN;
        Term *tuple = area_alloc(&d->local, 1 + *count);
        tuple[0] = header_make(KIND_TUPLE, *count);
        *at = tuple + 1;
        return boxed_make(tuple);
    case ETF_LIST:
        if ((*count = bytes_u32(p + 1)) == 0)
            return NON_VALUE;
        *from = p + 5;
        *kind = FRAME_CELLS;
        *at = area_alloc(&d->local, 2 * *count);
        ++*count; /* the tail */
        return list_make(*at);
    case ETF_MAP:
        if ((*count = bytes_u32(p + 1)) > MAP_FLAT_MAX)
            return NON_VALUE;
        *from = p + 5;
        *kind = FRAME_PAIRS;
        Term map = flat_map_begin(d, *count);
        *count *= 2;
        *at = boxed_ptr(map);
        return map;
    default: return NON_VALUE;
    }
}

/* Fills what the top frame and those below it leave open with terms that contain no others, tuples, lists and small
 * maps. It ends where something else stands, where a large map is to be filled, and when `*work` is used up. False: two
 * keys are the same. */
static bool read_rows(EtfDecoder *d, int64_t *work) {
    Open o;
    open_top(d, &o);
    const uint8_t *p = d->in.at;
    int64_t left = *work;
    bool is_good = true;
    for (;;) {
        for (; o.remaining > 0 && left > 0; left--) {
            Term t = read_plain(d, &p);
            if (likely(is_value(t))) {
                *open_place(&o) = t;
                continue;
            }
            unsigned kind;
            Term *at;
            size_t count;
            t = begin_term(d, &p, &kind, &at, &count);
            if (!is_value(t))
                break;
            *open_place(&o) = t;
            open_inner(d, &o, kind, at, count);
        }
        if (o.remaining > 0)
            break;
        is_good = o.kind != FRAME_PAIRS || sort_pairs((FlatMap *)o.at);
        if (!is_good || d->frame_count == 1)
            break;
        d->frame_count--;
        open_top(d, &o);
        if (o.kind == FRAME_LARGE)
            break;
    }
    put_back(&o);
    d->in.at = p;
    *work = left;
    return is_good;
}

EtfStatus etf_decoder_build(EtfDecoder *d, Area *area, int64_t *work) {
    bool full = false;
    if (d->area == NULL)
        begin_build(d, area);
    while (d->frame_count > 0) {
        EtfFrame *f = &d->frames[d->frame_count - 1];
        if (f->remaining == 0) {
            if (!finish_frame(d)) {
                end_build(d);
                return ETF_BAD;
            }
            continue;
        }
        if (f->kind != FRAME_LARGE && !read_rows(d, work)) {
            end_build(d);
            return ETF_BAD;
        }
        f = &d->frames[d->frame_count - 1]; /* another one, or as far as it could go */
        if (f->remaining == 0)
            continue;
        if ((*work)-- <= 0)
            return ETF_MORE;
        Term *place = take_place(f);
        *place = NIL; /* a whole object, whatever happens next */
        if (f->remaining == 0 && (f->kind == FRAME_RUN || f->kind == FRAME_CELLS))
            d->frame_count--; /* before what is pushed: so nesting to the right takes no room */
        Term t = read_one(d, place, &full);
        if (!is_value(t)) {
            end_build(d);
            return full ? ETF_SYSTEM_LIMIT : ETF_BAD;
        }
        *place = t;
    }
    end_build(d);
    return ETF_DONE;
}

void etf_decoder_rebase(EtfDecoder *d, const uint8_t *bytes) {
    ptrdiff_t moved = bytes - d->input;
    d->input = bytes;
    if (d->inflated != NULL)
        return;
    d->in.at += moved;
    d->in.end += moved;
    d->terms += moved;
    d->end += moved;
    if (d->local_sum != NULL)
        d->local_sum += moved;
}

void etf_decoder_release(EtfDecoder *d) {
    if (d->frame_count > 0)
        end_build(d);
    if (d->frames != d->fixed)
        mem_free(ALLOC_TEMP, d->frames);
    mem_free(ALLOC_TEMP, d->inflated);
    d->inflated = NULL;
    d->frames = d->fixed;
}

EtfStatus etf_decode(const uint8_t *bytes, size_t size, unsigned flags, Area *area, Term *result, size_t *used) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    etf_decoder_init(&d, bytes, size, flags);
    EtfStatus status = etf_decoder_check(&d, &work);
    if (status == ETF_DONE)
        status = etf_decoder_build(&d, area, &work);
    if (used != NULL)
        *used = d.used;
    *result = d.result;
    etf_decoder_release(&d);
    return status;
}

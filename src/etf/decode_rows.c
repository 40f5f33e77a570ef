/* What most terms are made of: read with the places of the innermost tuple, list or map in registers. */
#include "etf/decode_frames.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/float.h"

#include <string.h>

void etf_frames_grow(EtfDecoder *d) {
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

/* They come sorted from most senders. */
bool etf_flat_map_sort(FlatMap *map) {
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

Term etf_flat_map_begin(EtfDecoder *d, size_t count) {
    Term *keys = area_alloc(&d->local, 1 + count);
    keys[0] = header_make(KIND_TUPLE, count);
    FlatMap *map = (FlatMap *)area_alloc(&d->local, 2 + count);
    map->header = header_make(KIND_FLAT_MAP, 1 + count);
    map->keys = boxed_make(keys);
    return boxed_make(map);
}

Term etf_string_make(EtfDecoder *d, const uint8_t *text, size_t count) {
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
        return etf_string_make(d, p + 3, count);
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
        place = frame_place_in_map((FlatMap *)place, o->remaining);
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
    frame_push(d, (uint8_t)kind, remaining, at, NULL);
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
        Term map = etf_flat_map_begin(d, *count);
        *count *= 2;
        *at = boxed_ptr(map);
        return map;
    default: return NON_VALUE;
    }
}

bool etf_read_rows(EtfDecoder *d, int64_t *work) {
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
        if (o.remaining > 0 || d->frame_count == 1) /* the last one is finished by who called */
            break;
        is_good = o.kind != FRAME_PAIRS || etf_flat_map_sort((FlatMap *)o.at);
        if (!is_good)
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

/* What most terms are made of: read with the places of the innermost tuple, list or map in registers. */
#include "etf/decode_frames.h"

#include "alloc/alloc.h"
#include "etf/grow.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/float.h"

void etf_frames_grow(EtfDecoder *d) { d->frames = etf_grow(d->frames, d->fixed, &d->frame_capacity, sizeof(EtfFrame)); }

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

/* The pairs were filled from the end, so each stands as value, key. False: two keys are the same. */
static bool finish_large(EtfDecoder *d, Term *pairs, Term *place) {
    size_t count = (size_t)small_value(*place);
    for (size_t i = 0; i < count; i++) {
        Term value = pairs[2 * i];
        pairs[2 * i] = pairs[2 * i + 1];
        pairs[2 * i + 1] = value;
    }
    *place = map_from_pairs(&d->local, pairs, count);
    mem_free(ALLOC_TEMP, pairs);
    return map_size(*place) == count;
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
        place = frame_place_in_map((FlatMap *)place, o->remaining);
    else if (o->kind == FRAME_LARGE)
        place = frame_place_in_large(o->frame, o->remaining);
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
    put_back(o);
    frame_drop_filled(d);
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
        FlatMap *map = flat_map_alloc(&d->local, *count, at);
        *count *= 2;
        *at = &map->header;
        return boxed_make(map);
    default: return NON_VALUE;
    }
}

/* All places of the frame on top are filled. */
static inline bool finish(EtfDecoder *d, const Open *o) {
    d->frame_count--;
    if (o->kind == FRAME_PAIRS)
        return sort_pairs((FlatMap *)o->at);
    return o->kind != FRAME_LARGE || finish_large(d, o->frame->extra, o->at);
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
        if (o.remaining > 0) {
            put_back(&o);
            break;
        }
        is_good = finish(d, &o);
        if (!is_good || d->frame_count == 0)
            break;
        open_top(d, &o);
    }
    d->in.at = p;
    *work = left;
    return is_good;
}

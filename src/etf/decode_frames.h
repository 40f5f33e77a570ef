/*
 * The frames of the second pass. Instead of recursing, a stack of them says which places of half-built objects wait for
 * a term. Of what kind one is:
 *   RUN    `remaining` words from `at` on
 *   CELLS  list cells that lie one behind the other: `remaining` - 1 heads, then the tail of the last cell
 *   PAIRS  keys and values of a flat map at `at`, by turns
 *   LARGE  the same into a block `extra`, of which the map is made at the end and stored in *at
 * One without open places goes at once, so that nesting to the right takes no room; but of PAIRS the keys are sorted
 * first, and of LARGE the map is made.
 */
#ifndef VIV_ETF_DECODE_FRAMES_H
#define VIV_ETF_DECODE_FRAMES_H

#include "etf/decode.h"
#include "term/map.h"

enum { FRAME_RUN, FRAME_CELLS, FRAME_PAIRS, FRAME_LARGE };

void etf_frames_grow(EtfDecoder *d); /* to twice as many */
static inline void frame_push(EtfDecoder *d, uint8_t kind, size_t remaining, Term *at, void *extra) {
    if (unlikely(d->frame_count == d->frame_capacity))
        etf_frames_grow(d);
    d->frames[d->frame_count++] = (EtfFrame){kind, remaining, at, extra};
}

/* The first of the `remaining` places of a flat map, which are keys and values by turns. */
static inline Term *frame_place_in_map(FlatMap *map, size_t remaining) {
    size_t i = 2 * (header_arity(map->header) - 1) - remaining;
    return i % 2 == 0 ? tuple_elements(map->keys) + i / 2 : map->values + i / 2;
}

/* Backwards: order does not matter for a large map. */
static inline Term *frame_place_in_large(const EtfFrame *f, size_t remaining) {
    return (Term *)f->extra + remaining - 1;
}

/* The one on top, if none of its places is open any more, and nothing is left to do with it. */
static inline void frame_drop_filled(EtfDecoder *d) {
    const EtfFrame *f = &d->frames[d->frame_count - 1];
    if (f->remaining == 0 && (f->kind == FRAME_RUN || f->kind == FRAME_CELLS))
        d->frame_count--;
}

/* The next open place of a frame, whose `remaining` is not 0. */
static inline Term *frame_take_place(EtfFrame *f) {
    f->remaining--;
    switch (f->kind) {
    case FRAME_RUN: return f->at++;
    case FRAME_CELLS:
        if (f->remaining == 0)
            return f->at - 1;
        f->at[1] = list_make(f->at + 2);
        f->at += 2;
        return f->at - 2;
    case FRAME_PAIRS: return frame_place_in_map((FlatMap *)f->at, f->remaining + 1);
    default: return frame_place_in_large(f, f->remaining + 1);
    }
}

/* Fills what the top frame and those below it leave open with terms that contain no others, tuples, lists and small
 * maps, and does what is left to do with the frames that are full. It ends where something else stands, when `*work` is
 * used up, and when there is no frame any more. False: two keys of a map are the same. */
bool etf_read_rows(EtfDecoder *d, int64_t *work);

#endif

#include "etf/encode_parts.h"

#include "etf/grow.h"
#include "term/bits.h"

void etf_encoder_init_bytes(EtfEncoder *e, EtfMode mode) {
    e->mode = mode;
    e->atoms = NULL;
    e->ahead = 0;
    e->start = e->at = e->fixed;
    e->end = e->fixed + ETF_BUFFER_FIXED;
    e->buffer = NULL;
    e->flushed = 0;
    e->pieces = NULL;
    e->piece_count = e->piece_capacity = 0;
    e->frozen_items = e->frozen_pieces = NIL;
    e->frozen_piece_count = 0;
    e->is_too_large = false;
}

void etf_items_grow(EtfEncoder *e) {
    e->items = etf_grow(e->items, e->fixed_items, &e->item_capacity, sizeof(EtfItem));
}

/*
 * Suspended, terms are in a tuple of two lists of tuples, the newest first, of items and of pieces. What was frozen
 * earlier and not needed since stays in its tuple.
 */

#define BLOCK_TERMS 1024

/* `count` terms, `step` bytes from each to the next, in front of the blocks. */
static Term freeze(Area *area, Term blocks, const Term *from, size_t step, size_t count) {
    while (count > 0) {
        size_t size = count < BLOCK_TERMS ? count : BLOCK_TERMS;
        Term *tuple = area_alloc(area, 1 + size);
        tuple[0] = header_make(KIND_TUPLE, size);
        for (size_t i = 1; i <= size; i++, from = (const Term *)((const char *)from + step))
            tuple[i] = *from;
        blocks = area_cons(area, boxed_make(tuple), blocks);
        count -= size;
    }
    return blocks;
}

/* The newest block goes to the places from `to` on back. How many terms are frozen then. */
static size_t thaw(Term *blocks, char *to, size_t step, size_t frozen) {
    Term block = list_head(*blocks);
    const Term *terms = tuple_elements(block);
    for (size_t i = tuple_arity(block); i-- > 0; frozen--) {
        to -= step;
        *(Term *)to = terms[i];
    }
    *blocks = list_tail(*blocks);
    return frozen;
}

void etf_items_thaw(EtfEncoder *e) {
    char *to = (char *)&e->items[e->frozen_item_count] + offsetof(EtfItem, term);
    e->frozen_item_count = thaw(&e->frozen_items, to, sizeof(EtfItem), e->frozen_item_count);
}

void etf_pieces_thaw(EtfEncoder *e) {
    while (e->frozen_piece_count > 0) {
        char *to = (char *)&e->pieces[e->frozen_piece_count] + offsetof(EtfPiece, binary);
        e->frozen_piece_count = thaw(&e->frozen_pieces, to, sizeof(EtfPiece), e->frozen_piece_count);
    }
}

Term etf_encoder_suspend(EtfEncoder *e, Area *area) {
    size_t items = e->frozen_item_count, pieces = e->frozen_piece_count;
    if (e->item_count > items)
        e->frozen_items = freeze(area, e->frozen_items, &e->items[items].term, sizeof(EtfItem), e->item_count - items);
    if (e->piece_count > pieces)
        e->frozen_pieces =
            freeze(area, e->frozen_pieces, &e->pieces[pieces].binary, sizeof(EtfPiece), e->piece_count - pieces);
    e->frozen_item_count = e->item_count;
    e->frozen_piece_count = e->piece_count;
    return area_tuple2(area, e->frozen_items, e->frozen_pieces);
}

void etf_encoder_resume(EtfEncoder *e, Term suspended) {
    e->frozen_items = tuple_elements(suspended)[0];
    e->frozen_pieces = tuple_elements(suspended)[1];
}

Term etf_encoder_binary(EtfEncoder *e, Area *area) {
    size_t size = (size_t)(e->at - e->start);
    if (e->buffer == NULL || size <= HEAP_BITS_MAX_BYTES)
        return binary_from_bytes(area, e->start, size);
    RefcBinary *buffer = refc_binary_resize(e->buffer, size);
    e->buffer = NULL;
    e->start = e->at = e->end = e->fixed;
    return binary_from_refc(area, buffer, size);
}

/* From the last to the first: the bytes after a piece, the piece. */
Term etf_encoder_pieces(EtfEncoder *e, Area *area) {
    Term bytes = etf_encoder_binary(e, area), list = NIL;
    size_t end = bits_size(bytes) / 8;
    for (size_t i = e->piece_count; i-- > 0; end = e->pieces[i].at) {
        size_t at = e->pieces[i].at;
        if (end > at)
            list = area_cons(area, bits_sub(area, bytes, 8 * at, 8 * (end - at)), list);
        list = area_cons(area, e->pieces[i].binary, list);
    }
    if (e->piece_count == 0)
        return area_cons(area, bytes, NIL);
    return area_cons(area, bits_sub(area, bytes, 0, 8 * end), list);
}

/* Iolists, taken apart; and the functions of erlang that join them. Source: erlang(3). */
#include "bif/iolist.h"

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

#include <string.h>

#define PIECES_PER_REDUCTION 16
#define BYTES_PER_REDUCTION 1024
#define IOVEC_JOINED_MAX_BYTES 256 /* as seen on the stock runtime */

void iolist_start(Iolist *io, Term t) {
    io->at = t;
    estack_init(&io->rests);
}

void iolist_release(Iolist *io) { estack_release(&io->rests); }

static inline bool is_byte(Term t) { return is_small(t) && t <= small_make(255); }

/* A list that ends goes on with the rest of the one it stands in. */
IolistPiece iolist_next(Iolist *io) {
    for (;;) {
        Term t = io->at;
        if (is_list(t)) {
            Term head = list_head(t);
            io->at = list_tail(t);
            if (is_byte(head)) {
                io->byte = (uint8_t)small_value(head);
                return IOLIST_BYTE;
            }
            if (is_bitstring(head)) {
                io->bits = head;
                return IOLIST_BITS;
            }
            if (is_list(head)) {
                if (!is_nil(io->at))
                    estack_push(&io->rests, io->at);
                io->at = head;
            } else if (!is_nil(head)) {
                return IOLIST_BAD;
            }
        } else if (is_nil(t)) {
            if (estack_is_empty(&io->rests))
                return IOLIST_END;
            io->at = estack_pop(&io->rests);
        } else if (is_bitstring(t)) {
            io->at = NIL;
            io->bits = t;
            return IOLIST_BITS;
        } else {
            return IOLIST_BAD;
        }
    }
}

Term iolist_rest(const Iolist *io, Area *area) {
    Term rest = NIL;
    for (const Word *p = io->rests.base; p < io->rests.top; p++)
        rest = area_cons(area, *p, rest);
    return area_cons(area, io->at, rest);
}

int64_t iolist_bits(Term t, bool bits_allowed, size_t *pieces) {
    IOLIST(io, t);
    int64_t bits = 0;
    size_t count = 0;
    for (;; count++) {
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: bits += 8; break;
        case IOLIST_BITS:
            if (!bits_allowed && (bits_size(io.bits) & 7) != 0)
                return -1;
            bits += (int64_t)bits_size(io.bits);
            break;
        case IOLIST_BAD: return -1;
        default:
            if (pieces != NULL)
                *pieces = count;
            return bits;
        }
    }
}

void iolist_copy(Term t, uint8_t *to) {
    IOLIST(io, t);
    Word at = 0;
    for (;;) {
        switch (iolist_next(&io)) {
        case IOLIST_BYTE:
            if ((at & 7) == 0)
                to[at / 8] = io.byte;
            else
                bits_put(to, at, 8, io.byte);
            at += 8;
            break;
        case IOLIST_BITS: {
            BitsView view;
            bits_view(io.bits, &view);
            bits_copy(to, at, view.bytes, view.bit_offset, view.bit_size);
            at += view.bit_size;
            break;
        }
        default: return;
        }
    }
}

static Term join(Process *p, Term list, bool bits_allowed) {
    size_t pieces;
    int64_t bits = iolist_bits(list, bits_allowed, &pieces);
    if (bits < 0)
        return fail_badarg(p);
    process_bump(p, (int64_t)pieces / PIECES_PER_REDUCTION + bits / 8 / BYTES_PER_REDUCTION);
    uint8_t *data;
    Term result = bits_make(process_area(p), (Word)bits, &data);
    if (bits > 0)
        data[(bits - 1) / 8] = 0;
    if ((bits & 7) != 0 || bits_allowed)
        memset(data, 0, (size_t)(bits + 7) / 8);
    iolist_copy(list, data);
    return result;
}

Term erlang_iolist_to_binary_1(Process *p, const Term *a) { return is_binary(a[0]) ? a[0] : join(p, a[0], false); }

Term erlang_list_to_binary_1(Process *p, const Term *a) {
    return is_list(a[0]) || is_nil(a[0]) ? join(p, a[0], false) : fail_badarg(p);
}

Term erlang_list_to_bitstring_1(Process *p, const Term *a) {
    return is_list(a[0]) || is_nil(a[0]) ? join(p, a[0], true) : fail_badarg(p);
}

Term erlang_iolist_size_1(Process *p, const Term *a) {
    size_t pieces;
    int64_t bits = iolist_bits(a[0], false, &pieces);
    if (bits < 0)
        return fail_badarg(p);
    process_bump(p, (int64_t)pieces / PIECES_PER_REDUCTION);
    return integer_from_int64(process_area(p), bits / 8);
}

/* iolist_to_iovec: larger binaries stay what they are, what lies between them is joined. */

typedef struct {
    Area *area;
    Term *last; /* where the next cell's address goes */
    size_t from, at;
    Term joined; /* all small parts, one behind the other; pieces are cut out of it */
} Iovec;

static void iovec_append(Iovec *v, Term binary) {
    Term cell = area_cons(v->area, binary, NIL);
    *v->last = cell;
    v->last = &list_ptr(cell)[1];
}

static void iovec_flush(Iovec *v) {
    if (v->at > v->from)
        iovec_append(v, bits_sub(v->area, v->joined, 8 * v->from, 8 * (v->at - v->from)));
    v->from = v->at;
}

static bool stays(Term bits) { return bits_size(bits) > 8 * IOVEC_JOINED_MAX_BYTES; }

static size_t small_bytes(Term list) {
    IOLIST(io, list);
    size_t bytes = 0;
    for (;;) {
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: bytes++; break;
        case IOLIST_BITS: bytes += stays(io.bits) ? 0 : bits_size(io.bits) / 8; break;
        default: return bytes;
        }
    }
}

static Term iovec(Process *p, Term list) {
    Term result = NIL;
    uint8_t *data;
    Iovec v = {.area = process_area(p), .last = &result};
    v.joined = binary_make(v.area, small_bytes(list), &data);
    IOLIST(io, list);
    for (;;) {
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: data[v.at++] = io.byte; break;
        case IOLIST_BITS:
            if (stays(io.bits)) {
                iovec_flush(&v);
                iovec_append(&v, io.bits);
            } else {
                BitsView view;
                bits_view(io.bits, &view);
                bits_copy(data, 8 * v.at, view.bytes, view.bit_offset, view.bit_size);
                v.at += view.bit_size / 8;
            }
            break;
        default: iovec_flush(&v); return result;
        }
    }
}

Term erlang_iolist_to_iovec_1(Process *p, const Term *a) {
    size_t pieces;
    int64_t bits = iolist_bits(a[0], false, &pieces);
    if (bits < 0)
        return fail_badarg(p);
    process_bump(p, (int64_t)pieces / PIECES_PER_REDUCTION);
    return iovec(p, a[0]);
}

/* Bitstrings to lists */

static Term bytes_to_list(Process *p, const BitsView *view, Term tail) {
    size_t bytes = view->bit_size / 8;
    if (bytes == 0)
        return tail;
    process_bump(p, (int64_t)bytes / PIECES_PER_REDUCTION);
    Term *cells = area_alloc(process_area(p), 2 * bytes), *cell = cells;
    for (size_t i = 0; i < bytes; i++, cell += 2) {
        uint8_t byte = view->bit_offset == 0 ? view->bytes[i]
                                             : (uint8_t)bits_get(view->bytes + i, view->bit_offset, 8);
        cell[0] = small_make(byte);
        cell[1] = list_make(cell + 2);
    }
    cell[-1] = tail;
    return list_make(cells);
}

Term erlang_binary_to_list_1(Process *p, const Term *a) {
    if (!is_binary(a[0]))
        return fail_badarg(p);
    BitsView view;
    bits_view(a[0], &view);
    return bytes_to_list(p, &view, NIL);
}

Term erlang_binary_to_list_3(Process *p, const Term *a) {
    if (!is_bitstring(a[0]) || !is_small(a[1]) || !is_small(a[2]))
        return fail_badarg(p);
    SWord start = small_value(a[1]), stop = small_value(a[2]), size = (SWord)(bits_size(a[0]) / 8);
    if (start < 1 || start > size || stop < start || stop > size)
        return fail_badarg(p);
    BitsView view;
    bits_view(a[0], &view);
    view.bytes += start - 1;
    view.bit_size = 8 * (Word)(stop - start + 1);
    return bytes_to_list(p, &view, NIL);
}

Term erlang_bitstring_to_list_1(Process *p, const Term *a) {
    if (!is_bitstring(a[0]))
        return fail_badarg(p);
    Word size = bits_size(a[0]), rest = size & 7;
    Term tail = NIL;
    if (rest != 0)
        tail = area_cons(process_area(p), bits_sub(process_area(p), a[0], size - rest, rest), NIL);
    BitsView view;
    bits_view(a[0], &view);
    return bytes_to_list(p, &view, tail);
}

Term erlang_split_binary_2(Process *p, const Term *a) {
    if (!is_bitstring(a[0]) || !is_small(a[1]))
        return fail_badarg(p);
    SWord at = small_value(a[1]);
    Word size = bits_size(a[0]);
    if (at < 0 || at > (SWord)(size / 8))
        return fail_badarg(p);
    Area *area = process_area(p);
    Term first = bits_sub(area, a[0], 0, 8 * (Word)at);
    return area_tuple2(area, first, bits_sub(area, a[0], 8 * (Word)at, size - 8 * (Word)at));
}

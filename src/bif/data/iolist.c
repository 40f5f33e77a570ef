/* The functions of erlang that join iolists. Source: erlang(3). */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/iolist.h"

#include <string.h>

#define PIECES_PER_REDUCTION 16
#define BYTES_PER_REDUCTION 1024
#define UNITS_PER_PIECE 8 /* of long work */
#define UNITS_PER_CELL 3
#define IOVEC_JOINED_MAX_BYTES 256 /* as seen on the stock runtime */

static Term join(Process *p, Term list, bool bits_allowed) {
    LONG_WORK_OPEN;
    size_t pieces;
    int64_t bits = iolist_bits(list, bits_allowed, &pieces);
    if (bits == IOLIST_TOO_LARGE)
        return fail_with(p, FAIL_SYSTEM_LIMIT);
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

/* The bits of an I/O list, paid for; negative when it is none. */
static int64_t measure(Process *p, Term iolist) {
    size_t pieces;
    int64_t bits = iolist_bits(iolist, false, &pieces);
    if (bits >= 0)
        process_bump(p, (int64_t)pieces / PIECES_PER_REDUCTION);
    return bits;
}

Term erlang_iolist_size_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    uint64_t bytes;
    size_t pieces;
    if (!iolist_bytes(a[0], &bytes, &pieces))
        return fail_badarg(p);
    process_bump(p, (int64_t)pieces / PIECES_PER_REDUCTION);
    return integer_from_uint64(process_area(p), bytes);
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
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        left = long_work_step(left, UNITS_PER_PIECE);
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: bytes += 1 + iolist_run(&io, NULL); break;
        case IOLIST_BITS:
            if (!stays(io.bits))
                bytes += bits_size(io.bits) / 8 + iolist_run(&io, NULL);
            break;
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
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        left = long_work_step(left, 2 * UNITS_PER_PIECE);
        switch (iolist_next(&io)) {
        case IOLIST_BYTE:
            data[v.at++] = io.byte;
            v.at += iolist_run(&io, data + v.at);
            break;
        case IOLIST_BITS:
            if (stays(io.bits)) {
                iovec_flush(&v);
                iovec_append(&v, io.bits);
            } else {
                BitsView view;
                bits_view(io.bits, &view);
                bits_copy(data, 8 * v.at, view.bytes, view.bit_offset, view.bit_size);
                v.at += view.bit_size / 8;
                v.at += iolist_run(&io, data + v.at);
            }
            break;
        default: iovec_flush(&v); return result;
        }
    }
}

Term erlang_iolist_to_iovec_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return measure(p, a[0]) < 0 ? fail_badarg(p) : iovec(p, a[0]);
}

/* Bitstrings to lists */

static Term bytes_to_list(Process *p, const BitsView *view, Term tail) {
    size_t bytes = view->bit_size / 8;
    if (bytes == 0)
        return tail;
    if (process_lacks_room(p, 2 * bytes))
        return bif_with_room(p, 2 * bytes);
    LONG_WORK_OPEN_IF(bytes > LONG_WORK_LEAST);
    process_bump(p, (int64_t)bytes / PIECES_PER_REDUCTION);
    long_work_count_large(bytes, UNITS_PER_CELL);
    Term *cells = area_alloc(process_area(p), 2 * bytes), *cell = cells;
    for (size_t i = 0; i < bytes; i++, cell += 2) {
        uint8_t byte = view->bit_offset == 0 ? view->bytes[i] : (uint8_t)bits_get(view->bytes + i, view->bit_offset, 8);
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
    if (!is_taken_for_binary(a[0]) || !is_small(a[1]) || !is_small(a[2]))
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

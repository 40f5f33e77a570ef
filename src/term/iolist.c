#include "term/iolist.h"

#include <string.h>

#include "base/copy_bytes.h"
#include "base/long_work.h"
#include "term/bits.h"

#define IOLIST_BYTES_MAX ((uint64_t)1 << 59) /* no machine has so many */
#define UNITS_PER_PIECE 8 /* of long work */
#define UNITS_PER_BYTE 2 /* or small binary */
#define RUN_BYTES_MAX ((size_t)1 << 60) /* one more binary is fewer than are left to 2^64 */

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

static inline void copy_small(uint8_t *to, const uint8_t *from, size_t bytes) {
    if (bytes > 8) {
        copy_bytes(to, from, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[i];
}

/* Nearly all iolists are bytes and small binaries, nested or not: goes over those that come next, and copies them to
 * where `to` is not NULL; with `over_all` it goes over larger binaries as well. Their bytes; *pieces are how many
 * more. */
static inline size_t take_run(Iolist *io, uint8_t *to, bool over_all, size_t *pieces) {
    size_t bytes = 0, count = 0;
    Term t = io->at;
    unsigned left = LONG_WORK_ROUND;
    for (;; count++) {
        left = long_work_step(left, UNITS_PER_BYTE);
        if (!is_list(t)) {
            if (!is_nil(t) || estack_is_empty(&io->rests))
                break;
            t = estack_pop(&io->rests);
            continue;
        }
        Term head = list_head(t), rest = list_tail(t);
        if (is_byte(head)) {
            if (to != NULL)
                to[bytes] = (uint8_t)small_value(head);
            bytes++;
        } else if (is_list(head)) {
            if (!is_nil(rest))
                estack_push(&io->rests, rest);
            rest = head;
        } else if (is_boxed_kind(head, KIND_HEAP_BITS) && (heap_bits_size(head) & 7) == 0) {
            size_t size = heap_bits_size(head) / 8;
            if (to != NULL)
                copy_small(to + bytes, ((const HeapBits *)boxed_ptr(head))->bytes, size);
            bytes += size;
        } else if (over_all && bytes <= RUN_BYTES_MAX && is_bitstring(head) && (bits_size(head) & 7) == 0) {
            bytes += bits_size(head) / 8;
        } else if (!is_nil(head)) {
            break;
        }
        t = rest;
    }
    long_work_rest(left, UNITS_PER_BYTE);
    io->at = t;
    *pieces += count;
    return bytes;
}

size_t iolist_run(Iolist *io, uint8_t *to) {
    size_t pieces = 0;
    return take_run(io, to, false, &pieces);
}

Term iolist_rest(const Iolist *io, Area *area) {
    Term rest = NIL;
    for (const Word *p = io->rests.base; p < io->rests.top; p++)
        rest = area_cons(area, *p, rest);
    return area_cons(area, io->at, rest);
}

/* Bytes, which may be more than fit, and bits beside them. False: no such list. */
static bool measure(Term t, bool bits_allowed, uint64_t *bytes, uint64_t *odd, size_t *pieces) {
    IOLIST(io, t);
    unsigned __int128 sum = 0;
    size_t count = 0;
    unsigned left = LONG_WORK_ROUND;
    *odd = 0;
    for (;; count++) {
        sum += take_run(&io, NULL, true, &count);
        left = long_work_step(left, UNITS_PER_PIECE);
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: sum++; break;
        case IOLIST_BITS:
            if (!bits_allowed && (bits_size(io.bits) & 7) != 0)
                return false;
            sum += bits_size(io.bits) / 8;
            *odd += bits_size(io.bits) & 7;
            break;
        case IOLIST_BAD: return false;
        default:
            *bytes = sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
            if (pieces != NULL)
                *pieces = count;
            long_work_rest(left, UNITS_PER_PIECE);
            return true;
        }
    }
}

int64_t iolist_bits(Term t, bool bits_allowed, size_t *pieces) {
    uint64_t bytes, odd;
    if (!measure(t, bits_allowed, &bytes, &odd, pieces))
        return -1;
    return bytes > IOLIST_BYTES_MAX || odd > IOLIST_BYTES_MAX ? IOLIST_TOO_LARGE : (int64_t)(8 * bytes + odd);
}

bool iolist_bytes(Term t, uint64_t *bytes, size_t *pieces) {
    uint64_t odd;
    return measure(t, false, bytes, &odd, pieces);
}

void iolist_copy(Term t, uint8_t *to) {
    IOLIST(io, t);
    Word at = 0;
    size_t pieces = 0;
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        if ((at & 7) == 0)
            at += 8 * (Word)take_run(&io, to + at / 8, false, &pieces);
        left = long_work_step(left, UNITS_PER_PIECE);
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
        default: long_work_rest(left, UNITS_PER_PIECE); return;
        }
    }
}

Term list_from_bytes(Area *area, const void *bytes, size_t count, Term tail) {
    if (count == 0)
        return tail;
    const uint8_t *from = bytes;
    Term *cells = area_alloc(area, 2 * count);
    for (size_t i = 0; i < count; i++) {
        cells[2 * i] = small_make(from[i]);
        cells[2 * i + 1] = i + 1 < count ? list_make(cells + 2 * i + 2) : tail;
    }
    return list_make(cells);
}

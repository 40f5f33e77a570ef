/*
 * Checksums of iolists. Source: erlang(3). Each works through its list in rounds: when the slice is over, it traps to
 * itself (md5/1 to an internal function) with what it has so far and the rest of the list.
 */
#include "alloc/alloc.h"
#include "base/md5.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/export.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/iolist.h"

#include <string.h>
#include <zlib.h>

#define BYTES_PER_REDUCTION 100
#define PIECES_PER_REDUCTION 16
#define BYTES_PER_ROUND ((size_t)1 << 20)

typedef void Update(void *context, const uint8_t *bytes, size_t count);

/* Feeds a binary, aligned or not. */
static void feed_bits(Term bits, Update *update, void *context) {
    size_t count;
    uint8_t *copy;
    const uint8_t *bytes = binary_bytes(bits, &count, &copy);
    update(context, bytes, count);
    mem_free(ALLOC_TEMP, copy);
}

/* A large binary in parts: at most BYTES_PER_ROUND of it, the rest goes back in front of what follows. How many bytes
 * it was. */
static size_t feed_some(Process *p, Iolist *io, Update *update, void *context) {
    Word size = bits_size(io->bits);
    if (size <= 8 * BYTES_PER_ROUND) {
        feed_bits(io->bits, update, context);
        return size / 8;
    }
    Area *area = process_area(p);
    feed_bits(bits_sub(area, io->bits, 0, 8 * BYTES_PER_ROUND), update, context);
    Term rest = bits_sub(area, io->bits, 8 * BYTES_PER_ROUND, size - 8 * BYTES_PER_ROUND);
    io->at = area_cons(area, rest, io->at);
    return BYTES_PER_ROUND;
}

typedef enum { FEED_DONE, FEED_BAD, FEED_MORE } FeedResult;

/* FEED_MORE: *rest is to be fed later. Single bytes are gathered. */
static FeedResult feed(Process *p, Term list, Update *update, void *context, Term *rest) {
    IOLIST(io, list);
    uint8_t gathered[256];
    size_t count = 0;
    int64_t work = (p->reductions > 100 ? p->reductions : 100) * BYTES_PER_REDUCTION, before = work;
    for (;;) {
        IolistPiece piece = iolist_next(&io);
        if (piece == IOLIST_BYTE) {
            gathered[count++] = io.byte;
            work -= BYTES_PER_REDUCTION / PIECES_PER_REDUCTION;
        }
        if (count > 0 && (piece != IOLIST_BYTE || count == sizeof gathered)) {
            update(context, gathered, count);
            count = 0;
        }
        if (piece == IOLIST_BITS) {
            if ((bits_size(io.bits) & 7) != 0)
                return FEED_BAD;
            work -= BYTES_PER_REDUCTION / PIECES_PER_REDUCTION;
            work -= (int64_t)feed_some(p, &io, update, context);
        }
        if (piece == IOLIST_END || piece == IOLIST_BAD) {
            process_bump(p, (before - work) / BYTES_PER_REDUCTION);
            return piece == IOLIST_END ? FEED_DONE : FEED_BAD;
        }
        if (work <= 0 && count == 0) {
            process_bump(p, (before - work) / BYTES_PER_REDUCTION);
            *rest = iolist_rest(&io, process_area(p));
            return FEED_MORE;
        }
    }
}

static void update_md5(void *context, const uint8_t *bytes, size_t count) { md5_update(context, bytes, count); }
static void update_crc32(void *context, const uint8_t *bytes, size_t count) {
    *(uint32_t *)context = (uint32_t)crc32_z(*(uint32_t *)context, bytes, count);
}
static void update_adler32(void *context, const uint8_t *bytes, size_t count) {
    *(uint32_t *)context = (uint32_t)adler32_z(*(uint32_t *)context, bytes, count);
}

/* The context is given to the program as a binary of the size of the stock one. */
_Static_assert(sizeof(Md5) == 88, "md5_init/0 gives 88 bytes");

static Term md5_term(Process *p, const Md5 *md5) { return binary_from_bytes(process_area(p), md5, sizeof *md5); }

static Term md5_digest(Process *p, Md5 *md5) {
    uint8_t digest[MD5_BYTES];
    md5_final(md5, digest);
    return binary_from_bytes(process_area(p), digest, sizeof digest);
}

static bool md5_from_term(Term t, Md5 *md5) {
    if (!is_binary(t) || bits_size(t) != 8 * sizeof *md5)
        return false;
    BitsView view;
    bits_view(t, &view);
    bits_copy((uint8_t *)md5, 0, view.bytes, view.bit_offset, view.bit_size);
    return true;
}

static Term md5_go_on(Process *p, Md5 *md5, Term list, bool final) {
    Term rest;
    switch (feed(p, list, update_md5, md5, &rest)) {
    case FEED_DONE: return final ? md5_digest(p, md5) : md5_term(p, md5);
    case FEED_BAD: return fail_badarg(p);
    default: {
        Term arguments[2] = {md5_term(p, md5), rest};
        Export *more =
            final ? export_internal(am_erts_internal, am_md5_update, 2) : export_put(am_erlang, am_md5_update, 2);
        return bif_yield(p, more, 2, arguments);
    }
    }
}

Term erlang_md5_1(Process *p, const Term *a) {
    Md5 md5;
    md5_init(&md5);
    return md5_go_on(p, &md5, a[0], true);
}

Term erlang_md5_init_0(Process *p, const Term *a) {
    Md5 md5 = {.bytes = 0};
    md5_init(&md5);
    return md5_term(p, &md5);
}

Term erlang_md5_update_2(Process *p, const Term *a) {
    Md5 md5;
    return md5_from_term(a[0], &md5) ? md5_go_on(p, &md5, a[1], false) : fail_badarg(p);
}

Term erts_internal_md5_update_2(Process *p, const Term *a) {
    Md5 md5;
    return md5_from_term(a[0], &md5) ? md5_go_on(p, &md5, a[1], true) : fail_badarg(p);
}

Term erlang_md5_final_1(Process *p, const Term *a) {
    Md5 md5;
    return md5_from_term(a[0], &md5) ? md5_digest(p, &md5) : fail_badarg(p);
}

static bool uint32_from_term(Term t, uint32_t *value) {
    *value = (uint32_t)small_value(t);
    return is_small_within(t, 0, UINT32_MAX);
}

static Term checksum_go_on(Process *p, Term name, Update *update, uint32_t sum, Term list) {
    Term rest;
    switch (feed(p, list, update, &sum, &rest)) {
    case FEED_DONE: return small_make(sum);
    case FEED_BAD: return fail_badarg(p);
    default: {
        Term arguments[2] = {small_make(sum), rest};
        return bif_yield(p, export_put(am_erlang, name, 2), 2, arguments);
    }
    }
}

Term erlang_crc32_1(Process *p, const Term *a) { return checksum_go_on(p, am_crc32, update_crc32, 0, a[0]); }
Term erlang_adler32_1(Process *p, const Term *a) { return checksum_go_on(p, am_adler32, update_adler32, 1, a[0]); }

Term erlang_crc32_2(Process *p, const Term *a) {
    uint32_t sum;
    return uint32_from_term(a[0], &sum) ? checksum_go_on(p, am_crc32, update_crc32, sum, a[1]) : fail_badarg(p);
}
Term erlang_adler32_2(Process *p, const Term *a) {
    uint32_t sum;
    return uint32_from_term(a[0], &sum) ? checksum_go_on(p, am_adler32, update_adler32, sum, a[1]) : fail_badarg(p);
}

Term erlang_crc32_combine_3(Process *p, const Term *a) {
    uint32_t first, second, length;
    if (!uint32_from_term(a[0], &first) || !uint32_from_term(a[1], &second) || !uint32_from_term(a[2], &length))
        return fail_badarg(p);
    return small_make((uint32_t)crc32_combine(first, second, (z_off_t)length));
}
Term erlang_adler32_combine_3(Process *p, const Term *a) {
    uint32_t first, second, length;
    if (!uint32_from_term(a[0], &first) || !uint32_from_term(a[1], &second) || !uint32_from_term(a[2], &length))
        return fail_badarg(p);
    if (length == 0) /* whatever the second is; zlib corrects it */
        return small_make(first);
    return small_make((uint32_t)adler32_combine(first, second, (z_off_t)length));
}

/*
 * Terms to bytes of the external term format, byte for byte as the release that is asked for writes them.
 *
 * One pass, into a buffer that grows. etf_encoder_run does at most `*work` units (about an element or 64 bytes each),
 * lowers it, and returns ETF_MORE when it is used up. What is still to be written can then be taken out as a term, and
 * put back after a collection moved it (etf_encoder_suspend, _resume). No recursion on the C stack.
 *
 * Modes: ETF_WRITE keeps all bytes in one binary. ETF_COUNT writes none: only the total is known. ETF_PIECES leaves
 * binaries of more than HEAP_BITS_MAX_BYTES where they are, and remembers where they belong (term_to_iovec).
 * A binary of 4 GB and more has no form: the answer is ETF_SYSTEM_LIMIT then.
 * Keys of maps come in the map's own order, or sorted with ETF_DETERMINISTIC. With ETF_LOCAL a check sum stands in
 * front (etf/local.h), and this node's pids, ports and references name no node: its name may change.
 *
 * The form for other nodes (etf_encoder_init_sent) has no version byte, and atoms are numbers in an EtfAtoms. What it
 * writes is taken as EtfBytes, each with a reference of its own: that needs no area and may go to another thread. In
 * front of the bytes it leaves room, so that what must stand there, and is only known later, needs no copy.
 * Source: ERTS User's Guide "External Term Format"; erlang(3) term_to_binary/2.
 */
#ifndef VIV_ETF_ENCODE_H
#define VIV_ETF_ENCODE_H

#include "etf/atoms.h"
#include "etf/decode.h"
#include "sys/release.h"
#include "term/refc_binary.h"

typedef enum { ETF_WRITE, ETF_COUNT, ETF_PIECES } EtfMode;
enum { ETF_DETERMINISTIC = 1, ETF_LOCAL = 2, ETF_SENT = 4 /* by etf_encoder_init_sent only */ };
#define ETF_BUFFER_FIXED 512
#define ETF_ITEMS_FIXED 16
#define ETF_MINOR_DEFAULT (release_has(RELEASE_UTF8_ATOMS) ? 2u : 1u)
#define ETF_MINOR_MAX 2
#define ETF_SENT_PIECE_BYTES 1024

/* What is still to be written: see etf/encode.c. */
typedef struct EtfItem {
    uint8_t kind;
    size_t count;
    Term term;
} EtfItem;

typedef struct {
    size_t at; /* in the buffer's bytes: before which of them it stands */
    Term binary;
} EtfPiece;

/* Some bytes and who keeps them alive, of whom there is one reference. They are never changed while somebody else may
 * have one. */
typedef struct {
    RefcBinary *owner;
    const uint8_t *bytes;
    size_t size;
} EtfBytes;

/* Which of the forms that a term may have. */
typedef struct {
    uint8_t minor, flags;
} EtfForm;

typedef struct {
    EtfMode mode;
    EtfForm form;
    EtfAtoms *atoms; /* of what is sent; NULL: it has none */
    uint8_t *start, *at, *end;
    RefcBinary *buffer; /* NULL while `fixed` suffices */
    size_t ahead;       /* bytes at `start` that are not written, and do not count */
    size_t flushed;     /* bytes that count but are no longer, or were never, in the buffer */
    EtfItem *items;
    size_t item_count, item_capacity;
    EtfPiece *pieces;
    size_t piece_count, piece_capacity;
    /* After a suspension: of so many items and pieces, the oldest, the terms are in lists of tuples, newest first. */
    Term frozen_items, frozen_pieces;
    size_t frozen_item_count, frozen_piece_count;
    bool is_too_large; /* a binary has more bytes than its form can say: what is written is nothing */
    EtfItem fixed_items[ETF_ITEMS_FIXED];
    uint8_t fixed[ETF_BUFFER_FIXED];
} EtfEncoder;

/* The version byte included. */
void etf_encoder_init(EtfEncoder *e, Term t, EtfMode mode, unsigned minor, unsigned flags);
/* The form for other nodes; `mode` is not ETF_COUNT. `atoms` is the caller's, and gets those that the term has; it must
 * stay until all is written, and where it lies then (after an etf_encoder_move with its owner, set e->atoms). NULL: all
 * atoms stand in full. `ahead` bytes are left free in front of what is written. Pieces are whole bytes that lie at a
 * byte, ETF_SENT_PIECE_BYTES or more: what is less is copied, as that is cheaper than to count references. */
void etf_encoder_init_sent(EtfEncoder *e, Term t, EtfMode mode, EtfAtoms *atoms, size_t ahead);
/* Counts the bytes of a term in a form without flags, the version byte included. True: that is done, *bytes are all,
 * and there is no encoder. False: `e` is one in mode ETF_COUNT that is to go on. */
bool etf_encoder_init_count(EtfEncoder *e, Term t, unsigned minor, int64_t *work, size_t *bytes);
/* ETF_DONE or ETF_MORE. `area`: where large maps are sorted for ETF_DETERMINISTIC. */
EtfStatus etf_encoder_run(EtfEncoder *e, Area *area, int64_t *work);
/* After ETF_MORE: all terms that the encoder still needs, as one; it forgets them. What has stayed since the last
 * time is not copied again: all suspensions together copy about as much as was worked, however deep the term is. */
Term etf_encoder_suspend(EtfEncoder *e, Area *area);
void etf_encoder_resume(EtfEncoder *e, Term suspended);
/* `to` is uninitialised and takes over everything; `from` must not be released. */
void etf_encoder_move(EtfEncoder *to, EtfEncoder *from);
static inline size_t etf_encoder_total(const EtfEncoder *e) { return e->flushed + (size_t)(e->at - e->start); }
/* After ETF_DONE with ETF_WRITE: replaces what was written by its compressed form (level 1 to 9) when that is not
 * longer. */
void etf_encoder_compress(EtfEncoder *e, unsigned level);
/* After ETF_DONE with ETF_WRITE: the binary. */
Term etf_encoder_binary(EtfEncoder *e, Area *area);
/* After ETF_DONE with ETF_PIECES: a list of binaries. */
Term etf_encoder_pieces(EtfEncoder *e, Area *area);
/* After ETF_DONE, of the form for other nodes: at most so many parts are to be taken. */
static inline size_t etf_encoder_part_count(const EtfEncoder *e) { return 2 * e->piece_count + 1; }
/* Then what was written, in order, and how many parts that are: there is one at least. The caller owns them; nothing is
 * copied but what fitted into ETF_BUFFER_FIXED. In front of the first there are `ahead` bytes free for
 * etf_bytes_extend: nobody else reads them. The encoder is to be released as ever. */
size_t etf_encoder_take(EtfEncoder *e, EtfBytes *parts);
void etf_encoder_release(EtfEncoder *e);

/* `count` more bytes in front of what the encoder left room before belong to it: where they are to be written. */
static inline uint8_t *etf_bytes_extend(EtfBytes *b, size_t count) {
    b->bytes -= count;
    b->size += count;
    return b->owner->bytes + (b->bytes - b->owner->bytes);
}
static inline void etf_bytes_release(EtfBytes *b) { refc_binary_release(b->owner); }

#endif

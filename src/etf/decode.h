/*
 * Bytes of the external term format to terms.
 *
 * A decoder works in two passes. The first (etf_decoder_check) reads everything once, looks at no byte outside, and
 * refuses what is malformed, too large, or, with ETF_SAFE, names atoms or exports that do not exist; it learns how many
 * words the term takes. The second (etf_decoder_build) builds. It can still fail: a map may hold a key twice, the atom
 * table be full. Both do at most `*work` units (about an element or 64 bytes each), lower it, and return ETF_MORE when
 * it is used up: call again with the same arguments. Between calls of the second pass, the area must not be collected:
 * give it a FragmentArea when the work goes over more than one time slice. Neither recurses on the C stack.
 *
 * The input must stay in place until etf_decoder_release. What is accepted is what OTP 25 accepts; a tail behind the
 * term is ignored (its place is `used`). Source: ERTS User's Guide "External Term Format"; erlang(3) binary_to_term/2.
 */
#ifndef VIV_ETF_DECODE_H
#define VIV_ETF_DECODE_H

#include "base/reader.h"
#include "term/area.h"
#include "term/refc_binary.h"

typedef enum { ETF_DONE, ETF_MORE, ETF_BAD, ETF_SYSTEM_LIMIT } EtfStatus;
enum { ETF_SAFE = 1, ETF_RECEIVED = 2 /* by etf_decoder_init_received only */ };

#define ETF_FRAMES_FIXED 16
/* A run of places that wait to be filled: see etf/decode_frames.h. */
typedef struct EtfFrame {
    uint8_t kind;
    size_t remaining;
    Term *at;
    void *extra;
} EtfFrame;

typedef struct {
    Reader in;
    const uint8_t *terms, *end; /* past the version byte: of the input, or what was inflated */
    uint8_t *inflated;
    const uint8_t *input;
    size_t used;                /* bytes of the input, known after the first pass */
    unsigned flags;
    unsigned atom_count;
    const Term *atoms; /* what numbers of atoms mean */
    RefcBinary *owner; /* of the input, if binaries may be parts of it; NULL */
    bool is_open, is_bad; /* it has been opened, and is not what it says */
    size_t pending; /* first pass: terms still to come */
    const uint8_t *local_sum; /* first pass: of the term in local form that is being read, or NULL */
    size_t local_end;     /* it has been read when so many are pending */
    size_t words;   /* taken at most, except for large maps */
    Area *area;     /* second pass: where to, and the words reserved there */
    Area local;
    Term *reserved_end;
    EtfFrame *frames;
    size_t frame_count, frame_capacity;
    Term result;
    EtfFrame fixed[ETF_FRAMES_FIXED]; /* last: what nobody clears */
} EtfDecoder;

/* `size` bytes at `bytes`, the version byte first. Never fails: what is wrong is found by etf_decoder_check. */
void etf_decoder_init(EtfDecoder *d, const uint8_t *bytes, size_t size, unsigned flags);
/* The form that other nodes send behind a header: no version byte, never compressed, and atoms may be numbers, of which
 * there are `atom_count`, at most 255, in `atoms`, which stay until etf_decoder_release. d->used is where the next part
 * of the message begins. Where there is no header, each part has a version byte, which etf_decoder_init takes; its
 * d->used says as well where the next part begins. */
void etf_decoder_init_received(EtfDecoder *d, const uint8_t *bytes, size_t size, const Term *atoms, size_t atom_count);
/* The input lies in `owner`, and stays as it is while that is referred to: a binary of ETF_SHARED_BYTES to
 * ETF_SHARED_MAX that is most of it becomes a part of it, and is not copied. Above that small messages beside several
 * of 256 MB were seen to wait a thousand times longer than where those are copied. */
#define ETF_SHARED_BYTES (64 * 1024)
#define ETF_SHARED_MAX (16 * 1024 * 1024)
void etf_decoder_share(EtfDecoder *d, RefcBinary *owner);
EtfStatus etf_decoder_check(EtfDecoder *d, int64_t *work);
/* What the check begins with: a compressed term is inflated, which is long work. Before it by who lets nobody wait for
 * that (LONG_WORK_OPEN): the check itself may look at tables that thread progress keeps. */
void etf_decoder_open(EtfDecoder *d);
/* After the check said ETF_DONE. On ETF_DONE d->result is the term. On failure the area holds only whole objects. */
EtfStatus etf_decoder_build(EtfDecoder *d, Area *area, int64_t *work);
/* In any state; before the area of an unfinished build is dropped. */
void etf_decoder_release(EtfDecoder *d);

/* The input lies at another address now. */
void etf_decoder_rebase(EtfDecoder *d, const uint8_t *bytes);

/* Is it a term that must be inflated first? */
bool etf_is_compressed(const uint8_t *bytes, size_t size);

/* All at once. `used` may be NULL. */
EtfStatus etf_decode(const uint8_t *bytes, size_t size, unsigned flags, Area *area, Term *result, size_t *used);

#endif

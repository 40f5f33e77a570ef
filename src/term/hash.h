/*
 * Hashes of terms. phash2 and phash are values that programs store and send: exactly those of the stock runtime
 * (erlang(3) phash2/1,2, phash/2). term_hash is our own affair, for maps and tables: equal for terms that are =:=, and
 * fast; it may change with any version and with the atoms' indices.
 */
#ifndef VIV_TERM_HASH_H
#define VIV_TERM_HASH_H

#include "base/mix.h"
#include "term/term.h"

/* All 32 bits; phash2/1 is the low 27 of them, phash2(T, Range) the remainder by Range. */
uint32_t term_phash2(Term t);
/* All 32 bits; phash(T, Range) is 1 + the remainder by Range (Range 2^32: 1 + the hash). */
uint32_t term_phash(Term t);
uint32_t term_hash_slow(Term t);
/* Atoms, pids and ports have other words on each runtime: no order is to be followed, so one product will do. */
static inline bool hash_is_ours(Term t) { return term_tag(t) == TAG_IMMEDIATE && t != NIL; }
static inline uint32_t hash_ours(uint32_t hash, Term t) {
    unsigned __int128 product = (unsigned __int128)(t ^ (uint64_t)hash << 32) * MIX_GOLDEN;
    return (uint32_t)(product >> 32) ^ (uint32_t)(product >> 64);
}
static inline uint32_t term_hash(Term t) { return hash_is_ours(t) ? hash_ours(0, t) : term_hash_slow(t); }
/* Plain bytes: the hash that atoms and tables of text use. */
uint32_t hash_bytes(const uint8_t *bytes, size_t count);

#endif

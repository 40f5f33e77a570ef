/*
 * The mixing of the hash of maps since OTP 27: MurmurHash3 for x64 with 128 bits (Austin Appleby, public domain), from
 * a seed of zero, of words instead of blocks of bytes. A term is a sequence of words that go into the one half and the
 * other, mostly its kind and what it holds; how many there were takes the place of the length. Elements (of tuples,
 * maps, and what funs hold) that are one word come where they stand; the others come after all of them, the last one
 * first, and leave a mark where they stand, but for the last. Found by experiment with that emulator, which tells its
 * hashes to its tests, and by watching which words it multiplies.
 */
#ifndef VIV_TERM_MURMUR_H
#define VIV_TERM_MURMUR_H

#include "base/mix.h"
#include "term/term.h"

#define MURMUR_C1 UINT64_C(0x87c37b91114253d5)
#define MURMUR_C2 UINT64_C(0x4cf5ad432745937f)

typedef struct {
    uint64_t first, second, count;
} Murmur;

static inline uint64_t murmur_first_word(uint64_t w) { return __builtin_rotateleft64(w * MURMUR_C1, 31) * MURMUR_C2; }
static inline uint64_t murmur_second_word(uint64_t w) { return __builtin_rotateleft64(w * MURMUR_C2, 33) * MURMUR_C1; }

static inline void murmur_first(Murmur *m, uint64_t w) {
    m->first = __builtin_rotateleft64(m->first ^ murmur_first_word(w), 27) + m->second;
    m->first = m->first * 5 + 0x52dce729;
    m->count++;
}

static inline void murmur_second(Murmur *m, uint64_t w) {
    m->second = __builtin_rotateleft64(m->second ^ murmur_second_word(w), 31) + m->first;
    m->second = m->second * 5 + 0x38495ab5;
    m->count++;
}

static inline void murmur_pair(Murmur *m, uint64_t first, uint64_t second) {
    murmur_first(m, first);
    murmur_second(m, second);
}

static inline uint64_t murmur_end(const Murmur *m) {
    uint64_t first = m->first ^ m->count, second = m->second ^ m->count;
    first += second;
    second += first;
    first = mix_word(first);
    second = mix_word(second);
    first += second;
    second += first;
    return first ^ second;
}

/* The bytes and odd bits of a bitstring. */
void murmur_bits(Murmur *m, Term bitstring);
/* Of a whole term. */
uint32_t murmur_hash(Term t);

#endif

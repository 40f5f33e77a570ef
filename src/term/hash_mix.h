/*
 * Bob Jenkins's mixing of three words ("A Hash Function for Hash Table Lookup", Dr. Dobb's, 1997), on which phash2
 * stands: two words of input are added to a constant that tells their kind, and mixed into the hash so far.
 */
#ifndef VIV_TERM_HASH_MIX_H
#define VIV_TERM_HASH_MIX_H

#include "base/defs.h"

#define HASH_GOLDEN 0x9e3779b9u
#define hash_constant(n) ((uint32_t)((n) * HASH_GOLDEN))

/* One of the three words goes on by the newest one, z, on which all waits: what does not need it comes first. Clang
 * would add z to y, so that there is one step more to wait for. */
static inline uint32_t hash_go_on(uint32_t x, uint32_t y, uint32_t z, uint32_t shifted) {
    uint32_t difference = x - y;
    __asm__("" : "+r"(difference));
    return (difference - z) ^ shifted;
}

#define HASH_MIX(a, b, c)                                                                                              \
    do {                                                                                                               \
        (a) = hash_go_on(a, b, c, (c) >> 13);                                                                          \
        (b) = hash_go_on(b, c, a, (a) << 8);                                                                           \
        (c) = hash_go_on(c, a, b, (b) >> 13);                                                                          \
        (a) = hash_go_on(a, b, c, (c) >> 12);                                                                          \
        (b) = hash_go_on(b, c, a, (a) << 16);                                                                          \
        (c) = hash_go_on(c, a, b, (b) >> 5);                                                                           \
        (a) = hash_go_on(a, b, c, (c) >> 3);                                                                           \
        (b) = hash_go_on(b, c, a, (a) << 10);                                                                          \
        (c) = hash_go_on(c, a, b, (b) >> 15);                                                                          \
    } while (0)

static inline uint32_t hash_mix(uint32_t a, uint32_t b, uint32_t c) {
    HASH_MIX(a, b, c);
    return c;
}

/* `kind` is a hash_constant. */
static inline uint32_t hash_pair(uint32_t hash, uint32_t x, uint32_t y, uint32_t kind) {
    return hash_mix(kind + x, kind + y, hash);
}
static inline uint32_t hash_word(uint32_t hash, uint32_t x, uint32_t kind) { return hash_pair(hash, x, 0, kind); }

/* Jenkins's hash of a block of bytes. */
uint32_t hash_block(const uint8_t *bytes, size_t count, uint32_t hash);
/* A bitstring, after `hash`. */
uint32_t hash_bitstring(uint32_t hash, uint64_t bitstring_term);
/* The magnitude of an integer, limb by limb. */
uint32_t hash_limbs(uint32_t hash, uint64_t integer_term);
/* Strings: up to four bytes at a time are packed into one word. Moves *list behind its elements that are bytes. */
uint32_t hash_string(uint32_t hash, uint64_t *list, bool count_rest);

#endif

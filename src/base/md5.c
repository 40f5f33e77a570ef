#include "base/md5.h"

#include <string.h>

static const uint32_t sine[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
static const uint8_t rotation[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static inline uint32_t rotate(uint32_t x, unsigned bits) { return x << bits | x >> (32 - bits); }

/* One of 64 steps. `mix` is added where it is known last: each step waits for the one before. */
static inline uint32_t step(uint32_t a, uint32_t b, uint32_t mix, uint32_t word, unsigned i) {
    return b + rotate(a + (sine[i] + word) + mix, rotation[i / 16][i % 4]);
}

#define ROUND(first, index, mix)                                                                                       \
    _Pragma("GCC unroll 16") for (unsigned i = first; i < first + 16; i++) {                                           \
        uint32_t next = step(a, b, mix, word[(index) % 16], i);                                                        \
        a = d;                                                                                                         \
        d = c;                                                                                                         \
        c = b;                                                                                                         \
        b = next;                                                                                                      \
    }

static void digest_block(uint32_t state[4], const uint8_t block[64]) {
    uint32_t word[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (unsigned i = 0; i < 16; i++)
        word[i] = (uint32_t)block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
                  (uint32_t)block[4 * i + 3] << 24;
    ROUND(0, i, d ^ (b & (c ^ d)))
    ROUND(16, 5 * i + 1, (b & d) + (c & ~d))
    ROUND(32, 3 * i + 5, b ^ (c ^ d))
    ROUND(48, 7 * i, c ^ (b | ~d))
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void md5_init(Md5 *md5) { *md5 = (Md5){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}}; }

void md5_update(Md5 *md5, const void *data, size_t bytes) {
    const uint8_t *p = data;
    size_t used = md5->bytes % 64;
    md5->bytes += bytes;
    if (used > 0) {
        size_t part = bytes < 64 - used ? bytes : 64 - used;
        memcpy(md5->block + used, p, part);
        if (used + part < 64)
            return;
        digest_block(md5->state, md5->block);
        p += part;
        bytes -= part;
    }
    for (; bytes >= 64; p += 64, bytes -= 64)
        digest_block(md5->state, p);
    if (bytes > 0)
        memcpy(md5->block, p, bytes);
}

void md5_final(Md5 *md5, uint8_t digest[MD5_BYTES]) {
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = md5->bytes * 8;
    uint8_t length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (8 * i));
    size_t used = md5->bytes % 64;
    md5_update(md5, padding, used < 56 ? 56 - used : 120 - used);
    md5_update(md5, length, 8);
    for (unsigned i = 0; i < 16; i++)
        digest[i] = (uint8_t)(md5->state[i / 4] >> (8 * (i % 4)));
}

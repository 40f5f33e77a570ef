/* The hash of plain bytes: eight at a time through a multiply whose two halves are folded. */
#include "term/hash.h"

#include <string.h>

#include "base/mix.h"

static uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const uint8_t *p, size_t count) {
    uint64_t w = 0;
    memcpy(&w, p, count);
    return w;
}

/* Up to eight bytes as the low ones of a word. Not by a copy to the word: to read it would have to wait for that. What
 * is loaded twice is the same bits. */
static uint64_t load_last(const uint8_t *p, size_t count) {
    if (count >= 4)
        return load(p, 4) | load(p + count - 4, 4) << 8 * (count - 4);
    if (count == 0)
        return 0;
    size_t middle = count / 2, last = count - 1;
    return p[0] | (uint64_t)p[middle] << 8 * middle | (uint64_t)p[last] << 8 * last;
}

uint32_t hash_bytes(const uint8_t *bytes, size_t count) {
    uint64_t h = MIX_GOLDEN ^ count;
    for (; count > 8; count -= 8, bytes += 8)
        h = fold(h ^ load(bytes, 8), 0xd6e8feb86659fd93);
    h = fold(h ^ load_last(bytes, count), 0xa0761d6478bd642f);
    return (uint32_t)(h ^ h >> 32);
}

/* The hash of plain bytes: eight at a time through a multiply whose two halves are folded. */
#include "term/hash.h"

#include <string.h>

static uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint32_t hash_bytes(const uint8_t *bytes, size_t count) {
    uint64_t h = 0x9e3779b97f4a7c15 ^ count, w = 0;
    for (; count > 8; count -= 8, bytes += 8) {
        memcpy(&w, bytes, 8);
        h = fold(h ^ w, 0xd6e8feb86659fd93);
    }
    w = 0;
    memcpy(&w, bytes, count);
    h = fold(h ^ w, 0xa0761d6478bd642f);
    return (uint32_t)(h ^ h >> 32);
}

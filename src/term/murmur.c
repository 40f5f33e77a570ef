#include "term/murmur.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/bits.h"

#include <string.h>

#define BYTES_PER_UNIT 4
#define BLOCK 16

static uint64_t word_at(const uint8_t *bytes, size_t count) {
    uint64_t w = 0;
    memcpy(&w, bytes, count < 8 ? count : 8);
    return w;
}

/* As in the published function, the last bytes are not mixed any further, and do not count. */
static void mix_bytes(Murmur *m, const uint8_t *bytes, size_t count) {
    for (; count >= BLOCK; bytes += BLOCK, count -= BLOCK)
        murmur_pair(m, word_at(bytes, 8), word_at(bytes + 8, 8));
    if (count > 8)
        m->second ^= murmur_second_word(word_at(bytes + 8, count - 8));
    m->first ^= murmur_first_word(word_at(bytes, count));
}

void murmur_bits(Murmur *m, Term bitstring) {
    size_t count;
    uint8_t *copy;
    const uint8_t *bytes = binary_bytes(bitstring, &count, &copy);
    unsigned odd = bits_size(bitstring) % 8;
    long_work_count_large(count / BYTES_PER_UNIT, 1);
    mix_bytes(m, bytes, count);
    if (odd != 0)
        murmur_first(m, bytes[count] >> (8 - odd));
    if (copy != NULL)
        mem_free(ALLOC_TEMP, copy);
}

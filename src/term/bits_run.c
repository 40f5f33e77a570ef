/* Runs of bits at any offset: copy, compare, read, write. */
#include "term/bits.h"

#include "base/copy_bytes.h"
#include "base/long_work.h"

static uint64_t load_big_endian(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}

static void store_big_endian(uint8_t *p, uint64_t v) {
    v = __builtin_bswap64(v);
    memcpy(p, &v, 8);
}

uint64_t bits_get(const uint8_t *bytes, Word bit_offset, unsigned bits) {
    if (bits == 0)
        return 0;
    bytes += bit_offset / 8;
    unsigned offset = bit_offset % 8, last = (offset + bits - 1) / 8; /* 0 to 8 */
    if (last >= 7) {
        uint64_t high = load_big_endian(bytes) << offset;
        if (last == 8)
            high |= bytes[8] >> (8 - offset);
        return high >> (64 - bits);
    }
    uint64_t v = 0;
    for (unsigned i = 0; i <= last; i++)
        v = v << 8 | bytes[i];
    v >>= 8 * (last + 1) - offset - bits;
    return v & (((uint64_t)1 << bits) - 1); /* fewer than 64 here */
}

/* Replaces the bits of *byte that `mask` selects. */
static void put_masked(uint8_t *byte, unsigned mask, unsigned value) {
    *byte = (uint8_t)((*byte & ~mask) | (value & mask));
}

void bits_put(uint8_t *bytes, Word bit_offset, unsigned bits, uint64_t value) {
    bytes += bit_offset / 8;
    unsigned offset = bit_offset % 8;
    if (offset != 0) {
        unsigned room = 8 - offset;
        if (bits <= room) {
            put_masked(bytes, ((1u << bits) - 1) << (room - bits), (unsigned)value << (room - bits));
            return;
        }
        bits -= room;
        put_masked(bytes++, (1u << room) - 1, (unsigned)(value >> bits));
    }
    if (bits == 64) {
        store_big_endian(bytes, value);
        return;
    }
    for (; bits >= 8; bits -= 8)
        *bytes++ = (uint8_t)(value >> (bits - 8));
    if (bits > 0)
        put_masked(bytes, 0xff00u >> bits, (unsigned)value << (8 - bits));
}

/* Whole bytes first, when both sides have the same offset in a byte; the caller has put the head. */
static void copy_aligned(uint8_t *to, const uint8_t *from, Word bits) {
    copy_bytes(to, from, bits / 8);
    if (bits % 8 != 0)
        put_masked(to + bits / 8, 0xff00u >> (bits % 8), from[bits / 8]);
}

void bits_copy(uint8_t *to, Word to_offset, const uint8_t *from, Word from_offset, Word bits) {
    to += to_offset / 8;
    from += from_offset / 8;
    to_offset %= 8;
    from_offset %= 8;
    if (to_offset != 0) {
        unsigned head = (unsigned)(8 - to_offset < bits ? 8 - to_offset : bits);
        bits_put(to, to_offset, head, bits_get(from, from_offset, head));
        to++;
        from_offset += head;
        from += from_offset / 8;
        from_offset %= 8;
        bits -= head;
    }
    if (bits == 0)
        return;
    if (from_offset == 0) {
        copy_aligned(to, from, bits);
        return;
    }
    long_work_count_large(bits / 64, 1);
    for (; bits >= 64; bits -= 64, to += 8, from += 8)
        store_big_endian(to, load_big_endian(from) << from_offset | from[8] >> (8 - from_offset));
    if (bits > 0)
        bits_put(to, 0, (unsigned)bits, bits_get(from, from_offset, (unsigned)bits));
}

/* Over the first `bits` of both. */
static int compare_prefix(const BitsView *a, const BitsView *b, Word bits) {
    Word done = 0;
    long_work_count_large(bits / 64, 1);
    if (a->bit_offset == 0 && b->bit_offset == 0) {
        int order = memcmp(a->bytes, b->bytes, bits / 8);
        if (order != 0)
            return order < 0 ? -1 : 1;
        done = bits & ~(Word)7;
    }
    while (done < bits) {
        unsigned n = (unsigned)(bits - done < 64 ? bits - done : 64);
        uint64_t x = bits_get(a->bytes, a->bit_offset + done, n), y = bits_get(b->bytes, b->bit_offset + done, n);
        if (x != y)
            return x < y ? -1 : 1;
        done += n;
    }
    return 0;
}

int bits_compare(const BitsView *a, const BitsView *b) {
    int order = compare_prefix(a, b, a->bit_size < b->bit_size ? a->bit_size : b->bit_size);
    if (order != 0)
        return order;
    return a->bit_size < b->bit_size ? -1 : a->bit_size > b->bit_size;
}

bool bits_equal(const BitsView *a, const BitsView *b) {
    return a->bit_size == b->bit_size && compare_prefix(a, b, a->bit_size) == 0;
}

/* Runs of bits against a bit-by-bit model; windows; appending in place and by copy. */
#include "facts.h"
#include "term/refc_binary.h"

#define BYTES 64

static unsigned bit_at(const uint8_t *p, Word i) { return p[i / 8] >> (7 - i % 8) & 1; }

static void random_bytes(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)rand();
}

static void copying(void **state) {
    uint8_t from[BYTES], to[BYTES], before[BYTES];
    srand(1);
    for (int round = 0; round < 50000; round++) {
        random_bytes(from, BYTES);
        random_bytes(to, BYTES);
        memcpy(before, to, BYTES);
        Word bits = (Word)rand() % 300, x = (Word)rand() % 100, y = (Word)rand() % 100;
        bits_copy(to, y, from, x, bits);
        for (Word i = 0; i < BYTES * 8; i++)
            assert_int_equal(bit_at(to, i), i >= y && i < y + bits ? bit_at(from, x + i - y) : bit_at(before, i));
    }
}

static void reading_and_writing(void **state) {
    uint8_t bytes[BYTES], before[BYTES];
    for (int round = 0; round < 50000; round++) {
        random_bytes(bytes, BYTES);
        memcpy(before, bytes, BYTES);
        unsigned bits = (unsigned)rand() % 65;
        Word offset = (Word)rand() % 200;
        uint64_t expected = 0;
        for (unsigned i = 0; i < bits; i++)
            expected = expected << 1 | bit_at(bytes, offset + i);
        assert_true(bits_get(bytes, offset, bits) == expected);
        uint64_t value = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand();
        bits_put(bytes, offset, bits, value);
        for (Word i = 0; i < BYTES * 8; i++) {
            bool inside = i >= offset && i < offset + bits;
            assert_int_equal(bit_at(bytes, i), inside ? value >> (bits - 1 - (i - offset)) & 1 : bit_at(before, i));
        }
    }
}

static void ordering(void **state) {
    uint8_t a[BYTES], b[BYTES];
    for (int round = 0; round < 50000; round++) {
        random_bytes(a, BYTES);
        random_bytes(b, BYTES);
        BitsView x = {a, (Word)rand() % 8, (Word)rand() % 200}, y = {b, (Word)rand() % 8, (Word)rand() % 200};
        Word shared = x.bit_size < y.bit_size ? x.bit_size : y.bit_size;
        Word same = rand() % 2 == 0 ? shared : shared == 0 ? 0 : (Word)rand() % shared;
        bits_copy(b, y.bit_offset, a, x.bit_offset, same);
        Word i = 0;
        while (i < shared && bit_at(a, x.bit_offset + i) == bit_at(b, y.bit_offset + i))
            i++;
        int expected = i < shared ? (int)bit_at(a, x.bit_offset + i) - (int)bit_at(b, y.bit_offset + i)
                                  : (x.bit_size > y.bit_size) - (x.bit_size < y.bit_size);
        assert_int_equal(bits_compare(&x, &y), expected);
        assert_int_equal(bits_equal(&x, &y), expected == 0);
    }
}

static Term pattern(size_t bytes) {
    uint8_t *data;
    Term t = binary_make(&the_area, bytes, &data);
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(i * 7);
    return t;
}

static Kind kind_of(Term t) { return header_kind(boxed_header(t)); }

static void windows(void **state) {
    assert_int_equal(kind_of(pattern(64)), KIND_HEAP_BITS);
    assert_int_equal(kind_of(pattern(65)), KIND_BIN_REF);
    Term t = pattern(200);
    assert_int_equal(kind_of(bits_sub(&the_area, t, 8, 64 * 8)), KIND_HEAP_BITS);
    assert_int_equal(kind_of(bits_sub(&the_area, t, 8, 65 * 8)), KIND_SUB_BITS);
    assert_int_equal(kind_of(bits_sub(&the_area, t, 3, 5)), KIND_SUB_BITS);
    assert_true(bits_sub(&the_area, t, 0, 200 * 8) == t);
    Term inner = bits_sub(&the_area, bits_sub(&the_area, t, 11, 1000), 13, 700);
    BitsView view, whole;
    bits_view(inner, &view);
    bits_view(t, &whole);
    assert_int_equal(view.bit_size, 700);
    for (Word i = 0; i < 700; i++)
        assert_int_equal(bit_at(view.bytes, view.bit_offset + i), bit_at(whole.bytes, 24 + i));
    Term context = match_context_make(&the_area, inner);
    assert_true(term_identical(match_context_rest(&the_area, context), inner));
}

static Term append_byte(Term t, uint8_t byte) {
    uint8_t *data;
    Word offset;
    Term result = bits_append(&the_area, t, 8, &data, &offset);
    bits_put(data, offset, 8, byte);
    return result;
}

static BinRef *origin_of(Term t) { return (BinRef *)boxed_ptr(((SubBits *)boxed_ptr(t))->origin); }

static void appending(void **state) {
    Term t = binary_from_bytes(&the_area, "", 0);
    unsigned moves = 0;
    const RefcBinary *binary = NULL;
    for (int i = 0; i < 100000; i++) {
        t = append_byte(t, (uint8_t)i);
        moves += origin_of(t)->binary != binary;
        binary = origin_of(t)->binary;
    }
    assert_true(moves < 20);
    BitsView view;
    bits_view(t, &view);
    assert_int_equal(view.bit_size, 800000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(view.bytes[i], (uint8_t)i);
}

static void appending_twice_to_one(void **state) {
    Term a = append_byte(binary_from_bytes(&the_area, "abc", 3), 'd');
    Term b = append_byte(a, 'e'), c = append_byte(a, 'f');
    assert_true(origin_of(a) == origin_of(b));
    assert_true(origin_of(a) != origin_of(c));
    assert_true(term_identical(a, binary_from_bytes(&the_area, "abcd", 4)));
    assert_true(term_identical(b, binary_from_bytes(&the_area, "abcde", 5)));
    assert_true(term_identical(c, binary_from_bytes(&the_area, "abcdf", 5)));
}

static void appending_odd_bits(void **state) {
    Term t = bits_init_writable(&the_area, 10), old[300];
    for (int i = 0; i < 300; i++) {
        uint8_t *data;
        Word offset;
        old[i] = t;
        t = bits_append(&the_area, t, 3, &data, &offset);
        bits_put(data, offset, 3, (uint64_t)i & 7);
    }
    for (int i = 0; i < 300; i++) {
        BitsView view;
        bits_view(old[i], &view);
        assert_int_equal(view.bit_size, 3 * i);
        for (int j = 0; j < i; j++)
            assert_int_equal(bits_get(view.bytes, view.bit_offset + 3 * (Word)j, 3), j & 7);
    }
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(copying),           unit(reading_and_writing), unit(ordering),
                                       unit(windows),           unit(appending),           unit(appending_twice_to_one),
                                       unit(appending_odd_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

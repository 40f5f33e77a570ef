/* Packed terms: back to what they were, in fewer bytes; and objects that hold them. */
#include "ets/object.h"
#include "ets/packed.h"
#include "heap/copy.h"
#include "heap/literal.h"
#include "process/process.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/float.h"
#include "term/integer.h"
#include "term/map.h"
#include "unit.h"

static Heap heap;
static Area *area(void) { return &heap.area; }

static uint64_t seed;
static uint64_t next_random(uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static Term random_leaf(void) {
    uint8_t bytes[20] = "abcdefghijklmnopqrs";
    switch (next_random(10)) {
    case 0: return small_make((SWord)next_random(300) - 20);
    case 1: return small_make(SMALL_MIN + (SWord)next_random(3));
    case 2: return small_make(SMALL_MAX - (SWord)next_random(3));
    case 3: return am_error;
    case 4: return NIL;
    case 5: return float_make(area(), (double)next_random(1000) / 7);
    case 6: return float_make(area(), 1e-300);
    case 7: return integer_from_uint64(area(), UINT64_MAX - next_random(9));
    case 8: return binary_from_bytes(area(), bytes, next_random(20));
    default: {
        Term whole = binary_from_bytes(area(), bytes, 19);
        return bits_sub(area(), whole, next_random(20), next_random(100));
    }
    }
}

static Term random_term(int depth) {
    if (depth == 0)
        return random_leaf();
    Term t = next_random(2) ? NIL : random_leaf();
    uint64_t count = next_random(5), kind = next_random(4);
    if (kind == 0)
        return random_leaf();
    if (kind == 1) {
        for (uint64_t i = 0; i < count * 10; i++)
            t = area_cons(area(), small_make((SWord)next_random(256)), t);
        return t;
    }
    if (kind == 2) {
        for (uint64_t i = 0; i < count; i++)
            t = area_cons(area(), random_term(depth - 1), t);
        return t;
    }
    if (next_random(2))
        return area_tuple3(area(), random_term(depth - 1), random_term(depth - 1), random_term(depth - 1));
    uint64_t pairs = next_random(4) == 0 ? 60 : 5; /* tries, and flat ones */
    Term words[120];
    for (uint64_t i = 0; i < pairs; i++) {
        words[2 * i] = small_make((SWord)i);
        words[2 * i + 1] = random_leaf();
    }
    return map_from_pairs(area(), words, pairs);
}

static void unpacked_is_as_before(void **state) {
    for (seed = 1; seed < 3000; seed++) {
        uint64_t start = seed;
        Term t = random_term(4);
        TEXT(text);
        assert_true(term_pack(&text, t));
        Term back = term_unpack((const uint8_t *)text.bytes, area());
        assert_true(term_identical(t, back));
        assert_int_equal(term_unpacked_words((const uint8_t *)text.bytes), term_flat_size(back));
        seed = start;
    }
}

/* Far deeper than any stack of C. */
static void deep_terms_are_packed(void **state) {
    Term t = NIL;
    for (int i = 0; i < 1000000; i++)
        t = i % 2 ? area_cons(area(), t, NIL) : area_tuple2(area(), t, am_ok);
    TEXT(text);
    assert_true(term_pack(&text, t));
    Term back = term_unpack((const uint8_t *)text.bytes, area());
    assert_true(term_identical(t, back));
}

static void large_binaries_are_not_packed(void **state) {
    uint8_t *data;
    Term binary = binary_make(area(), 1000, &data);
    memset(data, 7, 1000);
    TEXT(text);
    assert_false(term_pack(&text, area_tuple2(area(), am_ok, binary)));
}

static void objects_shrink(void **state) {
    Term list = NIL;
    for (int i = 0; i < 1000; i++)
        list = area_cons(area(), small_make(i % 100), list);
    Term words[] = {header_make(KIND_TUPLE, 4), list, am_ok, list, small_make(7)};
    Term tuple = boxed_make(words);
    Object *plain = object_create(tuple), *packed = object_create_packed(tuple, 1);
    assert_true(packed->packed);
    assert_true(object_memory(packed) < object_memory(plain) * 6 / 10); /* the key stays as it is */
    assert_true(term_identical(object_key(packed, 1), list));
    assert_true(object_equals(packed, tuple));
    assert_true(objects_equal(plain, packed));
    assert_true(objects_equal(packed, packed));
    assert_true(term_identical(object_copy(packed, area()), tuple));
    assert_true(term_identical(object_copy_element(packed, 3, area()), list));
    assert_int_equal(object_copy_element(packed, 4, area()), small_make(7));
    object_free(plain);
    object_free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit(unpacked_is_as_before),
        unit(deep_terms_are_packed),
        unit(large_binaries_are_not_packed),
        unit(objects_shrink),
    };
    literal_span_init();
    heap_init(&heap, 1000, 1000, 65535);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fragments become messages in whatever order the sequences come; what does not belong is refused; nothing is left. */
#include "distribution/fragments.h"

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "unit.h"

#include <string.h>

static Fragments f;
static Assembly *whole;

static HeaderIn header(HeaderKind kind, uint64_t sequence, uint64_t fragment) {
    HeaderIn h = {.kind = kind, .id = {sequence, fragment}};
    if (kind == HEADER_FIRST) {
        h.atom_count = 2;
        h.atoms[0] = small_make((SWord)sequence); /* told apart by that */
        h.atoms[1] = am_ok;
    }
    return h;
}

static FragmentsStatus first(uint64_t sequence, uint64_t fragment, const char *rest) {
    HeaderIn h = header(HEADER_FIRST, sequence, fragment);
    return fragments_add(&f, &h, (const uint8_t *)rest, strlen(rest), &whole);
}

static FragmentsStatus then(uint64_t sequence, uint64_t fragment, const char *rest) {
    HeaderIn h = header(HEADER_CONTINUING, sequence, fragment);
    return fragments_add(&f, &h, (const uint8_t *)rest, strlen(rest), &whole);
}

static void expect_whole(uint64_t sequence, const char *text) {
    assert_non_null(whole);
    assert_int_equal(whole->size, strlen(text));
    assert_memory_equal(whole->bytes->bytes, text, strlen(text));
    assert_int_equal(whole->atom_count, 2);
    assert_true(whole->atoms[0] == small_make((SWord)sequence) && whole->atoms[1] == am_ok);
    assembly_free(whole);
}

static void one_after_the_other(void **state) {
    assert_int_equal(first(7, 3, "abc"), FRAGMENTS_MORE);
    assert_null(whole);
    assert_int_equal(then(7, 2, "def"), FRAGMENTS_MORE);
    assert_int_equal(then(7, 1, "g"), FRAGMENTS_WHOLE);
    expect_whole(7, "abcdefg");
    assert_int_equal(f.open, 0);
    assert_int_equal(f.bytes, 0);
    assert_int_equal(first(7, 1, "again, and all of it"), FRAGMENTS_WHOLE);
    expect_whole(7, "again, and all of it");
    assert_int_equal(first(7, 2, ""), FRAGMENTS_MORE);
    assert_int_equal(then(7, 1, ""), FRAGMENTS_WHOLE);
    expect_whole(7, "");
}

static void between_each_other(void **state) {
    const uint64_t step = (uint64_t)1 << 32; /* they differ in the upper half */
    char text[100];
    for (uint64_t i = 0; i < 500; i++)
        assert_int_equal(first(i * step, 3 + i, "first "), FRAGMENTS_MORE);
    assert_int_equal(f.open, 500);
    for (uint64_t left = 502; left > 0; left--)
        for (uint64_t i = left < 3 ? 0 : left - 2; i < 500; i++) {
            bool last = left == 1;
            const char *rest = left == 2 ? "middle " : last ? "last" : "";
            assert_int_equal(then(i * step, left, rest), last ? FRAGMENTS_WHOLE : FRAGMENTS_MORE);
            snprintf(text, sizeof text, "first middle last");
            if (last)
                expect_whole(i * step, text);
        }
    assert_int_equal(f.open, 0);
}

static void what_does_not_belong(void **state) {
    assert_int_equal(then(1, 1, "of none"), FRAGMENTS_BAD);
    assert_int_equal(first(1, 3, "x"), FRAGMENTS_MORE);
    assert_int_equal(first(1, 3, "twice"), FRAGMENTS_BAD);
    assert_int_equal(then(1, 3, "not the next"), FRAGMENTS_BAD);
    assert_int_equal(then(1, 1, "not the next"), FRAGMENTS_BAD);
    assert_int_equal(then(2, 2, "of none"), FRAGMENTS_BAD);
    assert_int_equal(then(1, 2, "y"), FRAGMENTS_MORE);
    assert_int_equal(then(1, 1, "z"), FRAGMENTS_WHOLE);
    expect_whole(1, "xyz");
    assert_int_equal(then(1, 0, "more than all"), FRAGMENTS_BAD);
}

static void too_much(void **state) {
    fragments_release(&f);
    fragments_init(&f, 2, 10);
    assert_int_equal(first(1, 9, "12345678901"), FRAGMENTS_TOO_MUCH);
    assert_int_equal(first(1, 9, "12345"), FRAGMENTS_MORE);
    assert_int_equal(first(2, UINT64_MAX, "12345"), FRAGMENTS_MORE);
    assert_int_equal(first(3, 9, ""), FRAGMENTS_TOO_MUCH);
    assert_int_equal(then(2, UINT64_MAX - 1, "x"), FRAGMENTS_TOO_MUCH);
    assert_int_equal(then(1, 8, ""), FRAGMENTS_MORE);
}

/* A number of fragments that is only said takes no memory. */
static void numbers_are_not_believed(void **state) {
    int64_t before = alloc_sum(ALLOC_BINARY).bytes;
    assert_int_equal(first(1, (uint64_t)1 << 40, "12345678"), FRAGMENTS_MORE);
    assert_true(alloc_sum(ALLOC_BINARY).bytes - before < 1000);
    for (uint64_t i = 1; i < 10000; i++)
        assert_int_equal(then(1, ((uint64_t)1 << 40) - i, "12345678"), FRAGMENTS_MORE);
    assert_true(alloc_sum(ALLOC_BINARY).bytes - before < 3 * 80000); /* twice, and what the allocator rounds it up to */
}

/* Where most of what is promised may be believed, there is room for that and no more. */
static void room_is_as_promised(void **state) {
    static const char text[] = "1234567890";
    int64_t before = alloc_sum(ALLOC_BINARY).bytes, most = 0;
    for (uint64_t left = 1000; left > 0; left--) {
        assert_int_equal((left == 1000 ? first : then)(1, left, text), left > 1 ? FRAGMENTS_MORE : FRAGMENTS_WHOLE);
        int64_t now = alloc_sum(ALLOC_BINARY).bytes - before;
        most = now > most ? now : most;
    }
    assert_true(most < 10000 + 10000 / 4);
    assert_int_equal(whole->size, 10000);
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(whole->bytes->bytes[i], text[i % 10]);
    assembly_free(whole);
}

static int begin(void **state) {
    fragments_init(&f, FRAGMENTS_OPEN_DEFAULT, FRAGMENTS_BYTES_DEFAULT);
    return 0;
}

static int end(void **state) {
    fragments_release(&f);
    return alloc_sum(ALLOC_DISTRIBUTION).blocks + alloc_sum(ALLOC_BINARY).blocks == 0 ? 0 : -1;
}

static int setup(void **state) {
    thread_progress_register();
    return 0;
}

#define FRAGMENTS(test) cmocka_unit_test_setup_teardown(test, begin, end)
int main(void) {
    const struct CMUnitTest tests[] = {
        FRAGMENTS(one_after_the_other),      FRAGMENTS(between_each_other),
        FRAGMENTS(what_does_not_belong),     FRAGMENTS(too_much),
        FRAGMENTS(numbers_are_not_believed), FRAGMENTS(room_is_as_promised),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

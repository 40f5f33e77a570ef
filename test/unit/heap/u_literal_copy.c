/* Which words of a block refer to literals: a reference is found wherever it stands, and what only looks like one is
 * none. */
#include "heap/literal_copy.h"

#include "base/long_work.h"
#include "unit.h"

#define WORDS 9000 /* more than two rounds of a walk */

static Term words[WORDS];
static LiteralArea *literals, *others;
static Term reference, other;

static LiteralSearch search_for(LiteralRange range, bool only_marked) {
    return (LiteralSearch){.set = {.range = range, .only_marked = only_marked}};
}

static bool is_found(size_t count, LiteralSearch search) { return literal_refers_objects(words, count, &search); }

static void fill(void) {
    for (size_t i = 0; i < WORDS; i++)
        words[i] = small_make((SWord)i);
}

static void it_is_found_wherever_it_stands(void **state) {
    const LiteralSearch search = search_for(literal_range(literals), false);
    for (size_t count = 0; count < WORDS; count += count < 40 ? 1 : 1993) {
        assert_false(is_found(count, search));
        for (size_t at = 0; at < count; at += count < 40 ? 1 : 7) {
            words[at] = reference;
            assert_true(is_found(count, search));
            assert_false(is_found(at, search));
            words[at] = small_make(0);
        }
    }
    assert_false(literal_refers_objects(NULL, 0, &search));
}

/* In units of long work: words are looked at, objects are not taken apart. */
static void to_find_none_takes_little(void **state) {
    long_work_begin();
    assert_false(is_found(WORDS, search_for(literal_range(literals), false)));
    assert_true(long_work_end() < WORDS);
}

static void bytes_are_no_references(void **state) {
    const LiteralSearch search = search_for(literal_range(literals), false);
    words[100] = header_make(KIND_FIRST_OPAQUE, 3);
    words[101] = words[103] = reference;
    assert_false(is_found(WORDS, search));
    words[8000] = reference;
    assert_true(is_found(WORDS, search));
    fill();
}

static void others_between_them_are_none(void **state) {
    const LiteralRange range = literal_range_join(literal_range(literals), literal_range(others));
    words[5000] = other;
    literal_mark(literals);
    assert_true(is_found(WORDS, search_for(range, false)));
    assert_false(is_found(WORDS, search_for(range, true)));
    words[8999] = reference;
    assert_true(is_found(WORDS, search_for(range, true)));
    literal_unmark(literals);
    fill();
}

static bool count(const void *literal, void *data) {
    ++*(size_t *)data;
    return false;
}

static void each_is_told(void **state) {
    size_t told = 0;
    LiteralSearch search = search_for(literal_range(literals), false);
    search.found = count;
    search.data = &told;
    words[0] = words[4095] = words[4096] = words[8999] = reference;
    assert_false(is_found(WORDS, search));
    assert_int_equal(told, 4);
    fill();
}

int main(void) {
    literal_span_init();
    literals = literal_area_create(2);
    others = literal_area_create(2);
    reference = area_cons(&literals->area, small_make(7), NIL);
    other = area_cons(&others->area, small_make(8), NIL);
    fill();
    const struct CMUnitTest tests[] = {unit(it_is_found_wherever_it_stands), unit(to_find_none_takes_little),
                                       unit(bytes_are_no_references), unit(others_between_them_are_none),
                                       unit(each_is_told)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    literal_area_free(others);
    literal_area_free(literals);
    return failed;
}

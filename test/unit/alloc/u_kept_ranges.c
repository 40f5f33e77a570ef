/* Ranges that are kept: which is taken, what is driven out, and that there are never more of them than may be. */
#include "alloc/kept_ranges.h"

#include "unit.h"

#define KB ((size_t)1 << 10)

static char *at(size_t kilobytes) { return (char *)(0x10000000 + kilobytes * KB); }

static void put(KeptRanges *kept, size_t from, size_t size) {
    assert_null(kept_ranges_make_room(kept, size * KB).start);
    kept_ranges_put(kept, at(from), size * KB);
}

static void the_youngest_that_fits(void **state) {
    KeptRanges kept = {0};
    assert_null(kept_ranges_take(&kept, 16 * KB));
    put(&kept, 0, 100);
    put(&kept, 1000, 50);
    put(&kept, 2000, 100);
    assert_ptr_equal(kept_ranges_take(&kept, 60 * KB), at(2000));
    assert_ptr_equal(kept_ranges_take(&kept, 40 * KB), at(2060)); /* what was left of it */
    assert_ptr_equal(kept_ranges_take(&kept, 40 * KB), at(1000));
    assert_ptr_equal(kept_ranges_take(&kept, 40 * KB), at(0));
    assert_ptr_equal(kept_ranges_take(&kept, 60 * KB), at(40));
    assert_null(kept_ranges_take(&kept, 60 * KB));
    assert_null(kept_ranges_take(&kept, 10 * KB)); /* so few come from elsewhere */
    put(&kept, 3000, 20);
    assert_ptr_equal(kept_ranges_take(&kept, 20 * KB), at(3000));
    assert_ptr_equal(kept.range[0].start, at(1040));
    assert_ptr_equal(kept_ranges_make_room(&kept, KEPT_BYTES_MOST).start, at(1040));
    assert_int_equal(kept.count, 0);
    assert_int_equal(kept.bytes, 0);
}

static void the_oldest_goes(void **state) {
    KeptRanges kept = {0};
    for (size_t i = 0; i < KEPT_RANGES_MOST; i++)
        put(&kept, 100 * i, 20 + i);
    KeptRange old = kept_ranges_make_room(&kept, 20 * KB);
    assert_ptr_equal(old.start, at(0));
    assert_int_equal(old.bytes, 20 * KB);
    put(&kept, 5000, 2048 - kept.bytes / KB);
    assert_int_equal(kept.bytes, KEPT_BYTES_MOST);
    old = kept_ranges_make_room(&kept, 20 * KB);
    assert_ptr_equal(old.start, at(100));
    put(&kept, 9000, 20);
    for (unsigned gone = 0;; gone++) /* the whole of it */
        if (kept_ranges_make_room(&kept, KEPT_BYTES_MOST).start == NULL) {
            assert_int_equal(gone, KEPT_RANGES_MOST);
            break;
        }
    put(&kept, 0, 2048);
    assert_false(kept_ranges_are_for(KEPT_BYTES_MOST + 1));
    assert_false(kept_ranges_are_for(KEPT_BYTES_LEAST - 1));
    assert_true(kept_ranges_are_for(KEPT_BYTES_MOST) && kept_ranges_are_for(KEPT_BYTES_LEAST));
}

UNIT_TESTS(unit(the_youngest_that_fits), unit(the_oldest_goes))

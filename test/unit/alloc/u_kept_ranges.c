/* Ranges that are kept: which is taken, what is driven out, and that there are never more of them than may be. */
#include "alloc/kept_ranges.h"

#include "unit.h"

#define KB ((size_t)1 << 10)

static char *at(size_t kilobytes) { return (char *)(0x10000000 + kilobytes * KB); }

static KeptRange given[KEPT_RANGES_MOST + 1];
static unsigned given_count;
static void give(void *owner, char *start, size_t bytes) {
    assert_ptr_equal(owner, given);
    given[given_count++] = (KeptRange){start, bytes};
}

/* How many were given back. */
static unsigned put(KeptRanges *kept, size_t from, size_t size) {
    given_count = 0;
    kept_ranges_put(kept, at(from), size * KB, give, given);
    assert_true(kept->count <= KEPT_RANGES_MOST && kept->bytes <= KEPT_BYTES_MOST);
    return given_count;
}

static void the_youngest_that_fits(void **state) {
    KeptRanges kept = {0};
    assert_null(kept_ranges_take(&kept, 16 * KB));
    assert_int_equal(put(&kept, 0, 100) + put(&kept, 1000, 50) + put(&kept, 2000, 100), 0);
    assert_ptr_equal(kept_ranges_take(&kept, 60 * KB), at(2000));
    assert_ptr_equal(kept_ranges_take(&kept, 40 * KB), at(2060)); /* what was left of it */
    assert_ptr_equal(kept_ranges_take(&kept, 40 * KB), at(1000));
    assert_ptr_equal(kept_ranges_take(&kept, 40 * KB), at(0));
    assert_ptr_equal(kept_ranges_take(&kept, 60 * KB), at(40));
    assert_null(kept_ranges_take(&kept, 60 * KB));
    assert_null(kept_ranges_take(&kept, 10 * KB)); /* so few come from elsewhere */
    assert_int_equal(put(&kept, 3000, 20), 0);
    assert_ptr_equal(kept_ranges_take(&kept, 20 * KB), at(3000));
    assert_int_equal(put(&kept, 4000, 2048), 1); /* the rest of the second, which nobody wants */
    assert_ptr_equal(given[0].start, at(1040));
    assert_int_equal(kept.count, 1);
}

static void the_oldest_goes(void **state) {
    KeptRanges kept = {0};
    for (size_t i = 0; i < KEPT_RANGES_MOST; i++)
        assert_int_equal(put(&kept, 100 * i, 20 + i), 0);
    assert_int_equal(put(&kept, 5000, 1600), 1); /* one too many */
    assert_ptr_equal(given[0].start, at(0));
    assert_int_equal(given[0].bytes, 20 * KB);
    assert_int_equal(put(&kept, 9000, 60), 2); /* one too many, then too much: 2,059 KB */
    assert_ptr_equal(given[0].start, at(100));
    assert_ptr_equal(given[1].start, at(200));
    assert_int_equal(put(&kept, 0, 2048), KEPT_RANGES_MOST - 1); /* the whole of it */
    assert_ptr_equal(given[KEPT_RANGES_MOST - 2].start, at(9000));
    assert_int_equal(kept.bytes, KEPT_BYTES_MOST);
}

static void neither_small_nor_large(void **state) {
    KeptRanges kept = {0};
    assert_int_equal(put(&kept, 0, 15) + put(&kept, 0, 2049), 2);
    assert_int_equal(put(&kept, 0, 16), 0);
    assert_int_equal(put(&kept, 0, 2048), 1);
}

UNIT_TESTS(unit(the_youngest_that_fits), unit(the_oldest_goes), unit(neither_small_nor_large))

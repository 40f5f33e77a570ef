#include "alloc/cells.h"
#include "unit.h"

static char *const start = (char *)((uintptr_t)5 << CELLS_LEAF_SHIFT);

static void numbers_are_taken_once(void **state) {
    Cells cells;
    assert_true(cells_open(&cells, 4));
    assert_int_equal(cells_take(&cells, start), 0);
    assert_true(cells_set(&cells, start, 7));
    assert_true(cells_set(&cells, start + 16, UINT32_MAX));
    assert_true(cells_set(&cells, start - 16, 9)); /* another leaf */
    assert_int_equal(cells_take(&cells, start), 7);
    assert_int_equal(cells_take(&cells, start), 0);
    assert_int_equal(cells_take(&cells, start + 16), UINT32_MAX);
    assert_int_equal(cells_take(&cells, start - 16), 9);
    cells_close(&cells);
}

static void sizes_of_any_length_are_kept(void **state) {
    static const uint32_t sizes[] = {1, 254, 255, 256, 65535, 1 << 24, UINT32_MAX};
    Cells cells;
    assert_true(cells_open(&cells, 1));
    for (unsigned i = 0; i < array_length(sizes); i++)
        assert_true(cells_set_size(&cells, start + 80 * i, sizes[i]));
    for (unsigned i = 0; i < array_length(sizes); i++)
        assert_int_equal(cells_take_size(&cells, start + 80 * i), sizes[i]);
    for (unsigned i = 0; i < 5 * array_length(sizes); i++)
        assert_int_equal(cells_take_size(&cells, start + 16 * i), 0);
    cells_close(&cells);
}

static void a_size_may_begin_in_the_last_cell(void **state) {
    Cells cells;
    assert_true(cells_open(&cells, 1));
    assert_true(cells_set_size(&cells, start - 16, 1000000));
    assert_true(cells_set_size(&cells, start, 3));
    assert_int_equal(cells_take_size(&cells, start - 16), 1000000);
    assert_int_equal(cells_take_size(&cells, start), 3);
    cells_close(&cells);
}

UNIT_TESTS(unit(numbers_are_taken_once), unit(sizes_of_any_length_are_kept), unit(a_size_may_begin_in_the_last_cell))

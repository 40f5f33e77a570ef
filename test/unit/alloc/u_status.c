#include "alloc/status.h"
#include "sys/thread.h"
#include "unit.h"

static AllocStatus status_of(AllocType type) {
    AllocStatus status;
    assert_true(alloc_status(SUM_TYPES + type, 1, &status));
    return status;
}

static void what_came_before_counts_as_it_was_given(void **state) {
    AllocStatus status;
    void *ptr = mem_alloc(ALLOC_REGEX, 100);
    assert_false(alloc_status(SUM_TOTAL, 1, &status));
    assert_true(maxima_start());
    status = status_of(ALLOC_REGEX);
    assert_int_equal(status.blocks.now, 1);
    assert_true(status.sizes.now >= 100);
    mem_free(ALLOC_REGEX, ptr);
    assert_int_equal(status_of(ALLOC_REGEX).sizes.now, 0);
}

static void sizes_are_those_asked_for(void **state) {
    AllocStatus before = status_of(ALLOC_TIMER);
    void *small = mem_alloc(ALLOC_TIMER, 1), *large = mem_alloc(ALLOC_TIMER, 1000001);
    AllocStatus held = status_of(ALLOC_TIMER);
    assert_int_equal(held.sizes.now, before.sizes.now + 1000002);
    assert_int_equal(held.blocks.now, before.blocks.now + 2);
    large = mem_realloc(ALLOC_TIMER, large, 77);
    assert_int_equal(status_of(ALLOC_TIMER).sizes.now, before.sizes.now + 78);
    mem_free(ALLOC_TIMER, small);
    mem_free(ALLOC_TIMER, large);
    AllocStatus after = status_of(ALLOC_TIMER);
    assert_int_equal(after.sizes.now, before.sizes.now);
    assert_int_equal(after.blocks.now, before.blocks.now);
    assert_int_equal(after.sizes.since, before.sizes.now + 78);
    assert_int_equal(after.sizes.ever, before.sizes.now + 1000002);
    assert_int_equal(status_of(ALLOC_TIMER).sizes.since, before.sizes.now);
}

static void pages_are_summed_apart(void **state) {
    AllocStatus before, held;
    static char pages[1 << 20] __attribute__((aligned(4096)));
    assert_true(alloc_status(SUM_PAGES, 1, &before));
    mem_count_mapped(ALLOC_ETS_TABLE, pages, sizeof pages);
    assert_true(alloc_status(SUM_PAGES, 1, &held));
    assert_int_equal(held.sizes.now, before.sizes.now + (int64_t)sizeof pages);
    mem_count_unmapped(ALLOC_ETS_TABLE, pages, sizeof pages);
    assert_true(alloc_status(SUM_PAGES, 1, &held));
    assert_int_equal(held.sizes.now, before.sizes.now);
    assert_int_equal(held.sizes.ever, before.sizes.now + (int64_t)sizeof pages);
}

/* What threads held at once is seen although they have ended. */
static void hold_and_free(void *data) { mem_free(ALLOC_NODE, mem_alloc(ALLOC_NODE, 10 << 20)); }
static void maxima_outlive_their_thread(void **state) {
    Thread thread;
    thread_start(&thread, "other", 0, hold_and_free, NULL);
    thread_join(&thread);
    AllocStatus after = status_of(ALLOC_NODE);
    assert_int_equal(after.sizes.now, 0);
    assert_int_equal(after.sizes.ever, 10 << 20);
    AllocStatus class;
    assert_true(alloc_status(SUM_CLASSES + CLASS_SYSTEM, 1, &class));
    assert_true(class.sizes.ever >= 10 << 20);
}

UNIT_TESTS(unit(what_came_before_counts_as_it_was_given), unit(sizes_are_those_asked_for), unit(pages_are_summed_apart),
           unit(maxima_outlive_their_thread))

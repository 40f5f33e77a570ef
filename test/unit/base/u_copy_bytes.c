/* What is copied is the same, wherever the two stand, and nothing beside it is touched. */
#include "base/copy_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROOM (4 * COPY_PAGE)
#define UNTOUCHED 0xa5

static uint8_t source[ROOM], destination[2 * ROOM];

typedef void Copy(void *to, const void *from, size_t bytes);
static void as_here(void *to, const void *from, size_t bytes) { copy_bytes(to, from, bytes); }

static void check_by(Copy *copy, size_t from, size_t to, size_t bytes) {
    memset(destination, UNTOUCHED, sizeof destination);
    copy(destination + to, source + from, bytes);
    assert_memory_equal(destination + to, source + from, bytes);
    assert_int_equal(destination[to - 1], UNTOUCHED);
    assert_int_equal(destination[to + bytes], UNTOUCHED);
}

/* By pieces on any processor, too. */
static void check(size_t from, size_t to, size_t bytes) {
    check_by(as_here, from, to, bytes);
    check_by(copy_by_pieces, from, to, bytes);
}

static void it_is_the_same(void **state) {
    static const size_t sizes[] = {0, 1, 63, 64, 1023, 1024, 1025, 1087, 1088, 4096, 9999};
    for (unsigned i = 0; i < ROOM; i++)
        source[i] = (uint8_t)(i * 31 + i / 256);
    size_t same = (uintptr_t)source - (uintptr_t)destination; /* the destination that is as far in its page */
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t ahead = 0; ahead < 2 * COPY_AHEAD; ahead++)
            for (size_t from = 0; from < 4; from++)
                check(from, COPY_PAGE + same % COPY_PAGE + from + ahead - COPY_AHEAD / 2, sizes[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

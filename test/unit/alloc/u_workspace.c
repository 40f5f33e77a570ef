/* alloc/workspace.h. Threads that begin and end workspaces at once share the blocks that are kept: for the
 * ThreadSanitizer build, too. */
#include "alloc/workspace.h"

#include <string.h>

#include "alloc/alloc.h"
#include "sys/thread.h"
#include "unit.h"

static bool is_filled(const uint8_t *bytes, size_t count, uint8_t with) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != with)
            return false;
    return true;
}

static void pieces_lie_apart(void **state) {
    static const size_t sizes[] = {0, 1, 15, 16, 17, 1000, (1 << 20) - 100, 40, 1 << 20, 3 << 20, 0, 5, 300000};
    uint8_t *pieces[array_length(sizes)];
    Workspace w = {0};
    for (unsigned i = 0; i < array_length(sizes); i++) {
        pieces[i] = workspace_take(&w, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (unsigned i = 0; i < array_length(sizes); i++)
        assert_true(is_filled(pieces[i], sizes[i], (uint8_t)(i + 1)));
    assert_true(is_filled(workspace_take_zeroed(&w, 5000), 5000, 0));
    workspace_end(&w);
    assert_null(w.blocks);
}

static void tables_grow(void **state) {
    Workspace w = {0};
    uint32_t *tables[3] = {0};
    size_t capacities[3] = {0};
    for (uint32_t count = 0; count < 300000; count++) {
        unsigned t = count / 1000 % 3; /* the last that was taken, mostly */
        size_t items = count / 3000 * 1000 + count % 1000;
        if (items == capacities[t])
            tables[t] = workspace_grow(&w, tables[t], &capacities[t], sizeof(uint32_t));
        assert_true(items < capacities[t]);
        tables[t][items] = count;
    }
    for (uint32_t count = 0; count < 300000; count++)
        assert_int_equal(tables[count / 1000 % 3][count / 3000 * 1000 + count % 1000], count);
    workspace_end(&w);
}

static void what_is_kept_has_a_bound(void **state) {
    Workspace some[32] = {0};
    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < array_length(some); i++)
            workspace_take(&some[i], 100000);
        for (unsigned i = 0; i < array_length(some); i++)
            workspace_end(&some[i]);
        assert_true(alloc_sum(ALLOC_LOADER).bytes <= 5 << 20);
    }
    workspace_take(&some[0], 10 << 20);
    workspace_end(&some[0]);
    assert_true(alloc_sum(ALLOC_LOADER).bytes <= 5 << 20);
}

static void take_and_end(void *mark) {
    for (int round = 0; round < 2000; round++) {
        Workspace w = {0};
        uint8_t *first = workspace_take(&w, 1000), *second = workspace_take(&w, (1 << 20) - 500);
        memset(first, *(uint8_t *)mark, 1000);
        memset(second, *(uint8_t *)mark, 1000);
        require(is_filled(first, 1000, *(uint8_t *)mark));
        require(is_filled(second, 1000, *(uint8_t *)mark));
        workspace_end(&w);
    }
}

static void threads_have_their_own(void **state) {
    Thread threads[4];
    uint8_t marks[array_length(threads)];
    for (unsigned i = 0; i < array_length(threads); i++) {
        marks[i] = (uint8_t)(i + 1);
        thread_start(&threads[i], "workspace", 0, take_and_end, &marks[i]);
    }
    for (unsigned i = 0; i < array_length(threads); i++)
        thread_join(&threads[i]);
}

UNIT_TESTS(unit(pieces_lie_apart), unit(tables_grow), unit(what_is_kept_has_a_bound), unit(threads_have_their_own))

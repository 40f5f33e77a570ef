/*
 * The nodes that are known: found again by name and creation while they are counted, and by name the newest that is
 * left, in whatever order they go, however many there are.
 */
#include "term/node.h"

#include <string.h>

#include "term/atom.h"
#include "unit.h"

#define NAMES 300
#define CREATIONS 40

static Node *nodes[NAMES][CREATIONS];

static Term name_of(unsigned i) {
    char text[32];
    snprintf(text, sizeof text, "n%u@host", i);
    return atom_put((const uint8_t *)text, strlen(text), NULL);
}

static void assert_newest(unsigned name, const Node *newest) {
    Node *found = node_find_index(atom_index(name_of(name)));
    assert_ptr_equal(found, newest);
    if (found != NULL)
        node_release(found);
}

static void assert_all_found(unsigned name) {
    const Node *newest = NULL;
    for (unsigned c = 0; c < CREATIONS; c++) {
        if (nodes[name][c] == NULL)
            continue;
        newest = nodes[name][c];
        Node *again = node_put(name_of(name), c);
        assert_ptr_equal(again, newest);
        assert_int_equal(again->creation, c);
        node_release(again);
    }
    assert_newest(name, newest);
}

static void count_one(Term name, void *data) { ++*(size_t *)data; }
static void count_node(const Node *node, void *data) { ++*(size_t *)data; }

static void assert_counts(size_t name_count, size_t node_count) {
    size_t names = 0, all = 0;
    node_each_name(count_one, &names);
    node_each(count_node, &all);
    assert_int_equal(names, name_count + 1); /* and nonode@nohost */
    assert_int_equal(all, node_count + 1);
}

static void drop(unsigned name, unsigned creation) {
    node_release(nodes[name][creation]);
    nodes[name][creation] = NULL;
}

static void each_is_found_while_it_is_counted(void **state) {
    assert_newest(1, NULL);
    for (unsigned c = 0; c < CREATIONS; c++)
        for (unsigned i = 0; i < NAMES; i++)
            nodes[i][c] = node_put(name_of(i), c);
    assert_counts(NAMES, NAMES * CREATIONS);
    for (unsigned i = 0; i < NAMES; i++) /* the oldest, the newest, or one between them */
        drop(i, i % 3 == 0 ? 0 : i % 3 == 1 ? CREATIONS - 1 : i % CREATIONS);
    for (unsigned i = 0; i < NAMES; i++)
        assert_all_found(i);
    assert_counts(NAMES, NAMES * (CREATIONS - 1));
    for (unsigned i = 0; i < NAMES; i++)
        for (unsigned n = 0, c = i; n < CREATIONS; n++, c += 7)
            if (nodes[i][c % CREATIONS] != NULL) {
                drop(i, c % CREATIONS);
                assert_all_found(i);
            }
    assert_counts(0, 0);
}

int main(void) {
    atom_table_init(100000);
    node_table_init();
    const struct CMUnitTest tests[] = {unit(each_is_found_while_it_is_counted)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    node_table_release();
    return failed;
}

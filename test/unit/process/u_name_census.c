/*
 * Censuses of names while names come and go: each is of one moment. Some threads register a name before they give up
 * the one before, so that at any moment there is one or two that follow each other; others give it up first, so that
 * there is never more than one. A walk that only looks at each name meets neither of the former now and then, and both
 * of the latter: whoever counts rests between two looks.
 */
#include "process/name_census.h"

#include <stdio.h>
#include <unistd.h>

#include "term/atom.h"
#include "unit_chains.h"

#define LINKS 4096 /* of each; a census looks a few thousand times */
#define STRIDE 1579 /* from one to the next: before it and behind it */
#define ATOMS (CHAINS * LINKS)

static NameOwner owners[2 * ATOMS + 10000]; /* more than there are atoms */
static Term names[ATOMS];
static uint32_t first; /* index of the first one's atom */

static Term name_of(uint32_t chain, uint32_t link) { return names[link * STRIDE % LINKS * CHAINS + chain]; }

static bool change(Term name, Term before, Term now) {
    return name_census_change(&owners[atom_index(name)], name, before, now);
}

/* The owner's word tells which link it is. */
static void make_chain(void *data) {
    uint32_t chain = (uint32_t)(uintptr_t)data, link = 0;
    assert_true(change(name_of(chain, 0), 0, 1));
    for (chain_begins(); chain_goes_on(); link = (link + 1) % LINKS) {
        uint32_t next = (link + 1) % LINKS;
        if (!chain_overlaps(chain))
            assert_true(change(name_of(chain, link), link + 1, 0));
        assert_true(change(name_of(chain, next), 0, next + 1));
        if (chain_overlaps(chain))
            assert_true(change(name_of(chain, link), link + 1, 0));
    }
    assert_true(change(name_of(chain, link), link + 1, 0));
}

static uint32_t link_of[LINKS]; /* by where its name stands */

typedef struct {
    uint32_t *met, last, link[CHAINS];
} Seen;

static void see(Term name, void *data) {
    Seen *seen = data;
    uint32_t at = atom_index(name), chain = (at - first) % CHAINS, link = link_of[(at - first) / CHAINS];
    assert_true(at >= first && at > seen->last);
    seen->last = at;
    if (seen->met[chain]++ > 0) {
        uint32_t other = seen->link[chain];
        assert_true((link + 1) % LINKS == other || (other + 1) % LINKS == link);
    }
    seen->link[chain] = link;
    usleep(20);
}

static void take(uint32_t met[CHAINS]) {
    Seen seen = {.met = met};
    name_census_take(owners, see, &seen);
}

static void count(void *data) { count_chains(take); }

static void each_is_of_one_moment(void **state) { run_chains(make_chain, count); }

/* Names far behind the first, which is met while it is early. */
typedef struct {
    unsigned count;
    bool changes;
    Term met[8];
} Met;

static void change_many(void) {
    assert_true(change(names[ATOMS - 5], 1, 0)); /* gone, after the moment */
    assert_true(change(names[ATOMS - 4], 0, 1)); /* new */
    assert_true(change(names[ATOMS - 3], 1, 0)); /* gone and back */
    assert_true(change(names[ATOMS - 3], 0, 2));
    assert_true(change(names[ATOMS - 2], 0, 1)); /* new and gone */
    assert_true(change(names[ATOMS - 2], 1, 0));
    assert_true(change(names[ATOMS - 1], 1, 2)); /* another's at once */
    assert_false(change(names[ATOMS - 6], 1, 0)); /* no change at all: it is nobody's */
    assert_true(change(names[1], 1, 0)); /* looked at already */
}

static void meet(Term name, void *data) {
    Met *met = data;
    if (met->changes && met->count == 0)
        change_many();
    assert_true(met->count < array_length(met->met));
    met->met[met->count++] = name;
}

static void check(bool changes, const unsigned *there, unsigned count) {
    Met met = {.changes = changes};
    name_census_take(owners, meet, &met);
    assert_int_equal(met.count, count);
    for (unsigned i = 0; i < count; i++)
        assert_true(met.met[i] == names[there[i]]);
}

static void what_changes_meanwhile_does_not_count(void **state) {
    static const unsigned before[] = {0, 1, ATOMS - 5, ATOMS - 3, ATOMS - 1};
    static const unsigned after[] = {0, ATOMS - 4, ATOMS - 3, ATOMS - 1};
    thread_progress_register();
    for (unsigned i = 0; i < array_length(before); i++)
        assert_true(change(names[before[i]], 0, 1));
    check(true, before, array_length(before));
    check(false, after, array_length(after));
    for (unsigned i = 0; i < array_length(after); i++)
        atomic_store(&owners[atom_index(names[after[i]])], 0);
    check(false, NULL, 0);
    thread_progress_unregister();
}

int main(void) {
    char text[16];
    atom_table_init(2 * ATOMS + 10000);
    for (uint32_t i = 0; i < ATOMS; i++) {
        snprintf(text, sizeof text, "name %u", i);
        names[i] = atom_from_cstring(text);
    }
    first = atom_index(names[0]);
    for (uint32_t link = 0; link < LINKS; link++)
        link_of[link * STRIDE % LINKS] = link;
    const struct CMUnitTest tests[] = {unit(each_is_of_one_moment), unit(what_changes_meanwhile_does_not_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Censuses while processes come and go: each is of one moment. Some threads begin a process before they end the one
 * before, so that at any moment there is one or two that follow each other; others end it first, so that there is never
 * more than one. A walk that only looks into each slot meets neither of the former now and then, and both of the
 * latter: whoever counts rests between two looks, and the numbers go through all slots meanwhile.
 */
#include "process/census.h"
#include "process/life.h"
#include "process/process_table.h"

#include <unistd.h>

#include "term/atom.h"
#include "term/node.h"
#include "unit_chains.h"

#define SLOTS 16384 /* so many of the processes are the first in their slots */
#define NUMBERS ((size_t)1 << 22) /* so many are not given during one census */

/* What a number was given for: the chain, and which link of it. */
typedef struct {
    uint32_t chain, link;
} Given;
static Given given[NUMBERS];
static Given *given_for(Term pid) { return &given[pid_data(pid) % NUMBERS]; }

static void free_now(ProgressNode *node) { process_free(container_of(node, Process, progress)); }

static void leave(Process *p) {
    process_table_end(p, STATE_EXITING);
    process_table_remove(p);
    p->progress.run = free_now;
    thread_progress_later(&p->progress);
}

static Process *enter(uint32_t chain, uint32_t link) {
    Term pid = process_table_reserve();
    assert_true(is_value(pid));
    *given_for(pid) = (Given){chain, link};
    Process *p = process_create(12, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    p->pid = pid;
    process_table_publish(p);
    return p;
}

static void make_chain(void *data) {
    uint32_t chain = (uint32_t)(uintptr_t)data, link = 0;
    thread_progress_register();
    Process *p = enter(chain, link++);
    for (chain_begins(); chain_goes_on(); link++) {
        Process *before = p;
        if (!chain_overlaps(chain))
            leave(before);
        p = enter(chain, link);
        if (chain_overlaps(chain))
            leave(before);
        thread_progress_quiescent();
    }
    leave(p);
    thread_progress_unregister();
}

typedef struct {
    size_t last_slot;
    uint32_t *met, link[CHAINS];
} Seen;

static void see(Term pid, void *data) {
    Seen *seen = data;
    size_t slot = pid_data(pid) & (process_table_limit() - 1);
    uint32_t chain = given_for(pid)->chain, link = given_for(pid)->link;
    assert_true(slot < seen->last_slot);
    seen->last_slot = slot;
    if (seen->met[chain]++ > 0) { /* in which order they are met says nothing: slots go round */
        uint32_t other = seen->link[chain];
        assert_true(link + 1 == other || other + 1 == link);
    }
    seen->link[chain] = link;
    usleep(20);
}

static bool is_there(const Process *p) { return !process_is_exiting(p); }

/* What each census met of each chain: how far it had come, where it was met at all. */
static struct {
    bool is_met[CHAINS];
    uint32_t at[CHAINS];
} taken[READERS * CENSUSES];
static _Atomic unsigned taken_count;

static void take(uint32_t met[CHAINS]) {
    Seen seen = {.last_slot = process_table_limit(), .met = met};
    process_table_count_all(is_there, see, &seen);
    unsigned n = atomic_fetch_add(&taken_count, 1);
    for (unsigned i = 0; i < CHAINS; i++) {
        taken[n].is_met[i] = met[i] == 1; /* of two it is not kept which came first */
        taken[n].at[i] = seen.link[i];
    }
}

static void count(void *data) { count_chains(take); }

/* -1, 0 or 1: whether the moment of a is before that of b, as chains say; 2: they say both. */
static int order_of(unsigned a, unsigned b) {
    bool before = false, after = false;
    for (unsigned i = 0; i < CHAINS; i++)
        if (taken[a].is_met[i] && taken[b].is_met[i]) {
            before |= taken[a].at[i] < taken[b].at[i];
            after |= taken[a].at[i] > taken[b].at[i];
        }
    return before && after ? 2 : after - before;
}

static void each_is_of_one_moment(void **state) {
    run_chains(make_chain, count);
    assert_int_equal(process_table_count(), 0);
    for (unsigned a = 0; a < READERS * CENSUSES; a++)
        for (unsigned b = 0; b < a; b++)
            assert_int_not_equal(order_of(a, b), 2);
}

static void see_one(Term pid, void *data) { ++*(unsigned *)data; }

static void who_ends_is_counted_no_more(void **state) {
    unsigned seen = 0;
    thread_progress_register();
    Process *p = enter(0, 0), *q = enter(0, 1);
    process_table_count_all(is_there, see_one, &seen);
    assert_int_equal(seen, 2);
    process_table_end(p, STATE_EXITING);
    seen = 0;
    process_table_count_all(is_there, see_one, &seen);
    assert_int_equal(seen, 1);
    leave(p);
    leave(q);
    seen = 0;
    process_table_count_all(is_there, see_one, &seen);
    assert_int_equal(seen, 0);
    thread_progress_unregister();
}

/* --- Two beside each other ---------------------------------------------------------------------------------------- */

/* One whose end, or beginning, comes late: after a look at whether there are censuses, which there were not, and before
 * another that the two tell apart. The moments of the two are in one order all the same. All in one thread: a census
 * rests where it tells of one that it has found, and what happens meanwhile happens there. */

#define COUNT 1000 /* a census looks at 128 at once: it has not come to the first ones when it tells of the last */

static Slots slots;
static Censuses censuses;
static Process actors[COUNT], *const early = &actors[3], *const late = &actors[5];
static bool has_ended[COUNT];

static size_t number_of(const Process *p) { return (size_t)(p - actors); }
static bool has_not_ended(const Process *p) { return !has_ended[number_of(p)]; }
static void end(Process *p, uint32_t how) { has_ended[number_of(p)] = true; }
static void end_now(Process *p) { census_note_end(&censuses, p, number_of(p), has_not_ended, end, 0); }

static void begin_life(Process *p) {
    census_note_birth(&censuses, p);
    p->pid = small_make((SWord)number_of(p));
}
static void publish(Process *p) { slots_publish(&slots, number_of(p), p); }

static int setup_actors(void **state) {
    thread_progress_register();
    slots = (Slots){0};
    slots_init(&slots, 1024, ALLOC_PROCESS, NULL);
    censuses_init(&censuses, &slots);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(slots_reserve(&slots), i);
        has_ended[i] = false;
        if (&actors[i] != early && &actors[i] != late) {
            begin_life(&actors[i]);
            publish(&actors[i]);
        }
    }
    return 0;
}

static int teardown_actors(void **state) {
    thread_progress_unregister();
    return 0;
}

typedef struct {
    bool has_early, has_late;
} Both;

static void see_actor(Term id, void *data) {
    Both *seen = data;
    size_t number = (size_t)small_value(id);
    seen->has_early |= number == number_of(early);
    seen->has_late |= number == number_of(late);
}

static Both first, second;
static void (*meanwhile)(void);

static void see_first(Term id, void *data) {
    if (meanwhile != NULL) {
        void (*now)(void) = meanwhile;
        meanwhile = NULL;
        now();
    }
    see_actor(id, &first);
}

static void take_two(void (*between)(void)) {
    first = second = (Both){false, false};
    meanwhile = between;
    census_take(&censuses, has_not_ended, see_first, NULL);
}

/* `early` ends between the two moments. */
static void early_ends(void) {
    end_now(early);
    census_take(&censuses, has_not_ended, see_actor, &second);
    has_ended[number_of(late)] = true;
}

/* No census was taken when it looked. */
static void end_late(Process *p, uint32_t how) { take_two(early_ends); }

static void one_ends_late(void **state) {
    begin_life(early);
    publish(early);
    begin_life(late);
    publish(late);
    census_note_end(&censuses, late, number_of(late), has_not_ended, end_late, 0);
    assert_true(first.has_early && !second.has_early);
    assert_true(first.has_late); /* and in the second or not */
}

static void early_begins(void) {
    begin_life(early);
    publish(early);
    census_take(&censuses, has_not_ended, see_actor, &second);
    publish(late);
}

static void one_begins_late(void **state) {
    begin_life(late); /* the newest moment is the one before */
    take_two(early_begins);
    assert_true(!first.has_early && second.has_early);
    assert_false(first.has_late);
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    process_table_init(SLOTS);
    const struct CMUnitTest tests[] = {unit(each_is_of_one_moment), unit(who_ends_is_counted_no_more),
                                       cmocka_unit_test_setup_teardown(one_ends_late, setup_actors, teardown_actors),
                                       cmocka_unit_test_setup_teardown(one_begins_late, setup_actors, teardown_actors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

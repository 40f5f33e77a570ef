/*
 * Censuses while processes come and go: each is of one moment. Some threads begin a process before they end the one
 * before, so that at any moment there is one or two that follow each other; others end it first, so that there is never
 * more than one. A walk that only looks into each slot meets neither of the former now and then, and both of the
 * latter: whoever counts rests between two looks, and the numbers go through all slots meanwhile.
 */
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

static void take(uint32_t met[CHAINS]) {
    Seen seen = {.last_slot = process_table_limit(), .met = met};
    process_table_count_all(is_there, see, &seen);
}

static void count(void *data) { count_chains(take); }

static void each_is_of_one_moment(void **state) {
    run_chains(make_chain, count);
    assert_int_equal(process_table_count(), 0);
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

int main(void) {
    atom_table_init(10000);
    node_table_init();
    process_table_init(SLOTS);
    const struct CMUnitTest tests[] = {unit(each_is_of_one_moment), unit(who_ends_is_counted_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

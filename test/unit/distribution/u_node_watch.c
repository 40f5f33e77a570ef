/* How often one hears that a node is down: once for each time that it monitors that connection when it hears so. */
#include "distribution/node_watch.h"

#include "alloc/alloc.h"
#include "distribution/lose.h"
#include "process/node_monitors.h"
#include "process/reference.h"
#include "unit.h"
#include "unit_process.h"

static void take(Process *actor, Signal *s) {
    if ((int)s->kind == CHANNEL_CALL)
        ((ChannelCall *)s)->handle(channel_of(actor), (ChannelCall *)s);
    else
        mem_free(ALLOC_SIGNAL, s);
}
static ActorNext rest(Process *actor) { return ACTOR_WAITS; }
static const ActorBody keeps_ties = {.handle = take, .run = rest, .is_hidden = true};

static Process *p;
static Entry *entry;
static Channel *newest;

static Channel *connection(void) {
    newest = channel_create(entry, &keeps_ties);
    atomic_fetch_or(&newest->actor.state, STATE_RUNNING); /* by this thread */
    atomic_store(&entry->channel, newest);
    return newest;
}

static unsigned ties_of(Channel *c) {
    signal_handle(&c->actor);
    return c->ties.nodes.count;
}

/* Its watchers are not told yet. */
static void lose(Channel *c) { assert_true(channel_lose(c, am_noconnection)); }

static void tell(Channel *c) {
    signal_handle(&c->actor);
    for (const Tie *tie; (tie = ties_first(&c->ties)) != NULL;) {
        Term pid = tie->node.key;
        assert_int_equal(tie->kind, TIE_NODE);
        tie_node_gone(&c->ties, pid);
        node_watch_tell_watcher(c, pid);
    }
    assert_null(signal_list_close(&c->actor));
    channel_drop_handle(c);
    channel_release(c);
}

static void add(unsigned times) {
    for (unsigned i = 0; i < times; i++)
        assert_true(node_watch_add(newest, p));
}

/* Messages that it has by now; they are dropped. */
static unsigned told(void) {
    unsigned count = 0;
    signal_handle(p);
    for (Message *m = p->messages, *next; m != NULL; m = next) {
        next = (Message *)m->signal.next;
        assert_int_equal(tuple_elements(m->term)[0], am_nodedown);
        assert_int_equal(tuple_elements(m->term)[1], entry->name);
        message_free(m);
        count++;
    }
    assert_int_equal(p->message_count, count);
    p->messages = NULL;
    p->messages_last = &p->messages;
    p->message_count = 0;
    p->message_words = 0;
    return count;
}

static void once_for_each_time(void **state) {
    Channel *c = connection();
    add(3);
    node_watch_remove(entry, p);
    assert_int_equal(ties_of(c), 1);
    lose(c);
    tell(c);
    assert_int_equal(told(), 2);
    node_watch_remove(entry, p);
}

static void nobody_is_told_who_has_taken_it_back(void **state) {
    Channel *c = connection();
    add(1);
    node_watch_remove(entry, p);
    assert_int_equal(ties_of(c), 0);
    add(2);
    lose(c);
    node_watch_remove(entry, p);
    node_watch_remove(entry, p);
    tell(c);
    node_watch_remove(entry, p);
    assert_int_equal(told(), 0);
}

static void it_is_taken_back_when_the_signal_has_come(void **state) {
    Channel *c = connection();
    add(3);
    lose(c);
    node_watch_remove(entry, p);
    tell(c);
    node_watch_remove(entry, p);
    assert_int_equal(told(), 1);
}

static void each_connection_is_one_of_its_own(void **state) {
    Channel *first = connection();
    add(2);
    lose(first);
    Channel *second = connection();
    add(3);
    lose(second);
    Channel *third = connection();
    add(1);
    node_watch_remove(entry, p); /* of the third */
    assert_int_equal(ties_of(third), 0);
    node_watch_remove(entry, p); /* of the second, which is lost */
    add(1);
    assert_int_equal(ties_of(third), 1);
    tell(first);
    assert_int_equal(told(), 2);
    tell(second);
    assert_int_equal(told(), 2);
    lose(third);
    tell(third);
    assert_int_equal(told(), 1);
}

static void an_older_one_does_not_end_the_newer(void **state) {
    Channel *first = connection();
    add(1);
    lose(first);
    node_watch_remove(entry, p);
    Channel *second = connection();
    add(1);
    tell(first);
    assert_int_equal(told(), 0);
    assert_int_equal(ties_of(second), 1);
    lose(second);
    tell(second);
    assert_int_equal(told(), 1);
}

/* Nor is one that has told of its end watched by anybody who has heard so. */
static void what_is_over_is_not_watched(void **state) {
    Channel *c = connection();
    add(1);
    lose(c);
    channel_hold(c);
    tell(c);
    assert_int_equal(told(), 1);
    assert_false(node_watch_add(c, p));
    node_watch_remove(entry, p);
    channel_release(c);
    assert_int_equal(told(), 0);
}

static void one_that_ends_leaves_nothing(void **state) {
    Channel *first = connection();
    add(2);
    lose(first);
    Channel *second = connection();
    add(1);
    int64_t reductions = 1;
    assert_false(node_watch_process_exit(p, &reductions));
    reductions = 1000;
    assert_true(node_watch_process_exit(p, &reductions));
    assert_int_equal(ties_of(second), 0);
    tell(first);
    lose(second);
    tell(second);
    assert_int_equal(told(), 0);
}

int main(void) {
    unit_processes_init();
    reference_init();
    entry = entry_put(atom_from_cstring("other@host"));
    p = unit_process(STATE_RUNNING);
    const struct CMUnitTest tests[] = {
        unit(once_for_each_time),
        unit(nobody_is_told_who_has_taken_it_back),
        unit(it_is_taken_back_when_the_signal_has_come),
        unit(each_connection_is_one_of_its_own),
        unit(an_older_one_does_not_end_the_newer),
        unit(what_is_over_is_not_watched),
        unit(one_that_ends_leaves_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unit_process_end(p);
    return failed;
}

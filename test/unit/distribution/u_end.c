/* A channel that is lost while others are still told that it is up tells of its end after that. */
#include "distribution/end.h"

#include "distribution/body.h"
#include "distribution/lose.h"
#include "distribution/node_watch.h"
#include "process/node_monitors.h"
#include "process/reference.h"
#include "unit.h"
#include "unit_process.h"

static Process *p;
static Entry *entry;

static Channel *connection(uint32_t status) {
    Channel *c = channel_create(entry, &channel_body);
    atomic_fetch_or(&c->status, status);
    atomic_fetch_or(&c->actor.state, STATE_RUNNING); /* by this thread */
    atomic_store(&entry->channel, c);
    assert_true(node_watch_add(c, p));
    return c;
}

/* What has come to it, and what it does then. Gone: its memory is there until this thread says that it rests. */
static ActorNext run(Channel *c) {
    signal_handle(&c->actor);
    c->actor.reductions = REDUCTIONS_PER_SLICE;
    return c->actor.body->run(&c->actor);
}

/* With time for one step. */
static ActorNext run_a_little(Channel *c) {
    signal_handle(&c->actor);
    c->actor.reductions = 1;
    return c->actor.body->run(&c->actor);
}

/* The oldest message, dropped: what it tells, and whether with a list of more. NON_VALUE: there is none. */
static Term next_event(size_t *arity) {
    signal_handle(p);
    Message *m = p->messages;
    if (m == NULL)
        return NON_VALUE;
    Term event = tuple_elements(m->term)[0];
    *arity = tuple_arity(m->term);
    p->messages = (Message *)m->signal.next;
    if (p->messages == NULL)
        p->messages_last = &p->messages;
    p->message_count--;
    p->message_words -= message_words(m);
    message_free(m);
    return event;
}

static void assert_told(Term event, size_t arity) {
    size_t found = 0;
    assert_int_equal(next_event(&found), event);
    assert_int_equal(found, arity);
}

static void assert_told_nothing(void) {
    size_t found;
    assert_int_equal(next_event(&found), NON_VALUE);
}

static void it_is_told_up_before(void **state) {
    Channel *c = connection(CHANNEL_UP);
    assert_true(channel_lose(c, am_killed));
    assert_int_equal(run(c), ACTOR_WAITS);
    assert_told_nothing();
    assert_int_equal(entry->ending, 1);
    node_watch_tell_up(c);
    end_may_be_told(c);
    assert_told(am_nodeup, 3);
    assert_told_nothing();
    assert_int_equal(run(c), ACTOR_IS_GONE);
    assert_told(am_nodedown, 2);
    assert_told(am_nodedown, 3); /* as one of all nodes */
    assert_told_nothing();
    assert_int_equal(entry->ending, 0);
}

static void one_that_was_told_up_ends_at_once(void **state) {
    Channel *c = connection(CHANNEL_UP);
    node_watch_tell_up(c);
    end_may_be_told(c);
    assert_true(channel_lose(c, am_killed));
    assert_int_equal(run(c), ACTOR_IS_GONE);
    assert_told(am_nodeup, 3);
    assert_told(am_nodedown, 2);
    assert_told(am_nodedown, 3);
    assert_told_nothing();
}

static void one_that_was_never_up_ends_at_once(void **state) {
    Channel *c = connection(0);
    assert_true(channel_give_up(c));
    assert_int_equal(run(c), ACTOR_IS_GONE);
    assert_told(am_nodedown, 2);
    assert_told_nothing();
}

static void each_message_is_a_step(void **state) {
    Channel *c = connection(CHANNEL_UP);
    assert_true(node_watch_add(c, p)); /* once more: one signal tells both */
    node_watch_tell_up(c);
    end_may_be_told(c);
    assert_told(am_nodeup, 3);
    assert_true(channel_lose(c, am_killed));
    assert_int_equal(run_a_little(c), ACTOR_GOES_ON);
    assert_told(am_nodedown, 2);
    assert_told(am_nodedown, 2);
    assert_told_nothing();
    assert_int_equal(run_a_little(c), ACTOR_GOES_ON);
    assert_told(am_nodedown, 3);
    assert_int_equal(entry->ending, 1);
    assert_int_equal(run_a_little(c), ACTOR_IS_GONE);
    assert_int_equal(entry->ending, 0);
    assert_told_nothing();
}

int main(void) {
    unit_processes_init();
    reference_init();
    entry = entry_put(atom_from_cstring("other@host"));
    p = unit_process(STATE_RUNNING);
    node_monitors_set(p, &(NodeMonitorOptions){.type = NODES_ALL}, true);
    const struct CMUnitTest tests[] = {
        unit(it_is_told_up_before),
        unit(one_that_was_told_up_ends_at_once),
        unit(one_that_was_never_up_ends_at_once),
        unit(each_message_is_a_step),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unit_process_end(p);
    return failed;
}

/* An unlink is acknowledged by the connection by which it came, and by no later one. */
#include "distribution/tell.h"

#include "distribution/channel.h"
#include "process/reference.h"
#include "unit.h"
#include "unit_process.h"

static unsigned orders;

static void count(Process *actor, Signal *s) {
    assert_int_equal(s->kind, CHANNEL_ORDER);
    assert_int_equal(((Order *)s)->kind, FAR_UNLINK_ACK);
    order_free((Order *)s);
    orders++;
}
static ActorNext rest(Process *actor) { return ACTOR_WAITS; }
static const ActorBody counts = {.handle = count, .run = rest, .is_hidden = true};

static Channel *connection(Entry *entry) {
    Channel *c = channel_create(entry, &counts);
    atomic_store(&entry->channel, c);
    return c;
}

static void an_acknowledgement_is_for_its_connection(void **state) {
    Entry *entry = entry_put(atom_from_cstring("other@host"));
    FragmentArea terms;
    fragment_area_init(&terms, 8);
    Process *p = unit_process(STATE_RUNNING);
    Term away = ident_pid(&terms.area, entry->name, 4, 1, 0);
    Channel *first = connection(entry), *second = connection(entry);
    FarOrder o = {.kind = FAR_UNLINK_ACK, .from = p->pid, .to = away, .node = NON_VALUE, .id = 1, .token = NIL};
    o.answered = first->number;
    assert_false(tell_far(&o));
    assert_int_equal(orders, 0);
    o.answered = second->number;
    assert_true(tell_far(&o));
    assert_int_equal(orders, 1);
    unit_process_end(p);
    channel_drop_handle(first);
    channel_release(first);
    channel_drop_handle(second);
    channel_release(second);
    fragment_area_drop(&terms);
}

int main(void) {
    unit_processes_init();
    reference_init();
    const struct CMUnitTest tests[] = {unit(an_acknowledgement_is_for_its_connection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

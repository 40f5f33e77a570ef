/* What has come over a connection and is not read yet is bounded: its port is to stop, and is told to go on. */
#include "distribution/channel.h"

#include "base/thread_progress.h"
#include "distribution/input.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "term/atom.h"
#include "unit.h"

static ChannelInput *kept[8];
static size_t kept_count;

static void keep(Process *actor, Signal *s) { kept[kept_count++] = (ChannelInput *)s; }
static ActorNext rest(Process *actor) { return ACTOR_WAITS; }
static const ActorBody keeps_all = {.handle = keep, .run = rest, .is_hidden = true};

#define PART (CHANNEL_UNREAD_MAX / 4)

static void come(Channel *c, RefcBinary *bytes) {
    assert_true(channel_takes_input(c));
    assert_true(channel_tell_input(c, input_create(bytes->bytes, PART, bytes)));
}

static void read_one(Channel *c) {
    input_free(kept[--kept_count]);
    channel_has_read(c, PART);
}

static void much_unread_stops_the_port(void **state) {
    Channel *c = channel_create(entry_put(atom_from_cstring("other@host")), &keeps_all);
    RefcBinary *bytes = refc_binary_create(PART);
    for (int i = 0; i < 4; i++)
        come(c, bytes);
    assert_false(atomic_load(&c->input_waits));
    assert_false(channel_takes_input(c));
    read_one(c);
    assert_true(atomic_load(&c->input_waits)); /* it is not worth while yet */
    assert_true(channel_takes_input(c));
    read_one(c);
    assert_false(atomic_load(&c->input_waits)); /* it was told */
    come(c, bytes);
    come(c, bytes);
    assert_false(channel_takes_input(c));
    while (kept_count > 0)
        read_one(c);
    assert_false(atomic_load(&c->input_waits));
    assert_int_equal(atomic_load(&c->bytes_unread), 0);
    assert_true(refc_binary_is_sole(bytes));
    refc_binary_release(bytes);
    channel_drop_handle(c);
    channel_release(c);
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    reference_init();
    process_table_init(PROCESS_LIMIT_MIN);
    thread_progress_register();
    const struct CMUnitTest tests[] = {cmocka_unit_test(much_unread_stops_the_port)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

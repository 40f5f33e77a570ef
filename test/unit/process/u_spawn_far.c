/* Processes that nodes make for each other: requests and what becomes of them, in all orders; and who makes them. */
#include "process/spawn_far.h"

#include "code/export.h"
#include "process/link.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/spawn.h"
#include "term/compare.h"
#include "unit.h"
#include "unit_far.h"
#include "unit_process.h"

static Process *p;
static Term made; /* the new process's pid */

static int begin(void **state) {
    unit_far_begin();
    thread_progress_enter();
    p = unit_process(STATE_RUNNING);
    made = unit_far_pid(7);
    return 0;
}

static int end(void **state) {
    assert_null(p->messages);
    assert_int_equal(p->monitors.count, 0);
    assert_int_equal(p->links.count, 0);
    process_table_remove(p);
    if (atomic_load(&p->signals_in) != SIGNALS_CLOSED)
        signal_close(p);
    process_free(p);
    thread_progress_leave();
    unit_far_end();
    return 0;
}

static Term list(Term a, Term b) {
    Area *area = process_area(p);
    return area_cons(area, a, area_cons(area, b, NIL));
}

static Term alias_option(Term mode) {
    Area *area = process_area(p);
    Term pair = area_tuple2(area, am_alias, mode);
    return area_tuple2(area, am_monitor, area_cons(area, pair, NIL));
}

/* With those options; the reference. */
static Term ask_with(Term options) {
    FarSpawnOptions o;
    assert_int_equal(spawn_far_options_decode(process_area(p), options, true, &o), SPAWN_OPTIONS_OK);
    return spawn_far_request(p, unit_far_name(), am_erlang, am_apply, list(am_init, NIL), &o);
}

static Term ask(void) {
    Term reference = ask_with(list(am_link, am_monitor));
    assert_int_equal(unit_order(FAR_SPAWN, p->pid)->id, reference_key(reference));
    return reference;
}

static bool answered(Term reference, uint32_t flags, Term result, Kept *reason) {
    bool is_taken = spawn_reply_from_far(p->pid, reference_key(reference), flags, result, NIL, reason);
    if (is_taken && !process_is_exiting(p))
        signal_handle(p);
    return is_taken;
}

static void answer(Term reference, uint32_t flags, Term result) {
    Kept reason;
    assert_true(answered(reference, flags, result, &reason));
}

/* The next in the queue is {tag, reference, is, result}. */
static void has_received(Term tag, Term reference, Term is, Term result) {
    Message *m = p->messages;
    assert_non_null(m);
    const Term *e = tuple_elements(m->term);
    assert_int_equal(e[0], tag);
    assert_true(term_equal(e[1], reference));
    assert_int_equal(e[2], is);
    assert_true(term_equal(e[3], result));
    p->messages = (Message *)m->signal.next;
    if (p->messages == NULL)
        p->messages_last = p->save = &p->messages;
    message_free(m);
}

/* By the other's end. */
static void broken(void) {
    p->flags |= FLAG_TRAP_EXIT;
    signal_send_or_drop(p->pid, &exit_signal_create(SIGNAL_EXIT_LINKED, made, am_normal)->signal);
    signal_handle(p);
    message_free(p->messages);
    p->messages = NULL;
    p->messages_last = p->save = &p->messages;
    assert_int_equal(p->links.count, 0);
}

static void demonitored(Term reference) {
    assert_true(monitor_remove(p, reference_key(reference)));
    const FarOrder *o = unit_order(FAR_DEMONITOR, p->pid);
    assert_int_equal(o->id, reference_key(reference));
    assert_true(term_equal(o->to, made));
}

static void a_request_is_told(void **state) {
    Term options = area_cons(process_area(p), area_tuple2(process_area(p), am_priority, am_high), NIL);
    options = area_cons(process_area(p), area_tuple2(process_area(p), am_reply_tag, am_init), options);
    options = area_cons(process_area(p), alias_option(am_demonitor), options);
    p->group_leader = made;
    Term reference = ask_with(options);
    const FarOrder *o = unit_order(FAR_SPAWN, p->pid);
    assert_int_equal(o->id, reference_key(reference));
    assert_int_equal(o->node, unit_far_name());
    assert_true(o->is_alias_reference);
    assert_int_equal(o->module, am_erlang);
    assert_int_equal(o->function, am_apply);
    assert_int_equal(o->arity, small_make(2));
    assert_true(term_equal(o->group_leader, made));
    assert_true(term_equal(o->payload, list(am_init, NIL)));
    assert_true(term_equal(o->options, list(am_monitor, area_tuple2(process_area(p), am_priority, am_high))));
    assert_int_equal(alias_state(p, reference_key(reference)), ALIAS_CLOSED);
    answer(reference, SPAWNED_MONITORED, made);
    has_received(am_init, reference, am_ok, made);
    assert_int_equal(alias_state(p, reference_key(reference)), ALIAS_OPEN);
    demonitored(reference);
}

static void an_answer_ties_both(void **state) {
    Term reference = ask();
    answer(reference, SPAWNED_LINKED | SPAWNED_MONITORED, made);
    has_received(am_spawn_reply, reference, am_ok, made);
    assert_int_equal(p->links.count, 1);
    demonitored(reference);
    broken();
}

static void without_ties_nothing_stays(void **state) {
    Term reference = ask_with(NIL);
    unit_order(FAR_SPAWN, p->pid);
    answer(reference, 0, made);
    has_received(am_spawn_reply, reference, am_ok, made);
}

static void an_error_is_told(void **state) {
    Term reference = ask();
    answer(reference, 0, am_badopt);
    has_received(am_spawn_reply, reference, am_error, am_badopt);
}

static void who_wants_no_reply_gets_none(void **state) {
    Area *area = process_area(p);
    Term reference = ask_with(list(am_link, area_tuple2(area, am_reply, am_no)));
    assert_true(term_equal(unit_order(FAR_SPAWN, p->pid)->options, area_cons(area, am_link, NIL)));
    answer(reference, SPAWNED_LINKED, made);
    broken();
    reference = ask_with(list(am_monitor, area_tuple2(area, am_reply, am_success_only)));
    unit_order(FAR_SPAWN, p->pid);
    answer(reference, 0, am_system_limit);
}

static void where_no_way_leads_it_is_refused_at_once(void **state) {
    unit_far_reaches = false;
    Term reference = ask_with(list(am_link, am_monitor));
    assert_false(spawn_far_abandon(p, reference_key(reference)));
    signal_handle(p);
    has_received(am_spawn_reply, reference, am_error, am_noconnection);
}

static void a_monitor_is_none_before_the_answer(void **state) {
    Term reference = ask();
    uint64_t key = reference_key(reference);
    assert_false(monitor_remove(p, key));
    assert_false(alias_remove(p, key));
    signal_send_or_drop(p->pid, &monitor_down_from_far(key, NON_VALUE, made, am_normal)->signal);
    signal_handle(p);
    answer(reference, 0, am_noconnection);
    has_received(am_spawn_reply, reference, am_error, am_noconnection);
}

static void one_that_is_abandoned_is_undone(void **state) {
    Term reference = ask();
    uint64_t key = reference_key(reference);
    assert_true(spawn_far_abandon(p, key));
    assert_false(spawn_far_abandon(p, key));
    answer(reference, SPAWNED_LINKED | SPAWNED_MONITORED, made);
    const FarOrder *o = unit_order(FAR_EXIT_LINKED, p->pid);
    assert_true(term_equal(o->to, made));
    assert_int_equal(o->payload, am_abandoned);
    assert_int_equal(unit_order(FAR_DEMONITOR, p->pid)->id, key);
    assert_false(spawn_far_abandon(p, key));
    reference = ask();
    assert_true(spawn_far_abandon(p, reference_key(reference)));
    answer(reference, 0, am_noconnection);
}

static void an_answered_one_is_not_abandoned(void **state) {
    Term reference = ask();
    answer(reference, SPAWNED_LINKED, made);
    assert_false(spawn_far_abandon(p, reference_key(reference)));
    has_received(am_spawn_reply, reference, am_ok, made);
    broken();
}

static void end_with(Term reason) {
    process_set_exiting(p, reason);
    spawn_far_leave_orphans(p);
}

/* The answer is in its list when that is closed. */
static void who_ends_meanwhile_undoes_it(void **state) {
    Term reference = ask();
    end_with(am_killed);
    answer(reference, SPAWNED_LINKED | SPAWNED_MONITORED, made);
    signal_close(p);
    assert_int_equal(unit_order(FAR_EXIT_LINKED, p->pid)->payload, am_killed);
    assert_int_equal(unit_order(FAR_DEMONITOR, p->pid)->id, reference_key(reference));
}

static void who_has_ended_leaves_the_reason_behind(void **state) {
    Term reference = ask(), other = ask();
    Kept reason;
    assert_true(spawn_far_abandon(p, reference_key(other)));
    end_with(list(am_killed, am_init));
    signal_close(p);
    while (monitor_release_next(p)) {
    }
    assert_false(answered(reference, SPAWNED_LINKED, made, &reason));
    assert_true(term_equal(kept_term(&reason), list(am_killed, am_init)));
    kept_release(&reason);
    assert_false(answered(other, SPAWNED_LINKED, made, &reason));
    assert_int_equal(kept_term(&reason), am_abandoned);
    kept_release(&reason);
    assert_false(answered(reference, SPAWNED_LINKED, made, &reason));
    assert_int_equal(kept_term(&reason), am_noproc);
    kept_release(&reason);
}

static void options_are_decoded_up_to_a_bad_one(void **state) {
    Area *area = process_area(p);
    FarSpawnOptions o;
    Term bad = area_tuple2(area, am_monitor, am_init), tag = area_tuple2(area, am_reply_tag, am_init);
    assert_int_equal(spawn_far_options_decode(area, list(tag, bad), true, &o), SPAWN_OPTIONS_BAD);
    assert_int_equal(o.reply.tag, am_init);
    assert_int_equal(spawn_far_options_decode(area, list(bad, tag), true, &o), SPAWN_OPTIONS_BAD);
    assert_int_equal(o.reply.tag, am_spawn_reply);
    assert_int_equal(spawn_far_options_decode(area, list(tag, am_link), false, &o), SPAWN_OPTIONS_BAD);
    assert_int_equal(spawn_far_options_decode(area, area_cons(area, am_link, am_init), true, &o),
                     SPAWN_OPTIONS_NO_LIST);
    Term unknown = list(am_init, area_tuple2(area, am_tag, am_kill));
    assert_int_equal(spawn_far_options_decode(area, unknown, true, &o), SPAWN_OPTIONS_OK);
    assert_true(term_equal(o.wire, unknown));
}

/* --- Who makes it --- */

typedef struct {
    NativeWatch watch;
    Term reason;
} Watch;
static void went_down(NativeWatch *watch, Process *ending, Term pid, Term reason) { ((Watch *)watch)->reason = reason; }

static Term spawned_pid;
static uint32_t spawned_flags;
static void spawned(const FarSpawn *s, Term pid, uint32_t flags) {
    assert_null(process_find(pid));
    spawned_pid = pid;
    spawned_flags = flags;
}

/* For `made`, with a list of arguments that lies in a fragment. */
static Term spawn_from_far(Term options, Term arguments, Watch *watch) {
    FragmentArea data;
    fragment_area_init(&data, 16);
    FarSpawn s = {.parent = made,
                  .group_leader = unit_far_pid(8),
                  .module = am_erlang,
                  .function = am_apply,
                  .arguments = is_pointer(arguments) ? term_copy(arguments, &data.area) : arguments,
                  .options = options,
                  .token = NIL,
                  .key = 77,
                  .watch = &watch->watch,
                  .spawned = spawned};
    spawned_pid = NON_VALUE;
    spawned_flags = 0;
    return process_spawn_from_far(&s, fragment_area_finish(&data));
}

static void its_parent_is_far_away(void **state) {
    Watch w = {.watch.down = went_down};
    Term pid = spawn_from_far(list(am_link, am_monitor), list(am_init, am_tag), &w);
    assert_true(is_local_pid(pid));
    assert_int_equal(pid, spawned_pid);
    assert_int_equal(spawned_flags, SPAWNED_LINKED | SPAWNED_MONITORED);
    Process *child = process_find(pid);
    assert_ptr_equal(run_queue_take(run_queue_at(0)), child);
    assert_true(process_collect_saved(child, COLLECT_MAJOR));
    assert_true(term_equal(child->parent, made));
    assert_true(term_equal(child->group_leader, unit_far_pid(8)));
    assert_true(term_equal(child->saved[2], list(am_init, am_tag)));
    assert_int_equal(child->initial_arity, 2);
    assert_true(link_exit_next(child, am_killed));
    assert_true(term_equal(unit_order(FAR_EXIT_LINKED, pid)->to, made));
    assert_true(watcher_down_next(child, am_killed));
    assert_int_equal(w.reason, am_killed);
    unit_process_end(child);
}

static void what_cannot_be_made_is_said(void **state) {
    Watch w = {.watch.down = went_down};
    assert_int_equal(spawn_from_far(list(am_link, am_init), NIL, &w), am_badopt);
    assert_int_equal(spawn_from_far(am_link, NIL, &w), am_badopt);
    assert_int_equal(spawn_from_far(NIL, am_init, &w), am_badarg);
    assert_int_equal(spawned_pid, NON_VALUE);
}

#define asked(name) cmocka_unit_test_setup_teardown(name, begin, end)

static int begin_all(void **state) {
    unit_processes_init();
    export_table_init();
    reference_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        asked(a_request_is_told),
        asked(an_answer_ties_both),
        asked(without_ties_nothing_stays),
        asked(an_error_is_told),
        asked(who_wants_no_reply_gets_none),
        asked(where_no_way_leads_it_is_refused_at_once),
        asked(a_monitor_is_none_before_the_answer),
        asked(one_that_is_abandoned_is_undone),
        asked(an_answered_one_is_not_abandoned),
        asked(who_ends_meanwhile_undoes_it),
        asked(who_has_ended_leaves_the_reason_behind),
        asked(options_are_decoded_up_to_a_bad_one),
        asked(its_parent_is_far_away),
        asked(what_cannot_be_made_is_said),
    };
    return cmocka_run_group_tests(tests, begin_all, NULL);
}

#include "distribution/end.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "distribution/deliver.h"
#include "distribution/node_watch.h"
#include "distribution/output.h"
#include "distribution/watch.h"
#include "process/process_table.h"
#include "process/signal_handle.h"
#include "process/spawn_far.h"
#include "term/atom.h"

#define COST_OF_SIGNAL 10

static bool is_put_off(const Channel *c) { return channel_has_status(c, CHANNEL_UP) && !c->is_told_up; }

static void begin_to_tell(Channel *c) {
    node_watch_begin_down(c);
    channel_goes_on(c);
}

void end_begin(Channel *c, ChannelEnd *end) {
    c->is_ending = true;
    c->reason = end->reason;
    mem_free(ALLOC_SIGNAL, end);
    output_drop(c);
    if (!is_put_off(c))
        begin_to_tell(c);
}

void end_may_be_told(Channel *c) {
    c->is_told_up = true;
    if (c->is_ending)
        begin_to_tell(c);
}

static void tell_link(Channel *c, LinkTie *tie) {
    Term pid;
    Far *far;
    tie_link_take(&c->ties, tie, &pid, &far);
    FragmentArea fa;
    fragment_area_init(&fa, FAR_TERM_WORDS);
    Delivery d = {
        .kind = SIGNAL_EXIT_LINKED, .to = pid, .token = NIL, .object = far_term(&fa.area, far), .node = NON_VALUE};
    d.key = c->number;
    deliver_term(&d, am_noconnection);
    fragment_area_drop(&fa);
    far_release(far);
}

static void tell_down(Channel *c, const MonitorTie *tie) {
    FragmentArea fa;
    fragment_area_init(&fa, FAR_TERM_WORDS);
    Delivery d = {
        .kind = SIGNAL_DOWN, .to = tie->from, .token = TOKEN_OF_RUNTIME, .key = tie->tie.node.key, .node = NON_VALUE};
    d.is_alias_reference = tie->is_alias_reference;
    d.object =
        is_value(tie->name) ? area_tuple2(&fa.area, tie->name, channel_node(c)) : actor_key_term(&fa.area, tie->far);
    deliver_term(&d, am_noconnection);
    fragment_area_drop(&fa);
}

/* Who has ended wants to hear nothing. */
static void tell_no_spawn(const MonitorTie *tie) {
    Kept reason = KEPT_NONE;
    if (!spawn_reply_from_far(tie->from, tie->tie.node.key, 0, am_noconnection, NIL, &reason))
        kept_release(&reason);
}

static void tell_monitor(Channel *c, const MonitorTie *tie) {
    if (tie->tie.kind == TIE_SPAWN)
        tell_no_spawn(tie);
    else
        tell_down(c, tie);
    tie_monitor_drop(&c->ties, tie->tie.node.key);
}

static void tell_watcher(Channel *c, const Tie *tie) {
    Term pid = tie->node.key;
    tie_node_gone(&c->ties, pid);
    node_watch_tell_watcher(c, pid);
}

static bool tell_tie(Channel *c) {
    Tie *tie = ties_first(&c->ties);
    if (tie == NULL)
        return false;
    switch ((TieKind)tie->kind) {
    case TIE_LINK: tell_link(c, (LinkTie *)tie); break;
    case TIE_NODE: tell_watcher(c, tie); break;
    default: tell_monitor(c, (MonitorTie *)tie);
    }
    return true;
}

static bool tell_next(Channel *c) { return tell_tie(c) || node_watch_tell_down(c) || watch_end_next(c); }

static void leave_ending(Channel *c) {
    ChannelWaiting *waiting = NULL;
    entries_lock();
    if (--c->entry->ending == 0) {
        waiting = c->entry->waiting;
        c->entry->waiting = NULL;
    }
    entries_unlock();
    channel_wake(waiting);
}

/* What came while it told the others notes its ties, too (distribution/body.c). */
static void close_list(Channel *c) {
    Signal *left = signal_list_close(&c->actor);
    while (left != NULL) {
        Signal *next = left->next;
        c->actor.body->handle(&c->actor, left);
        left = next;
    }
    while (tell_next(c)) {
    }
}

ActorNext end_run(Channel *c) {
    if (is_put_off(c))
        return ACTOR_WAITS;
    while (c->actor.reductions > 0) {
        c->actor.reductions -= COST_OF_SIGNAL;
        if (tell_next(c))
            continue;
        race_window("a channel has told all, and is still told");
        atomic_fetch_or(&c->actor.state, STATE_FREE);
        close_list(c);
        leave_ending(c);
        fragments_release(&c->fragments);
        channel_drop_handle(c);
        channel_release(c);
        return ACTOR_IS_GONE;
    }
    return ACTOR_GOES_ON;
}

#include "distribution/watch.h"

#include "alloc/alloc.h"
#include "distribution/lose.h"

static void release(WatchTie *tie) {
    if (atomic_fetch_sub_explicit(&tie->holders, 1, memory_order_acq_rel) != 1)
        return;
    far_release(tie->from);
    channel_release(tie->channel);
    mem_free(ALLOC_LINK, tie);
}

static Term reference_of(Area *area, const WatchTie *tie) {
    const Node *node = tie->from->node;
    return ident_ref(area, node->name, node->creation, tie->numbers, tie->count);
}

/* Behind all that the process has sent there before. */
static void down(NativeWatch *watch, Process *ending, Term pid, Term reason) {
    WatchTie *tie = (WatchTie *)watch;
    Order *o = order_create(CHANNEL_ORDER, pid);
    FragmentArea fa;
    fragment_area_init(&fa, IDENT_MAX_WORDS + FAR_TERM_WORDS);
    o->ends_watch = true;
    o->id = tie->node.key;
    o->control.op = CONTROL_PAYLOAD_MONITOR_P_EXIT;
    o->control.from = is_value(tie->name) ? tie->name : pid;
    o->control.to = far_term(&fa.area, tie->from);
    o->control.ref = reference_of(&fa.area, tie);
    Term *const places[] = {&o->control.to, &o->control.ref};
    order_keep_terms(o, places, array_length(places));
    bool is_written = order_set_payload(o, reason, channel_can(tie->channel, CAN_DIST_HDR_ATOM_CACHE));
    fragment_area_drop(&fa);
    if (ending != NULL && is_written)
        channel_let_end_later(tie->channel, o, ending);
    if (unlikely(!is_written))
        channel_abandon(tie->channel);
    if (!is_written || !channel_tell_order(tie->channel, o))
        order_free(o);
    release(tie);
}

static Term reference_shown(const NativeWatch *watch, Area *area) {
    return reference_of(area, (const WatchTie *)watch);
}

static void drop(NativeWatch *watch) { release((WatchTie *)watch); }

static Term origin(const NativeWatch *watch, Area *area) { return far_term(area, ((const WatchTie *)watch)->from); }

static const NativeWatch functions = {.down = down, .drop = drop, .origin = origin, .reference = reference_shown};

static WatchTie *create(Channel *c, Term external_pid, Term reference, Term pid, Term name) {
    channel_hold(c);
    return tie_watch(&c->ties, c, external_pid, reference, pid, name, &functions);
}

/* Nobody has it but the channel. */
static void take_back(Channel *c, uint64_t key) {
    WatchTie *tie = tie_watch_take_key(&c->ties, key);
    require(tie != NULL);
    release(tie);
    release(tie);
}

bool watch_begin(Channel *c, Term external_pid, Term reference, Term pid, Term name) {
    WatchTie *tie = create(c, external_pid, reference, pid, name);
    bool is_there = monitor_native(pid, tie->node.key, &tie->watch);
    if (!is_there)
        take_back(c, tie->node.key);
    return is_there;
}

NativeWatch *watch_spawned(Channel *c, Term external_pid, Term reference, uint64_t *key) {
    WatchTie *tie = create(c, external_pid, reference, NON_VALUE, NON_VALUE);
    *key = tie->node.key;
    return &tie->watch;
}

void watch_was_told(Channel *c, uint64_t key) {
    WatchTie *tie = tie_watch_take_key(&c->ties, key);
    if (tie != NULL)
        release(tie);
}

void watch_spawned_is(NativeWatch *watch, Term pid) { ((WatchTie *)watch)->pid = pid; }
void watch_spawned_not(Channel *c, uint64_t key) { take_back(c, key); }

/* The process knows it still, and gives it up when it hears so. */
static void end(WatchTie *tie) {
    demonitor_native(tie->pid, tie->node.key);
    release(tie);
}

void watch_end(Channel *c, Term reference) {
    WatchTie *tie = tie_watch_take(&c->ties, reference);
    if (tie != NULL)
        end(tie);
}

bool watch_end_next(Channel *c) {
    WatchTie *tie = tie_watch_take_any(&c->ties);
    if (tie != NULL)
        end(tie);
    return tie != NULL;
}

#include "distribution/input_spawn.h"

#include "distribution/lose.h"
#include "distribution/output.h"
#include "distribution/watch.h"
#include "process/reference.h"
#include "process/seq_trace.h"
#include "process/spawn_far.h"
#include "process/spawn_token.h"
#include "term/atom.h"

typedef struct {
    FarSpawn spawn; /* must be first */
    Channel *channel;
    const Control *request;
} Spawning;

static Term answer_token(const Spawning *s, Term result, Area *area) {
    const Control *m = s->request;
    SpawnAsked asked = {.parent = m->from,
                        .group_leader = m->group_leader,
                        .module = m->module,
                        .function = m->function,
                        .arity = small_make(m->arity),
                        .options = m->options,
                        .reference = m->ref,
                        .arguments = s->spawn.arguments,
                        .token = m->token};
    return spawn_token_asked_from_far(&asked, result, area);
}

static void reply(const Spawning *s, Term result, uint32_t flags) {
    const Control *request = s->request;
    Order *o = order_create(CHANNEL_ORDER, NON_VALUE);
    bool has_token = is_value(request->token);
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    o->control.op = has_token ? CONTROL_SPAWN_REPLY_TT : CONTROL_SPAWN_REPLY;
    o->control.ref = request->ref;
    o->control.to = request->from;
    o->control.token = has_token ? answer_token(s, result, &fa.area) : NON_VALUE;
    o->control.result = result;
    o->control.flags = flags;
    Term *const places[] = {&o->control.ref, &o->control.to, &o->control.token};
    order_keep_terms(o, places, array_length(places));
    fragment_area_drop(&fa);
    output_answer(s->channel, o, NON_VALUE);
}

/* Nobody has seen the process yet: the answer is the first that is told of it. */
static void spawned(const FarSpawn *s, Term pid, uint32_t flags) {
    const Spawning *spawning = (const Spawning *)s;
    Channel *c = spawning->channel;
    if (flags & SPAWNED_LINKED)
        tie_linked_to(&c->ties, pid, s->parent);
    if (flags & SPAWNED_MONITORED)
        watch_spawned_is(s->watch, pid);
    reply(spawning, pid, flags);
}

/* With options of its own or without, as process/spawn_options.h takes both. */
static bool is_monitor(Term option) {
    return option == am_monitor || (is_tuple_arity(option, 2) && tuple_elements(option)[0] == am_monitor);
}

static bool asks_for_monitor(Term options) {
    for (; is_list(options); options = list_tail(options))
        if (is_monitor(list_head(options)))
            return true;
    return false;
}

static Term token_of(const Control *m, Area *area) {
    return is_value(m->token) ? seq_trace_token_with_epoch(m->token, area) : NIL;
}

static void spawn(Spawning *s, Area *area, Term arguments, Fragment *data) {
    const Control *m = s->request;
    bool monitors = asks_for_monitor(m->options);
    s->spawn = (FarSpawn){.parent = m->from,
                          .group_leader = m->group_leader,
                          .module = m->module,
                          .function = m->function,
                          .arguments = arguments,
                          .options = m->options,
                          .token = token_of(m, area),
                          .spawned = spawned};
    if (monitors)
        s->spawn.watch = watch_spawned(s->channel, m->from, m->ref, &s->spawn.key);
    Term result = process_spawn_from_far(&s->spawn, data);
    if (is_pid(result))
        return;
    if (monitors)
        watch_spawned_not(s->channel, s->spawn.key);
    reply(s, result, 0);
}

static bool has_length(Term list, uint32_t length) {
    for (; is_list(list) && length > 0; length--)
        list = list_tail(list);
    return is_nil(list) && length == 0;
}

bool input_spawn_request(Channel *c, const Control *m, Area *area, const Encoded *arguments) {
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    Term list = encoded_read(arguments, &fa, NULL);
    if (!is_value(list) || !has_length(list, m->arity)) {
        fragment_area_drop(&fa);
        return false;
    }
    Spawning s = {.channel = c, .request = m};
    spawn(&s, area, list, fragment_area_finish(&fa));
    return true;
}

/* What it ended with may be too large for the external format: as in distribution/watch.c. */
static void tell_end(Channel *c, Order *o, Term reason) {
    if (order_set_payload(o, reason, channel_can(c, CAN_DIST_HDR_ATOM_CACHE))) {
        output_answer(c, o, NON_VALUE);
        return;
    }
    channel_abandon(c);
    order_free(o);
}

/* Who has asked has ended: the other side's ends of what it has set up go, too. */
static void undo(Channel *c, const Control *m, Kept *reason) {
    if (m->flags & SPAWNED_LINKED) {
        tie_link_gone(&c->ties, m->to, m->result);
        Order *o = order_create(CHANNEL_ORDER, NON_VALUE);
        o->control.op = CONTROL_PAYLOAD_EXIT;
        o->control.from = m->to;
        o->control.to = m->result;
        Term *const places[] = {&o->control.to};
        order_keep_terms(o, places, array_length(places));
        tell_end(c, o, is_value(kept_term(reason)) ? kept_term(reason) : am_noproc);
    }
    if (m->flags & SPAWNED_MONITORED) {
        tie_monitor_drop(&c->ties, reference_key(m->ref));
        Order *o = order_create(CHANNEL_ORDER, NON_VALUE);
        o->control.op = CONTROL_DEMONITOR_P;
        o->control.from = m->to;
        o->control.to = m->result;
        o->control.ref = m->ref;
        Term *const places[] = {&o->control.to, &o->control.ref};
        order_keep_terms(o, places, array_length(places));
        output_answer(c, o, NON_VALUE);
    }
}

static void note_ties(Channel *c, const Control *m, MonitorTie *request) {
    bool is_spawned = is_pid(m->result);
    if (is_spawned && (m->flags & SPAWNED_LINKED))
        tie_linked_to(&c->ties, m->to, m->result);
    if (is_spawned && (m->flags & SPAWNED_MONITORED))
        tie_spawned(request, m->result);
    else
        tie_monitor_drop(&c->ties, request->tie.node.key);
}

/* An answer to no request of that process is none. */
void input_spawn_reply(Channel *c, const Control *m, Area *area) {
    MonitorTie *request =
        is_local_ref(m->ref) ? tie_monitor_find(&c->ties, TIE_SPAWN, reference_key(m->ref), m->to) : NULL;
    if (request == NULL)
        return;
    uint64_t key = request->tie.node.key;
    Kept reason = KEPT_NONE;
    Term token = token_of(m, area);
    note_ties(c, m, request);
    if (!spawn_reply_from_far(m->to, key, m->flags, m->result, token, &reason) && is_pid(m->result))
        undo(c, m, &reason);
    kept_release(&reason);
}

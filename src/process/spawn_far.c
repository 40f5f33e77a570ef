#include "process/spawn_far.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "code/breakpoint.h"
#include "code/export.h"
#include "code/function_header.h"
#include "heap/copy.h"
#include "process/link.h"
#include "process/reference.h"
#include "process/seq_trace.h"
#include "process/signal_handle.h"
#include "process/spawn_token.h"
#include "process/trace_point.h"
#include "sys/release.h"
#include "term/atom.h"

/* --- Options --- */

/* `option` becomes what the other node is told of it; NON_VALUE: nothing. */
static bool pair_decode(FarSpawnOptions *o, bool takes_reply, Term *option) {
    Term key = tuple_elements(*option)[0], value = tuple_elements(*option)[1];
    if (key == am_monitor) {
        o->monitor = true;
        *option = am_monitor;
        return monitor_options_decode(value, am_DOWN, &o->monitor_options);
    }
    if (key == am_link && release_has(RELEASE_PRIORITY_MESSAGES)) {
        o->link = true;
        *option = am_link;
        return priority_option_decode(value, &o->link_is_priority);
    }
    if (key != am_reply && key != am_reply_tag)
        return true;
    *option = NON_VALUE;
    return takes_reply && spawn_reply_decode(key, value, &o->reply);
}

static bool option_decode(FarSpawnOptions *o, bool takes_reply, Term *option) {
    if (is_tuple_arity(*option, 2))
        return pair_decode(o, takes_reply, option);
    o->link |= *option == am_link;
    o->monitor |= *option == am_monitor;
    return true;
}

static bool is_proper(Term list) {
    while (is_list(list))
        list = list_tail(list);
    return is_nil(list);
}

SpawnOptionsResult spawn_far_options_decode(Area *area, Term list, bool takes_reply, FarSpawnOptions *o) {
    *o = (FarSpawnOptions){.monitor_options = MONITOR_DEFAULTS, .reply = {am_spawn_reply, true, true}, .wire = NIL};
    if (!is_proper(list))
        return SPAWN_OPTIONS_NO_LIST;
    Term *last = &o->wire;
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (!option_decode(o, takes_reply, &option))
            return SPAWN_OPTIONS_BAD;
        if (!is_value(option))
            continue;
        *last = area_cons(area, option, NIL);
        last = &list_ptr(*last)[1];
    }
    return SPAWN_OPTIONS_OK;
}

/* --- Replies --- */

typedef struct {
    uint64_t key;
    uint32_t flags;
    Term result, token;
} Answer;

/* {Tag, Reference, ok | error, Result} */
static Message *create_reply_in(const CopyPhase *phase, const Answer *a, Term tag, Term alias_pid) {
    Area area;
    size_t words = 5 + PID_REF_WORDS + term_flat_size_in(tag, phase) + term_flat_size_in(a->result, phase) +
                   term_flat_size_in(a->token, phase);
    Fragment *f = message_area_begin(&area, words);
    tag = term_copy_in(tag, &area, phase);
    Term reference = monitor_reference(&area, a->key, alias_pid), result = term_copy_in(a->result, &area, phase);
    Term tuple = area_tuple4(&area, tag, reference, is_pid(result) ? am_ok : am_error, result);
    Term token = term_copy_in(a->token, &area, phase);
    message_area_end(&area, f);
    Message *m = message_create_with(tuple, f, is_pid(result) ? result : NON_VALUE);
    m->token = token;
    return m;
}

/* NULL: nobody wants one. */
static Message *create_reply(const Process *p, const Monitor *m, const Answer *a) {
    const SpawnRequest *r = m->request;
    Term alias_pid = m->is_alias_reference ? p->pid : NON_VALUE, tag = kept_term(&r->tag);
    if (!(is_pid(a->result) ? r->tells_success : r->tells_error))
        return NULL;
    return made_in_phase(phase, create_reply_in(&phase, a, tag, alias_pid), message_free);
}

/* --- Who asks --- */

static bool tell(Process *p, const Monitor *m, Term reference, FarOrder *order) {
    order->kind = FAR_SPAWN;
    order->from = p->pid;
    order->to = NON_VALUE;
    order->id = m->node.key;
    order->is_alias_reference = m->is_alias_reference;
    order->group_leader = p->group_leader;
    order->token = is_nil(seq_trace_token(p)) ? NIL : spawn_token_ask_far(p, order, reference);
    return far_order(order);
}

static Term arity_of(Term arguments) {
    SWord arity = 0;
    for (; is_list(arguments); arguments = list_tail(arguments))
        arity++;
    return small_make(arity);
}

static void refuse_at_once(Process *p, Monitor *m) {
    Answer a = {m->node.key, 0, am_noconnection, TOKEN_OF_RUNTIME};
    Message *reply = create_reply(p, m, &a);
    monitor_request_end(p, m, NON_VALUE);
    if (reply != NULL)
        signal_send_or_drop(p->pid, &reply->signal);
}

Term spawn_far_request(Process *p, Term node, Term module, Term function, Term arguments, const FarSpawnOptions *o) {
    SpawnRequest request = {.link = o->link,
                            .link_is_priority = o->link_is_priority,
                            .monitor = o->monitor,
                            .tells_success = o->reply.on_success,
                            .tells_error = o->reply.on_error,
                            .tag = kept_make(o->reply.tag)};
    Monitor *m = monitor_request(p, &request, &o->monitor_options);
    uint64_t key = m->node.key;
    Term reference = monitor_reference(process_area(p), key, m->is_alias_reference ? p->pid : NON_VALUE);
    FarOrder order = {.node = node, .module = module, .function = function, .arity = arity_of(arguments)};
    order.payload = arguments;
    order.options = o->wire;
    race_window("a request to spawn is kept, and not yet told");
    if (!tell(p, m, reference, &order))
        refuse_at_once(p, m);
    return reference;
}

bool spawn_far_abandon(Process *p, uint64_t key) {
    Monitor *m = monitor_request_find(p, key);
    if (m == NULL || m->request->is_abandoned)
        return false;
    return m->request->is_abandoned = true;
}

/* --- Orphans: of requests whose process has ended --- */

typedef struct {
    KeyNode node; /* the request's key */
    Kept reason;
} Orphan;

static KeyTable orphans;
static Mutex orphans_lock = MUTEX_INITIALIZER(LOCK_SPAWN_ORPHANS);

static void leave_orphan(KeyNode *node, void *data) {
    const Monitor *m = (const Monitor *)node;
    const Process *p = data;
    if (m->type != MONITOR_SPAWN || !m->request->link)
        return;
    Orphan *orphan = mem_alloc(ALLOC_LINK, sizeof *orphan);
    orphan->node.key = m->node.key;
    orphan->reason = kept_make(m->request->is_abandoned ? am_abandoned : p->exit_reason);
    mutex_lock(&orphans_lock);
    key_table_add(&orphans, &orphan->node);
    mutex_unlock(&orphans_lock);
}

void spawn_far_leave_orphans(Process *p) {
    if (p->monitors.count > 0)
        key_table_each(&p->monitors, leave_orphan, p);
}

/* What the new process is to hear. */
static Kept orphan_take(uint64_t key) {
    mutex_lock(&orphans_lock);
    Orphan *orphan = (Orphan *)key_table_remove(&orphans, key);
    mutex_unlock(&orphans_lock);
    Kept reason = orphan != NULL ? orphan->reason : kept_make(am_noproc);
    mem_free(ALLOC_LINK, orphan);
    return reason;
}

/* --- Answers --- */

typedef struct {
    CallSignal call;
    uint64_t key;
    uint32_t flags;
    Kept result, token;
} AnswerSignal;

/* By who does not want it any more. */
static void undo(const Process *p, const Answer *a, bool is_alias_reference, Term reason) {
    FarOrder o = {.from = p->pid, .to = a->result, .node = NON_VALUE, .token = NIL, .payload = reason};
    if (a->flags & SPAWNED_LINKED) {
        o.kind = FAR_EXIT_LINKED;
        far_order(&o);
    }
    if (a->flags & SPAWNED_MONITORED) {
        o.kind = FAR_DEMONITOR;
        o.id = a->key;
        o.is_alias_reference = is_alias_reference;
        o.payload = NIL;
        far_order(&o);
    }
}

/* A peer that means no good says so of one that it has made long before. */
static void add_link(Process *p, Term pid, bool is_priority) {
    uint64_t actor = actor_key(pid);
    if (likely(key_table_find(&p->links, actor) == NULL))
        link_add(p, actor, is_priority);
    else
        actor_key_release(actor);
}

/* Its own sides come first: whoever receives the message may use them. */
static void accept(Process *p, const Answer *a, Monitor *m) {
    Message *reply = create_reply(p, m, a);
    bool is_made = is_pid(a->result);
    if (is_made && (a->flags & SPAWNED_LINKED)) {
        add_link(p, a->result, m->request->link_is_priority);
        trace_event(p, TRACE_PROCS, EVENT_LINK, a->result, NON_VALUE);
    }
    monitor_request_end(p, m, is_made && (a->flags & SPAWNED_MONITORED) ? a->result : NON_VALUE);
    if (reply != NULL)
        signal_append_own(p, reply);
}

/* One that ends does what it would have done a moment later, had it been linked. */
static void refuse(Process *p, const Answer *a, Monitor *m) {
    Kept reason = process_is_exiting(p) ? orphan_take(a->key) : kept_make(am_abandoned);
    undo(p, a, m != NULL && m->is_alias_reference, kept_term(&reason));
    kept_release(&reason);
    if (m != NULL)
        monitor_request_end(p, m, NON_VALUE);
}

static void answer_free(AnswerSignal *s) {
    kept_release(&s->result);
    kept_release(&s->token);
    mem_free(ALLOC_SIGNAL, s);
}

static void take_answer(Process *p, CallSignal *call) {
    AnswerSignal *s = container_of(call, AnswerSignal, call);
    Answer a = {s->key, s->flags, kept_term(&s->result), kept_term(&s->token)};
    Monitor *m = monitor_request_find(p, a.key);
    if (m != NULL && !m->request->is_abandoned && !process_is_exiting(p))
        accept(p, &a, m);
    else
        refuse(p, &a, m);
    answer_free(s);
}

bool spawn_reply_from_far(Term to, uint64_t key, uint32_t flags, Term result, Term token, Kept *reason) {
    AnswerSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    *s = (AnswerSignal){.key = key, .flags = flags, .result = kept_make(result), .token = kept_make(token)};
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_answer;
    if (signal_send(to, &s->call.signal))
        return true;
    answer_free(s);
    *reason = orphan_take(key);
    return false;
}

/* --- Who makes it --- */

typedef struct {
    const FarSpawn *asked;
    const SpawnOptions *options;
} Furnishing;

/* On the stock runtime it begins in a function of its own, and has its arguments by a message. Here it does so when
 * calls of that function are traced (observer's ttb does), and is shown as if it did when the process is. */
static bool is_start_traced(void) {
    const Export *e = export_find(am_erts_internal, am_dist_spawn_init, 1);
    unsigned generation = code_active();
    if (e == NULL || e->bif != NULL || !export_is_defined(e))
        return false;
    return export_is_traced(e, generation) || breakpoint_at(function_of_entry(export_target(e, generation))) != NULL;
}

static void start_as_stock(Process *p, const FarSpawn *s) {
    Area *area = process_area(p);
    Term function = area_tuple3(area, p->saved[0], p->saved[1], small_make((SWord)p->initial_arity));
    Message *m = message_create_own(p, s->arguments);
    m->token = TOKEN_OF_RUNTIME;
    p->saved[0] = am_erts_internal;
    p->saved[1] = am_dist_spawn_init;
    p->saved[2] = area_cons(area, function, NIL);
    signal_append_own(p, m);
}

static void trace_spawned_from_far(Process *p, const FarSpawn *s, bool is_linked, bool is_told) {
    Area *area = process_area(p);
    Term function = area_tuple3(area, p->saved[0], p->saved[1], small_make((SWord)p->initial_arity));
    Term start = area_tuple3(area, am_erts_internal, am_dist_spawn_init, area_cons(area, function, NIL));
    trace_event(p, TRACE_PROCS, EVENT_SPAWNED, p->parent, start);
    if (is_linked)
        trace_event(p, TRACE_PROCS, EVENT_GETTING_LINKED, p->parent, NON_VALUE);
    if (!is_told)
        trace_event(p, TRACE_RECEIVE, EVENT_RECEIVE, s->arguments, p->parent);
}

static void furnish(Process *p, void *data) {
    const Furnishing *f = data;
    const FarSpawn *s = f->asked;
    Area *area = process_area(p);
    p->parent = term_copy(s->parent, area);
    p->group_leader = is_pointer(s->group_leader) ? term_copy(s->group_leader, area) : s->group_leader;
    if (!is_nil(s->token))
        seq_trace_begin(p, s->token);
    if (f->options->link)
        link_add(p, actor_key(s->parent), false);
    if (f->options->monitor)
        monitor_spawned_native(p, s->key, s->watch);
    process_set_arguments(p, s->arguments);
    bool starts_as_stock = is_start_traced();
    if (unlikely(p->trace_flags))
        trace_spawned_from_far(p, s, f->options->link, starts_as_stock);
    if (unlikely(starts_as_stock))
        start_as_stock(p, s);
    uint32_t flags = (f->options->link ? SPAWNED_LINKED : 0) | (f->options->monitor ? SPAWNED_MONITORED : 0);
    s->spawned(s, p->pid, flags);
}

Term process_spawn_from_far(const FarSpawn *s, Fragment *data) {
    SpawnOptions o;
    SpawnOptionsResult decoded = spawn_options_decode(s->options, &o, NULL);
    Furnishing f = {s, &o};
    if (is_proper(s->arguments) && decoded == SPAWN_OPTIONS_OK) {
        Term pid = process_spawn_furnished(s->module, s->function, &o, data, furnish, &f);
        return is_value(pid) ? pid : am_system_limit;
    }
    fragments_free(data);
    return decoded != SPAWN_OPTIONS_OK ? am_badopt : am_badarg;
}

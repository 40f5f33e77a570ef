#include "process/monitor.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/rest.h"
#include "process/time_offset.h"
#include "term/atom.h"
#include "term/node.h"

/*
 * The one who monitors keeps a Monitor, the one who is watched a Watcher; each learns by signals only what the other
 * has done, and the reference's number, which is never used again, says what belongs together. So neither side waits:
 *
 *   - a DOWN that finds no Monitor of its number came too late, demonitor/1 was before it: it is dropped
 *     (monitor_down), and no message of a monitor that was removed is ever seen;
 *   - a demonitor that finds no Watcher came after the DOWN was sent: there is nothing left to do;
 *   - both are done in the other's place where that rests (process/rest.h): so a server is not woken to be told that
 *     somebody who called it waits no more;
 *   - a monitor that comes to a process which is no more is answered by the one who closes its signals, with noproc
 *     (monitor_refuse): the answer exists once, whoever finds out.
 *
 * What the DOWN message needs is copied when it is made, by the one who ends, for nothing of that process will be there
 * when the other looks; but the tag is his who monitors, and is put in when the signal is handled.
 */

Term monitor_reference(Area *area, uint64_t key, Term alias_pid) {
    return is_value(alias_pid) ? reference_alias(area, key, alias_pid) : reference_of_key(area, key);
}

/* {'DOWN', Ref, Type, Object, Reason} */
static Message *down_create_in(const CopyPhase *phase, uint64_t key, Term alias_pid, Term type, Term object,
                               Term reason) {
    Area area;
    size_t words = 6 + PID_REF_WORDS + term_flat_size_in(object, phase) + term_flat_size_in(reason, phase);
    Fragment *f = message_area_begin(&area, words);
    Term *e = area_alloc(&area, 6);
    e[0] = header_make(KIND_TUPLE, 5);
    e[1] = am_DOWN;
    e[2] = monitor_reference(&area, key, alias_pid);
    e[3] = type;
    e[4] = term_copy_in(object, &area, phase);
    e[5] = term_copy_in(reason, &area, phase);
    message_area_end(&area, f);
    Message *m = message_create_with(boxed_make(e), f, reason == am_noproc || !is_pid(object) ? NON_VALUE : e[4]);
    m->signal.kind = SIGNAL_DOWN;
    m->token = TOKEN_OF_RUNTIME;
    m->key = key;
    return m;
}

static Message *down_create(uint64_t key, Term alias_pid, Term type, Term object, Term reason) {
    return made_in_phase(phase, down_create_in(&phase, key, alias_pid, type, object, reason), message_free);
}

/* `pid` as it was named, maybe by a name. */
typedef struct {
    _Alignas(16) Term words[3];
} ObjectRoom;
static Term named(ObjectRoom *room, Term pid, Term name, Term node) {
    Area area = {.top = room->words, .limit = room->words + array_length(room->words)};
    return is_value(name) ? area_tuple2(&area, name, node) : pid;
}

Message *monitor_down_from_far(uint64_t key, Term alias_pid, Term object, Term reason) {
    return down_create(key, alias_pid, am_process, object, reason);
}

static Monitor *monitor_add(Process *p, MonitorType type, Term target, Term name, const MonitorOptions *o) {
    Monitor *m = mem_alloc(ALLOC_LINK, sizeof *m);
    m->node.key = reference_next();
    m->type = type;
    m->alias = o->alias;
    m->target = target;
    m->name = name;
    long_work_open();
    m->tag = kept_make(o->tag);
    long_work_close();
    m->is_alias_reference = o->alias != ALIAS_NONE;
    m->down_is_priority = o->down_is_priority;
    m->alias_takes_priority = o->alias_takes_priority;
    key_table_add(&p->monitors, &m->node);
    return m;
}

static Term alias_pid_of(const Process *p, const Monitor *m) { return m->is_alias_reference ? p->pid : NON_VALUE; }

static Term reference_of(Process *p, const Monitor *m) {
    return monitor_reference(process_area(p), m->node.key, alias_pid_of(p, m));
}

/* What it watches is not known any more. */
static void let_go(Monitor *m) {
    if (m->type == MONITOR_FAR) {
        actor_key_release(m->target);
    } else if (m->type == MONITOR_SPAWN) {
        kept_release(&m->request->tag);
        mem_free(ALLOC_LINK, m->request);
    }
    m->type = MONITOR_NONE;
    m->target = NON_VALUE;
}

static void monitor_free(Monitor *m) {
    let_go(m);
    kept_release(&m->tag);
    mem_free(ALLOC_LINK, m);
}

/* It monitors no more; it goes unless it is an alias that outlives the monitor. */
static void monitor_ended(Process *p, Monitor *m) {
    let_go(m);
    if (m->alias == ALIAS_EXPLICIT_UNALIAS)
        return;
    key_table_remove(&p->monitors, m->node.key);
    monitor_free(m);
}

static void down_to_self(Process *p, const Monitor *m, Term type, Term object, Term reason) {
    signal_send_or_drop(p->pid, &down_create(m->node.key, alias_pid_of(p, m), type, object, reason)->signal);
}

static MonitorSignal *monitor_signal(SignalKind kind, const Process *p, const Monitor *m) {
    MonitorSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->signal, kind);
    s->key = m->node.key;
    s->origin = p->pid;
    s->name = m->name;
    s->is_alias_reference = m->is_alias_reference;
    s->native = NULL;
    return s;
}

static MonitorSignal *native_signal(SignalKind kind, uint64_t key, NativeWatch *watch) {
    MonitorSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->signal, kind);
    s->key = key;
    s->origin = s->name = NON_VALUE;
    s->is_alias_reference = false;
    s->native = watch;
    return s;
}

bool monitor_native(Term pid, uint64_t key, NativeWatch *watch) {
    MonitorSignal *s = native_signal(SIGNAL_MONITOR, key, watch);
    if (signal_send(pid, &s->signal))
        return true;
    signal_free(&s->signal);
    return false;
}

void demonitor_native(Term pid, uint64_t key) {
    signal_send_or_drop(pid, &native_signal(SIGNAL_DEMONITOR, key, NULL)->signal);
}

static void watcher_add(Process *p, const Watcher *from) {
    Watcher *w = mem_alloc(ALLOC_LINK, sizeof *w);
    *w = *from;
    key_table_add(&p->watchers, &w->node);
    if (w->native != NULL && w->native->is_first)
        p->flags |= FLAG_WATCHED_FIRST;
}

static void watcher_remove(Process *p, uint64_t key) {
    Watcher *w = (Watcher *)key_table_remove(&p->watchers, key);
    if (w != NULL && w->native != NULL)
        w->native->drop(w->native);
    mem_free(ALLOC_LINK, w);
}

static void add_at_rest(Process *p, const void *watcher) { watcher_add(p, watcher); }
static void remove_at_rest(Process *p, const void *key) { watcher_remove(p, *(const uint64_t *)key); }

/* In place of a signal to a process that rests; what it does is by p, which is no native watch. */
static bool is_done_at_rest(SignalKind kind, const Process *p, const Monitor *m) {
    Process *target = m->type == MONITOR_PROCESS ? process_find(m->target) : NULL;
    if (target == NULL)
        return false;
    if (kind == SIGNAL_DEMONITOR)
        return rest_do(target, remove_at_rest, &m->node.key);
    return rest_do(target, add_at_rest, &(Watcher){{NULL, m->node.key}, p->pid, m->name, m->is_alias_reference, NULL});
}

/* False: nobody is there. */
static bool tell_watched(Process *p, const Monitor *m) {
    race_window("a monitor is kept, and not yet told"); /* the DOWN may come at once, and must find it */
    if (is_done_at_rest(SIGNAL_MONITOR, p, m))
        return true;
    MonitorSignal *s = monitor_signal(SIGNAL_MONITOR, p, m);
    if (signal_tell(p, m->target, &s->signal))
        return true;
    signal_free(&s->signal);
    return false;
}

/* To the connection, which tells the other node. */
static bool tell_far(const Process *p, const Monitor *m, FarKind kind) {
    FarRoom room;
    bool by_name = m->type == MONITOR_FAR_NAME;
    return far_order(&(FarOrder){.kind = kind,
                                 .from = p->pid,
                                 .to = by_name ? m->name : actor_key_lend(&room, m->target),
                                 .node = by_name ? m->target : NON_VALUE,
                                 .id = m->node.key,
                                 .is_alias_reference = m->is_alias_reference,
                                 .token = NIL});
}

static Term monitor_far(Process *p, Term pid, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_FAR, (Term)actor_key(pid), NON_VALUE, options);
    Term reference = reference_of(p, m);
    if (!tell_far(p, m, FAR_MONITOR))
        down_to_self(p, m, am_process, pid, ident_is_earlier(pid) ? am_noproc : am_noconnection);
    return reference;
}

Term monitor_far_name(Process *p, Term name, Term node, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_FAR_NAME, node, name, options);
    Term reference = reference_of(p, m);
    ObjectRoom room;
    if (!tell_far(p, m, FAR_MONITOR))
        down_to_self(p, m, am_process, named(&room, NON_VALUE, name, node), am_noconnection);
    return reference;
}

Term monitor_object(Area *area, const Monitor *m) {
    if (m->type == MONITOR_TIME_OFFSET)
        return am_clock_service;
    if (m->type == MONITOR_FAR)
        return actor_key_term(area, m->target);
    if (is_value(m->name))
        return area_tuple2(area, m->name, m->type == MONITOR_FAR_NAME ? m->target : node_this_name());
    return is_value(m->target) ? m->target : am_undefined; /* an earlier run's port: its DOWN is on its way */
}

Term monitor_process(Process *p, Term pid, Term name, const MonitorOptions *options) {
    if (is_external_pid(pid))
        return monitor_far(p, pid, options);
    if (pid == p->pid) /* would never fire: it is none, and no alias either */
        return reference_new(process_area(p));
    Monitor *m = monitor_add(p, MONITOR_PROCESS, pid, name, options);
    Term reference = reference_of(p, m);
    if (is_value(pid) && tell_watched(p, m))
        return reference;
    ObjectRoom room;
    down_to_self(p, m, am_process, named(&room, pid, name, node_this_name()), am_noproc);
    return reference;
}

Term monitor_port(Process *p, Term port, Term name, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_PORT, port, name, options);
    Term reference = reference_of(p, m);
    if (is_value(port) && tell_watched(p, m))
        return reference;
    ObjectRoom room;
    down_to_self(p, m, am_port, named(&room, port, name, node_this_name()), am_noproc);
    return reference;
}

Term monitor_earlier_port(Process *p, Term port, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_PORT, NON_VALUE, NON_VALUE, options);
    Term reference = reference_of(p, m);
    down_to_self(p, m, am_port, port, am_noproc);
    return reference;
}

uint64_t monitor_by_actor(Process *actor, Term pid) {
    const Process *target = is_local_pid(pid) ? process_find(pid) : NULL;
    if (target == NULL || process_is_exiting(target))
        return 0;
    Monitor *m = monitor_add(actor, MONITOR_PROCESS, pid, NON_VALUE, &MONITOR_DEFAULTS);
    if (tell_watched(actor, m))
        return m->node.key;
    monitor_ended(actor, m);
    return 0;
}

Term monitor_target(const Process *actor, uint64_t key) {
    const Monitor *m = (const Monitor *)key_table_find(&actor->monitors, key);
    return m == NULL ? NON_VALUE : m->target;
}

Term monitor_time_offset(Process *p, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_TIME_OFFSET, NON_VALUE, NON_VALUE, options);
    time_offset_watch(m->node.key, p->pid, alias_pid_of(p, m));
    return reference_of(p, m);
}

Term alias_make(Process *p, AliasMode mode, bool takes_priority) {
    MonitorOptions o = {.alias = mode, .tag = am_DOWN, .alias_takes_priority = takes_priority};
    return reference_of(p, monitor_add(p, MONITOR_NONE, NON_VALUE, NON_VALUE, &o));
}

Term monitor_spawned(Process *p, Process *child, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_PROCESS, child->pid, NON_VALUE, options);
    watcher_add(child, &(Watcher){{NULL, m->node.key}, p->pid, NON_VALUE, m->is_alias_reference, NULL});
    return reference_of(p, m);
}

void monitor_spawned_native(Process *child, uint64_t key, NativeWatch *watch) {
    watcher_add(child, &(Watcher){{NULL, key}, NON_VALUE, NON_VALUE, false, watch});
}

Monitor *monitor_request(Process *p, const SpawnRequest *request, const MonitorOptions *options) {
    Monitor *m = monitor_add(p, MONITOR_SPAWN, NON_VALUE, NON_VALUE, options);
    m->request = mem_alloc(ALLOC_LINK, sizeof *m->request);
    *m->request = *request;
    m->request->alias = m->alias;
    m->alias = ALIAS_NONE;
    return m;
}

Monitor *monitor_request_find(const Process *p, uint64_t key) {
    Monitor *m = (Monitor *)key_table_find(&p->monitors, key);
    return m != NULL && m->type == MONITOR_SPAWN ? m : NULL;
}

void monitor_request_end(Process *p, Monitor *m, Term pid) {
    AliasMode alias = m->request->alias;
    let_go(m);
    if (!is_value(pid)) {
        monitor_ended(p, m);
        return;
    }
    m->type = MONITOR_FAR;
    m->target = (Term)actor_key(pid);
    m->alias = alias;
}

static bool send(Process *p, Term pid, Signal *signal) { return signal_send(pid, signal); }

/* By `tell`: signal_tell or `send`. */
static void tell_target(Process *p, const Monitor *m, bool tell(Process *p, Term pid, Signal *signal)) {
    if (m->type == MONITOR_TIME_OFFSET)
        time_offset_unwatch(m->node.key);
    if (m->type == MONITOR_FAR || m->type == MONITOR_FAR_NAME)
        tell_far(p, m, FAR_DEMONITOR);
    if (m->type != MONITOR_PROCESS && m->type != MONITOR_PORT)
        return;
    bool is_local = is_value(m->target) && (is_local_pid(m->target) || is_local_port(m->target));
    if (!is_local || m->target == p->pid || is_done_at_rest(SIGNAL_DEMONITOR, p, m))
        return;
    Signal *s = &monitor_signal(SIGNAL_DEMONITOR, p, m)->signal;
    if (!tell(p, m->target, s))
        signal_free(s);
}

static Term node_of(const Monitor *m) {
    switch (m->type) {
    case MONITOR_FAR: return actor_key_far(m->target)->node->name;
    case MONITOR_FAR_NAME: return m->target;
    default: return NON_VALUE;
    }
}

MonitorRemoved monitor_remove_any(Process *p, uint64_t key, Term *node) {
    Monitor *m = (Monitor *)key_table_find(&p->monitors, key);
    *node = NON_VALUE;
    if (!m || !monitor_is_shown(m))
        return MONITOR_ABSENT;
    *node = node_of(m);
    MonitorRemoved removed = m->type == MONITOR_TIME_OFFSET ? MONITOR_REPEATING : MONITOR_SILENT;
    tell_target(p, m, signal_tell);
    monitor_ended(p, m);
    return removed;
}

MonitorRemoved monitor_remove(Process *p, uint64_t key) {
    Term node;
    return monitor_remove_any(p, key, &node);
}

bool alias_remove(Process *p, uint64_t key) {
    Monitor *m = (Monitor *)key_table_find(&p->monitors, key);
    if (!m || m->alias == ALIAS_NONE)
        return false;
    m->alias = ALIAS_NONE;
    if (m->type == MONITOR_NONE)
        monitor_ended(p, m);
    return true;
}

static AliasState state_of(const Monitor *m) {
    if (m == NULL || m->alias == ALIAS_NONE)
        return ALIAS_CLOSED;
    return m->alias_takes_priority ? ALIAS_OPEN_TO_PRIORITY : ALIAS_OPEN;
}

AliasState alias_state(const Process *p, uint64_t key) {
    return state_of((const Monitor *)key_table_find(&p->monitors, key));
}

AliasState alias_accept(Process *p, uint64_t key) {
    Monitor *m = (Monitor *)key_table_find(&p->monitors, key);
    AliasState state = state_of(m);
    if (state == ALIAS_CLOSED)
        return state;
    if (m->alias == ALIAS_REPLY_DEMONITOR)
        tell_target(p, m, send); /* p is handling its signals */
    if (m->alias == ALIAS_REPLY || m->alias == ALIAS_REPLY_DEMONITOR)
        monitor_ended(p, m);
    return state;
}

static void find_priority(KeyNode *node, void *found) {
    const Monitor *m = (const Monitor *)node;
    if ((m->type != MONITOR_NONE && m->down_is_priority) || state_of(m) == ALIAS_OPEN_TO_PRIORITY)
        *(bool *)found = true;
}

bool monitor_takes_priority(const Process *p) {
    bool found = false;
    key_table_each(&p->monitors, find_priority, &found);
    return found;
}

static Term type_of(const Process *p) { return is_local_port(p->pid) ? am_port : am_process; }

void monitor_handle(Process *p, MonitorSignal *s) {
    if (s->signal.kind == SIGNAL_MONITOR)
        watcher_add(p, &(Watcher){{NULL, s->key}, s->origin, s->name, s->is_alias_reference, s->native});
    else
        watcher_remove(p, s->key);
    mem_free(ALLOC_SIGNAL, s);
}

void monitor_refuse(Process *p, MonitorSignal *s) {
    bool is_told_now = (atomic_load_explicit(&p->state, memory_order_relaxed) & STATE_FREE) != 0;
    if (s->signal.kind == SIGNAL_MONITOR && s->native != NULL && is_told_now) {
        s->native->down(s->native, NULL, p->pid, am_noproc);
        mem_free(ALLOC_SIGNAL, s);
        return;
    }
    if (s->signal.kind == SIGNAL_MONITOR && s->native == NULL) {
        ObjectRoom room;
        Term object = named(&room, p->pid, s->name, node_this_name());
        Term alias_pid = s->is_alias_reference ? s->origin : NON_VALUE;
        signal_send_or_drop(s->origin, &down_create(s->key, alias_pid, type_of(p), object, am_noproc)->signal);
        mem_free(ALLOC_SIGNAL, s);
        return;
    }
    monitor_handle(p, s);
}

/* That of a monitor of the offset is used again. */
static Term tag_of(Monitor *m, const Message *down) {
    if (m->type != MONITOR_TIME_OFFSET)
        return kept_append(&m->tag, down->data);
    Kept tag = kept_make(kept_term(&m->tag));
    return kept_append(&tag, down->data);
}

Message *monitor_down(Process *p, Message *down, bool *is_priority) {
    Monitor *m = (Monitor *)key_table_find(&p->monitors, down->key);
    if (!m || !monitor_is_shown(m)) {
        message_free(down);
        return NULL;
    }
    *is_priority = m->down_is_priority;
    tuple_elements(down->term)[0] = tag_of(m, down);
    if (m->type != MONITOR_TIME_OFFSET)
        monitor_ended(p, m);
    return down;
}

static void keep_first(KeyNode *node, void *first) {
    const Watcher *w = (const Watcher *)node;
    if (w->native != NULL && w->native->is_first)
        *(KeyNode **)first = node;
}

static Watcher *take_first(Process *p) {
    KeyNode *first = NULL;
    key_table_each(&p->watchers, keep_first, &first);
    return first == NULL ? NULL : (Watcher *)key_table_remove(&p->watchers, first->key);
}

void watchers_first_down(Process *p, Term reason) {
    if (likely(!(p->flags & FLAG_WATCHED_FIRST)))
        return;
    for (Watcher *w; (w = take_first(p)) != NULL; mem_free(ALLOC_LINK, w))
        w->native->down(w->native, NULL, p->pid, reason);
    p->flags &= ~FLAG_WATCHED_FIRST;
}

bool watcher_down_next(Process *p, Term reason) {
    Watcher *w = (Watcher *)key_table_take_any(&p->watchers);
    if (!w)
        return false;
    if (w->native != NULL) {
        w->native->down(w->native, p, p->pid, reason);
        mem_free(ALLOC_LINK, w);
        return true;
    }
    ObjectRoom room;
    Term object = named(&room, p->pid, w->name, node_this_name());
    Term alias_pid = w->is_alias_reference ? w->origin : NON_VALUE;
    long_work_open();
    Message *m = down_create(w->node.key, alias_pid, type_of(p), object, reason);
    long_work_close();
    signal_send_or_drop(w->origin, &m->signal);
    mem_free(ALLOC_LINK, w);
    return true;
}

bool monitor_release_next(Process *p) {
    Monitor *m = (Monitor *)key_table_take_any(&p->monitors);
    if (!m)
        return false;
    tell_target(p, m, send);
    monitor_free(m);
    return true;
}

#include "process/link.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/message.h"
#include "process/reference.h"
#include "process/seq_trace.h"
#include "process/trace_point.h"
#include "term/atom.h"
#include "term/node.h"

/*
 * Why links are kept by both sides, and each by its own thread alone: nobody can lock another process, so the two Links
 * cannot change at once. What one side believes may be older than what the other does; the protocol makes that
 * unseen:
 *
 *   - signals of one sender arrive in order, so a link that is made after an unlink is never undone by that one's
 *     signal;
 *   - who has unlinked keeps the Link with its number, for an exit signal that was already on its way must be told
 *     apart from one of a link that was made anew: the first is dropped (link_broken_by: the link does not hold);
 *   - only the acknowledgement of that number ends it: by then everything that the other side had sent before has come.
 *
 * Who links to a process that is no more finds it out at once, when the list of its signals is closed, or hears it from
 * the one who closes it (link_refuse): so an exit signal with noproc comes in either case, and once.
 *
 * Nothing of this changes where the other belongs to another node: orders take the place of the signals that are sent
 * to it, the connection makes signals of what comes back, and when the connection ends it takes the other's part. Only
 * there are two senders then, the connection that was lost and the one after it: what the first says does not count
 * for a link that was told the second.
 */

static LinkSignal *link_signal(SignalKind kind, uint64_t from, uint64_t id) {
    LinkSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->signal, kind);
    s->from = from;
    s->id = id;
    s->connection = 0;
    return s;
}

static void link_signal_free(LinkSignal *s) {
    actor_key_release(s->from);
    mem_free(ALLOC_SIGNAL, s);
}

bool link_signal_from_far(SignalKind kind, Term to, Far *from, uint32_t connection, uint64_t id) {
    far_retain(from);
    LinkSignal *s = link_signal(kind, (uint64_t)(uintptr_t)from, id);
    s->connection = connection;
    if (is_local_pid(to) && signal_send(to, &s->signal))
        return true;
    link_signal_free(s);
    return false;
}

/* p's own to `to`, by a BIF. False: there is no such actor, or no way to its node. */
static bool tell(Process *p, SignalKind kind, FarKind order, Term to, uint64_t id) {
    FarOrder o = {.kind = order, .from = p->pid, .to = to, .node = NON_VALUE, .id = id, .token = NIL};
    if (is_external_pid(to))
        return far_order(&o);
    LinkSignal *s = link_signal(kind, p->pid, id);
    if (signal_tell(p, to, &s->signal))
        return true;
    link_signal_free(s);
    return false;
}

static Message *create_in(const CopyPhase *phase, Term from, Term reason, Term token) {
    Area area;
    size_t words = 4 + FAR_TERM_WORDS + term_flat_size_in(reason, phase) + term_flat_size_in(token, phase);
    Fragment *f = message_area_begin(&area, words);
    from = term_copy_in(from, &area, phase);
    Term copy = term_copy_in(reason, &area, phase);
    Term tuple = area_tuple3(&area, am_EXIT, from, copy);
    token = term_copy_in(token, &area, phase);
    message_area_end(&area, f);
    Message *m = message_create_with(tuple, f, from);
    m->token = token;
    return m;
}

static Message *create(SignalKind kind, Term from, Term reason, Term token) {
    Message *m = made_in_phase(phase, create_in(&phase, from, reason, token), message_free);
    m->signal.kind = kind;
    return m;
}

Message *exit_signal_create(SignalKind kind, Term from, Term reason) { return create(kind, from, reason, NIL); }

void link_add(Process *p, uint64_t actor, bool is_priority) {
    Link *l = mem_alloc(ALLOC_LINK, sizeof *l);
    l->node.key = actor;
    l->unlinking = 0;
    l->connection = 0;
    l->is_priority = is_priority;
    key_table_add(&p->links, &l->node);
}

/* One that stands in the table has a count: who finds it needs none of his own. */
static Link *link_find(const Process *p, Term pid) {
    if (is_immediate(pid))
        return (Link *)key_table_find(&p->links, pid);
    Far *far = far_find(pid);
    if (far == NULL)
        return NULL;
    Link *l = (Link *)key_table_find(&p->links, (uint64_t)(uintptr_t)far);
    far_release(far);
    return l;
}

bool link_is_there(const Process *p, Term pid) {
    const Link *l = link_find(p, pid);
    return l != NULL && l->unlinking == 0;
}

static void link_end(Process *p, Link *l) {
    key_table_remove(&p->links, l->node.key);
    actor_key_release(l->node.key);
    mem_free(ALLOC_LINK, l);
}

static void tell_noproc(Process *p, Term pid) {
    Message *m = exit_signal_create(SIGNAL_MESSAGE, pid, am_noproc);
    m->from = NON_VALUE;
    m->token = TOKEN_OF_RUNTIME;
    signal_send_or_drop(p->pid, &m->signal);
}

/* There is nobody to link to. The link stays where it says how the exit signal is to be received, until that comes. */
static bool link_to_nobody(Process *p, Link *l, Term pid) {
    bool traps = (p->flags & FLAG_TRAP_EXIT) != 0;
    if (traps && l->is_priority) {
        signal_send_or_drop(p->pid, &exit_signal_create(SIGNAL_EXIT_LINKED, pid, am_noproc)->signal);
        return true;
    }
    link_end(p, l);
    if (traps)
        tell_noproc(p, pid);
    return traps;
}

/* The link is broken as by a connection that ends. */
static bool link_to_nowhere(Process *p, Term pid) {
    signal_send_or_drop(p->pid, &exit_signal_create(SIGNAL_EXIT_LINKED, pid, am_noconnection)->signal);
    return true;
}

static bool tell_link(Process *p, Link *l, Term pid) {
    l->connection = 0;
    if (!is_external_pid(pid))
        return tell(p, SIGNAL_LINK, FAR_LINK, pid, 0);
    return far_order(&(FarOrder){
        .kind = FAR_LINK, .from = p->pid, .to = pid, .node = NON_VALUE, .connection = &l->connection, .token = NIL});
}

bool link_make(Process *p, Term pid, bool is_priority) {
    trace_event(p, TRACE_PROCS, EVENT_LINK, pid, NON_VALUE);
    if (pid == p->pid)
        return true;
    if (unlikely(p->trace_flags & (TRACE_SET_ON_LINK | TRACE_SET_ON_FIRST_LINK)) && is_local_pid(pid) &&
        p->body == NULL)
        trace_points.linked(p, pid);
    Link *l = link_find(p, pid);
    bool is_linked = l != NULL && l->unlinking == 0;
    if (l == NULL) {
        link_add(p, actor_key(pid), is_priority);
        l = link_find(p, pid);
    }
    l->unlinking = 0;
    l->is_priority = is_priority;
    if (is_linked)
        return true;
    trace_event(p, TRACE_PORTS, EVENT_PORT_LINKED, pid, NON_VALUE); /* as if the process had done it */
    race_window("a link is kept, and not yet told");
    /* The Link comes first: the other may end at once, and its exit signal must find that the link holds. */
    if (tell_link(p, l, pid))
        return true;
    bool is_away = is_external_pid(pid) && !ident_is_earlier(pid);
    return is_away ? link_to_nowhere(p, pid) : link_to_nobody(p, l, pid);
}

/* The link stays: its exit signal is on its way. */
bool link_to_ended(Process *p, Term port) {
    bool traps = (p->flags & FLAG_TRAP_EXIT) != 0;
    trace_event(p, TRACE_PROCS, EVENT_LINK, port, NON_VALUE);
    if (traps)
        tell_noproc(p, port);
    return traps;
}

bool link_remove(Process *p, Term pid) {
    trace_event(p, TRACE_PROCS, EVENT_UNLINK, pid, NON_VALUE);
    Link *l = link_find(p, pid);
    if (!l || l->unlinking)
        return false;
    l->unlinking = reference_next();
    l->is_priority = false;
    race_window("a link is being undone, and not yet told");
    bool is_told = tell(p, SIGNAL_UNLINK, FAR_UNLINK, pid, l->unlinking);
    if (!is_told)
        link_end(p, l);
    return is_told;
}

static void acknowledge_far(Process *p, const LinkSignal *s) {
    FarRoom room;
    far_order(&(FarOrder){.kind = FAR_UNLINK_ACK,
                          .from = p->pid,
                          .to = actor_key_lend(&room, s->from),
                          .node = NON_VALUE,
                          .id = s->id,
                          .answered = s->connection,
                          .token = NIL});
}

/* p is handling its signals: nothing else is run now. */
static void acknowledge(Process *p, const LinkSignal *s) {
    if (actor_key_is_far(s->from)) {
        acknowledge_far(p, s);
        return;
    }
    LinkSignal *ack = link_signal(SIGNAL_UNLINK_ACK, p->pid, s->id);
    if (!signal_send((Term)s->from, &ack->signal))
        link_signal_free(ack);
}

/* What another has done, to who traces p. */
static void told_by(Process *p, TraceEvent event, uint64_t actor) {
    FarRoom room;
    if (unlikely(p->trace_flags))
        trace_event(p, TRACE_OF_BOTH, event, actor_key_lend(&room, actor), NON_VALUE);
}

/* It was told a later connection than that one. Numbers are compared as if they never began anew. */
static bool is_of_later(const Link *l, uint64_t connection) {
    return connection != 0 && l->connection != 0 && (int32_t)(l->connection - (uint32_t)connection) > 0;
}

void link_handle(Process *p, LinkSignal *s) {
    Link *l = (Link *)key_table_find(&p->links, s->from);
    switch (s->signal.kind) {
    case SIGNAL_LINK:
        if (!l) {
            actor_key_retain(s->from);
            link_add(p, s->from, false);
            told_by(p, EVENT_GETTING_LINKED, s->from);
        }
        break;
    case SIGNAL_UNLINK:
        /* One that is being undone from here as well stays for the acknowledgement of that. */
        if (l && !l->unlinking && !is_of_later(l, s->connection)) {
            link_end(p, l);
            told_by(p, EVENT_GETTING_UNLINKED, s->from);
        }
        acknowledge(p, s);
        break;
    default: /* acknowledgement */
        if (l && l->unlinking == s->id)
            link_end(p, l);
    }
    link_signal_free(s);
}

/* `ending`: p, or NULL. */
static void tell_broken(Process *p, uint64_t actor, Term reason, Term token, Process *ending) {
    if (actor_key_is_far(actor)) {
        FarRoom room;
        far_order(&(FarOrder){.kind = FAR_EXIT_LINKED,
                              .from = p->pid,
                              .to = actor_key_lend(&room, actor),
                              .node = NON_VALUE,
                              .ending = ending,
                              .payload = reason,
                              .token = token});
        return;
    }
    long_work_open();
    Message *m = create(SIGNAL_EXIT_LINKED, p->pid, reason, token);
    long_work_close();
    signal_send_or_drop((Term)actor, &m->signal);
}

void link_refuse(Process *p, LinkSignal *s) {
    if (s->signal.kind == SIGNAL_LINK)
        tell_broken(p, s->from, am_noproc, NIL, NULL);
    else if (s->signal.kind == SIGNAL_UNLINK)
        acknowledge(p, s);
    link_signal_free(s);
}

bool link_broken_by(Process *p, const Message *exit, bool *is_priority) {
    Link *l = link_find(p, exit->from);
    if (!l || is_of_later(l, exit->key))
        return false;
    bool held = l->unlinking == 0;
    *is_priority = l->is_priority;
    link_end(p, l);
    return held;
}

/* The token counts for each, though only who traps exits will take it up; and is told, unless the other is ending. Of
 * one of another node nobody here knows that. */
static Term token_for(Process *p, Term to, Term reason) {
    if (is_nil(seq_trace_token(p)))
        return NIL;
    Term token = seq_trace_count(p);
    const Process *other = is_local_pid(to) ? process_find(to) : p;
    if (other != NULL && (other == p || !process_is_exiting(other)))
        seq_trace_tell(other, token, SEQ_SEND, to, area_tuple3(process_area(p), am_EXIT, p->pid, reason));
    return token;
}

static void tell_end(Process *p, Link *l, Term reason) {
    FarRoom room;
    uint64_t actor = l->node.key;
    if (!l->unlinking)
        tell_broken(p, actor, reason, token_for(p, actor_key_lend(&room, actor), reason), p);
    actor_key_release(actor);
    mem_free(ALLOC_LINK, l);
}

bool link_exit_next(Process *p, Term reason) {
    Link *l = (Link *)key_table_take_any(&p->links);
    if (l != NULL)
        tell_end(p, l, reason);
    return l != NULL;
}

bool link_exit_next_but_ports(Process *p, KeyTable *ports, Term reason) {
    Link *l = (Link *)key_table_take_any(&p->links);
    if (l != NULL && !actor_key_is_far(l->node.key) && is_local_port((Term)l->node.key))
        key_table_add(ports, &l->node);
    else if (l != NULL)
        tell_end(p, l, reason);
    return l != NULL;
}

static void find_priority(KeyNode *node, void *found) {
    if (((const Link *)node)->is_priority)
        *(bool *)found = true;
}

bool link_takes_priority(const Process *p) {
    bool found = false;
    key_table_each(&p->links, find_priority, &found);
    return found;
}

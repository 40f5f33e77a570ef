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
 */

static LinkSignal *link_signal(SignalKind kind, Term from, uint64_t id) {
    LinkSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->signal, kind);
    s->from = from;
    s->id = id;
    return s;
}

static Message *create_in(const CopyPhase *phase, Term from, Term reason, Term token) {
    Area area;
    Fragment *f = message_area_begin(&area, 4 + term_flat_size_in(reason, phase) + term_flat_size_in(token, phase));
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

void link_add(Process *p, Term pid, bool is_priority) {
    Link *l = mem_alloc(ALLOC_LINK, sizeof *l);
    l->node.key = pid;
    l->unlinking = 0;
    l->is_priority = is_priority;
    key_table_add(&p->links, &l->node);
}

static Link *link_take(Process *p, Term pid) { return (Link *)key_table_remove(&p->links, pid); }

static void tell_noproc(Process *p, Term pid) {
    Message *m = exit_signal_create(SIGNAL_MESSAGE, pid, am_noproc);
    m->from = NON_VALUE;
    m->token = TOKEN_OF_RUNTIME;
    signal_send_or_drop(p->pid, &m->signal);
}

/* There is nobody to link to. The link stays where it says how the exit signal is to be received, until that comes. */
static bool link_to_nobody(Process *p, Term pid, bool is_priority) {
    bool traps = (p->flags & FLAG_TRAP_EXIT) != 0;
    if (traps && is_priority) {
        signal_send_or_drop(p->pid, &exit_signal_create(SIGNAL_EXIT_LINKED, pid, am_noproc)->signal);
        return true;
    }
    mem_free(ALLOC_LINK, link_take(p, pid));
    if (traps)
        tell_noproc(p, pid);
    return traps;
}

bool link_make(Process *p, Term pid, bool is_priority) {
    trace_event(p, TRACE_PROCS, EVENT_LINK, pid, NON_VALUE);
    if (pid == p->pid)
        return true;
    if (unlikely(p->trace_flags & (TRACE_SET_ON_LINK | TRACE_SET_ON_FIRST_LINK)) && is_local_pid(pid) &&
        p->body == NULL)
        trace_points.linked(p, pid);
    Link *l = (Link *)key_table_find(&p->links, pid);
    bool is_linked = l != NULL && l->unlinking == 0;
    if (l != NULL) {
        l->unlinking = 0;
        l->is_priority = is_priority;
    }
    if (is_linked)
        return true;
    if (l == NULL)
        link_add(p, pid, is_priority);
    trace_event(p, TRACE_PORTS, EVENT_PORT_LINKED, pid, NON_VALUE); /* as if the process had done it */
    race_window("a link is kept, and not yet told");
    /* The Link comes first: the other may end at once, and its exit signal must find that the link holds. */
    LinkSignal *s = link_signal(SIGNAL_LINK, p->pid, 0);
    if (signal_send(pid, &s->signal))
        return true;
    signal_free(&s->signal);
    return link_to_nobody(p, pid, is_priority);
}

void link_remove(Process *p, Term pid) {
    trace_event(p, TRACE_PROCS, EVENT_UNLINK, pid, NON_VALUE);
    Link *l = (Link *)key_table_find(&p->links, pid);
    if (!l || l->unlinking)
        return;
    l->unlinking = reference_next();
    l->is_priority = false;
    race_window("a link is being undone, and not yet told");
    LinkSignal *s = link_signal(SIGNAL_UNLINK, p->pid, l->unlinking);
    if (signal_send(pid, &s->signal))
        return;
    signal_free(&s->signal);
    mem_free(ALLOC_LINK, link_take(p, pid));
}

static void acknowledge(Process *p, const LinkSignal *s) {
    signal_send_or_drop(s->from, &link_signal(SIGNAL_UNLINK_ACK, p->pid, s->id)->signal);
}

void link_handle(Process *p, LinkSignal *s) {
    Link *l = (Link *)key_table_find(&p->links, s->from);
    switch (s->signal.kind) {
    case SIGNAL_LINK:
        if (!l) {
            link_add(p, s->from, false);
            trace_event(p, TRACE_OF_BOTH, EVENT_GETTING_LINKED, s->from, NON_VALUE);
        }
        break;
    case SIGNAL_UNLINK:
        /* One that is being undone from here as well stays for the acknowledgement of that. */
        if (l && !l->unlinking) {
            mem_free(ALLOC_LINK, link_take(p, s->from));
            trace_event(p, TRACE_OF_BOTH, EVENT_GETTING_UNLINKED, s->from, NON_VALUE);
        }
        acknowledge(p, s);
        break;
    default: /* acknowledgement */
        if (l && l->unlinking == s->id)
            mem_free(ALLOC_LINK, link_take(p, s->from));
    }
    mem_free(ALLOC_SIGNAL, s);
}

void link_refuse(Process *p, LinkSignal *s) {
    if (s->signal.kind == SIGNAL_LINK)
        signal_send_or_drop(s->from, &exit_signal_create(SIGNAL_EXIT_LINKED, p->pid, am_noproc)->signal);
    else if (s->signal.kind == SIGNAL_UNLINK)
        acknowledge(p, s);
    mem_free(ALLOC_SIGNAL, s);
}

bool link_broken_by(Process *p, Term from, bool *is_priority) {
    Link *l = (Link *)key_table_find(&p->links, from);
    if (!l)
        return false;
    bool held = l->unlinking == 0;
    *is_priority = l->is_priority;
    mem_free(ALLOC_LINK, link_take(p, from));
    return held;
}

/* The token counts for each, though only who traps exits will take it up; and is told, unless the other is ending. */
static Term token_for(Process *p, Term to, Term reason) {
    if (is_nil(seq_trace_token(p)))
        return NIL;
    Term token = seq_trace_count(p);
    const Process *other = process_find(to);
    if (other != NULL && !process_is_exiting(other))
        seq_trace_tell(other, token, SEQ_SEND, to, area_tuple3(process_area(p), am_EXIT, p->pid, reason));
    return token;
}

bool link_exit_next(Process *p, Term reason) {
    Link *l = (Link *)key_table_take_any(&p->links);
    if (!l)
        return false;
    if (!l->unlinking) {
        Term token = token_for(p, l->node.key, reason);
        long_work_open();
        Message *m = create(SIGNAL_EXIT_LINKED, p->pid, reason, token);
        long_work_close();
        signal_send_or_drop(l->node.key, &m->signal);
    }
    mem_free(ALLOC_LINK, l);
    return true;
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

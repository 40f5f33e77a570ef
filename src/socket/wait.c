#include "socket/wait.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "socket/message.h"
#include "socket/registry.h"
#include "term/atom.h"
#include "term/compare.h"

size_t socket_queue_length(const SocketQueue *q) {
    size_t length = 0;
    for (const SocketRequest *r = q->first; r != NULL; r = r->next)
        length++;
    return length;
}

unsigned socket_read_state(const Socket *s) {
    return s->read_state | (s->acceptors.first != NULL ? SOCKET_ACCEPTING : 0);
}

unsigned socket_write_state(const Socket *s) {
    return s->write_state | (s->connectors.first != NULL ? SOCKET_CONNECTING : 0);
}

static bool is_current(const SocketQueue *q, Term pid) { return q->first != NULL && q->first->pid == pid; }

static SocketRequest **place_of(SocketQueue *q, Term pid) {
    SocketRequest **at = &q->first;
    while (*at != NULL && (*at)->pid != pid)
        at = &(*at)->next;
    return at;
}

static SocketRequest *request_create(Socket *s, Term pid, Term reference) {
    SocketRequest *r = mem_calloc(ALLOC_SOCKET, sizeof *r);
    r->pid = pid;
    r->reference = kept_make(reference);
    ErlNifPid who = {pid};
    if (enif_monitor_process(NULL, s, &who, &r->monitor) == 0)
        return r;
    kept_release(&r->reference);
    mem_free(ALLOC_SOCKET, r);
    return NULL;
}

static void request_free(Socket *s, SocketRequest *r) {
    (void)enif_demonitor_process(NULL, s, &r->monitor); /* in vain when it is the process's end that is told */
    kept_release(&r->reference);
    mem_free(ALLOC_SOCKET, r);
}

static void take_out(Socket *s, SocketRequest **at) {
    SocketRequest *r = *at;
    if (at == &s->writers.first)
        socket_defer_file(s);
    *at = r->next;
    request_free(s, r);
}

/* The message tells the current one that it may try again. */
static bool arm_with(Socket *s, const SocketRequest *r, SocketFor what, Term reference) {
    FragmentArea built;
    fragment_area_init(&built, 32);
    Term message = socket_message(&built.area, socket_reference(&built.area, s), am_select, reference);
    ErlNifPid to = {r->pid};
    int result = enif_select_x(NULL, s->fd, (enum ErlNifSelectFlags)((int)what | ERL_NIF_SELECT_CUSTOM_MSG), s, &to,
                               message, NULL);
    fragment_area_drop(&built);
    *(what == SOCKET_TO_READ ? &s->read_state : &s->write_state) |= SOCKET_SELECTED;
    return result >= 0;
}

static bool arm(Socket *s, const SocketRequest *r, SocketFor what) {
    return arm_with(s, r, what, kept_term(&r->reference));
}

static void tell_abort(Socket *s, const SocketRequest *r, Term reason) {
    FragmentArea built;
    fragment_area_init(&built, 32);
    Term data = area_tuple2(&built.area, kept_copy(&r->reference, &built.area), reason);
    socket_tell(r->pid, socket_message(&built.area, socket_reference(&built.area, s), am_abort, data));
    fragment_area_drop(&built);
}

/* The first one is current now. */
static void next_turn(Socket *s, SocketQueue *q, SocketFor what) {
    while (q->first != NULL && !arm(s, q->first, what)) {
        tell_abort(s, q->first, am_closed);
        take_out(s, &q->first);
    }
}

SocketTurn socket_turn(Socket *s, SocketQueue *q, Term pid, Term reference) {
    if (q->first == NULL || is_current(q, pid))
        return TURN_IS_NOW;
    if (*place_of(q, pid) != NULL)
        return TURN_IS_TAKEN;
    if (reference == am_zero)
        return TURN_IS_NOW;
    SocketRequest *r = request_create(s, pid, reference);
    if (r != NULL)
        *place_of(q, NON_VALUE) = r;
    return TURN_LATER;
}

static SocketRequest *current_for(Socket *s, SocketQueue *q, Term pid, Term reference) {
    if (is_current(q, pid)) {
        if (!q->keeps_reference) {
            kept_release(&q->first->reference);
            q->first->reference = kept_make(reference);
        }
        return q->first;
    }
    SocketRequest *r = request_create(s, pid, reference);
    if (r == NULL)
        return NULL;
    r->next = q->first;
    return q->first = r;
}

void socket_hold(Socket *s, SocketQueue *q, Term pid, Term reference) { (void)current_for(s, q, pid, reference); }

bool socket_wait(Socket *s, SocketQueue *q, SocketFor what, Term pid, Term reference) {
    SocketRequest *r = current_for(s, q, pid, reference);
    if (r == NULL) /* it is on its way out, and nobody waits */
        return true;
    if (arm_with(s, r, what, reference))
        return true;
    take_out(s, &q->first);
    next_turn(s, q, what);
    return false;
}

void socket_through(Socket *s, SocketQueue *q, SocketFor what, Term pid) {
    if (!is_current(q, pid))
        return;
    take_out(s, &q->first);
    next_turn(s, q, what);
}

void socket_abort(Socket *s, SocketQueue *q, Term reason) {
    while (q->first != NULL) {
        tell_abort(s, q->first, reason);
        take_out(s, &q->first);
    }
}

void socket_fails(Socket *s, SocketQueue *q, Term pid, Term reason) {
    if (!is_current(q, pid))
        return;
    take_out(s, &q->first);
    socket_abort(s, q, reason);
}

void socket_drop_requests(Socket *s, SocketQueue *q) {
    while (q->first != NULL)
        take_out(s, &q->first);
}

static SocketCancel cancel_current(Socket *s, SocketQueue *q, SocketFor what) {
    int result = enif_select(NULL, s->fd, (enum ErlNifSelectFlags)((int)what | ERL_NIF_SELECT_CANCEL), s, NULL, NIL);
    int cancelled = what == SOCKET_TO_READ ? ERL_NIF_SELECT_READ_CANCELLED : ERL_NIF_SELECT_WRITE_CANCELLED;
    take_out(s, &q->first);
    race_window("who waited has given up, the next one is not yet armed");
    next_turn(s, q, what);
    return result >= 0 && (result & cancelled) ? CANCEL_DONE : CANCEL_SENT;
}

SocketCancel socket_cancel(Socket *s, SocketQueue *q, SocketFor what, Term pid, Term reference) {
    SocketRequest **at = place_of(q, pid);
    if (*at == NULL || !term_equal(kept_term(&(*at)->reference), reference))
        return CANCEL_NOT_FOUND;
    if (at == &q->first)
        return cancel_current(s, q, what);
    take_out(s, at);
    return CANCEL_DONE;
}

void socket_forget(Socket *s, SocketQueue *q, SocketFor what, Term pid) {
    SocketRequest **at = place_of(q, pid);
    if (*at == NULL)
        return;
    bool was_current = at == &q->first;
    take_out(s, at);
    if (was_current && !s->closing)
        next_turn(s, q, what);
}

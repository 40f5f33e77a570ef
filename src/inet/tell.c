#include "inet/tell.h"

#include "inet/timers.h"
#include "process/message.h"
#include "term/atom.h"

#define SMALL_WORDS 16

void inet_post(Message *m, Term to) {
    m->token = TOKEN_OF_RUNTIME;
    signal_send_or_drop(to, &m->signal);
}

/* Nobody waits for it: it is not told when the port closes and still writes. */
static void tell_tuple(const Inet *d, Term to, const Term *elements, size_t arity) {
    if (!port_is_heard((const Port *)d->port))
        return;
    Area area;
    Message *m = message_begin(&area, 1 + arity, d->id);
    message_end(m, &area, area_tuple(&area, elements, arity));
    inet_post(m, to);
}

static Term result_term(Area *area, Term result) {
    return result == am_ok ? result : area_tuple2(area, am_error, result);
}

static void tell_async(const Inet *d, const InetWait *wait, Term what, Term value) {
    Area area;
    Message *m = message_begin(&area, SMALL_WORDS, d->id);
    Term result = is_value(value) ? area_tuple2(&area, am_ok, value) : result_term(&area, what);
    message_end(m, &area, area_tuple4(&area, am_inet_async, d->id, small_make((SWord)wait->id), result));
    inet_post(m, wait->pid);
}

void inet_tell_async(Inet *d, const InetWait *wait, Term result) { tell_async(d, wait, result, NON_VALUE); }
void inet_tell_async_value(Inet *d, const InetWait *wait, Term value) { tell_async(d, wait, am_ok, value); }

void inet_tell(Inet *d, Term to, Term what) { tell_tuple(d, to, (Term[]){what, d->id}, 2); }
void inet_tell_value(Inet *d, Term to, Term what, Term value) { tell_tuple(d, to, (Term[]){what, d->id, value}, 3); }

void inet_wait_over(Inet *d) {
    inet_timer_cancel(d, &d->wait.timer);
    d->wait = (InetWait){.pid = NON_VALUE};
}

void inet_wait_end(Inet *d, Term result) {
    if (!is_value(d->wait.pid))
        return;
    inet_tell_async(d, &d->wait, result);
    inet_wait_over(d);
}

Area *inet_message_begin(InetMessage *m, size_t words) {
    fragment_area_init(&m->built, words);
    return &m->built.area;
}

void inet_message_send(Inet *d, InetMessage *m, Term to, Term term) {
    inet_post(message_create_with(term, fragment_area_finish(&m->built), d->id), to);
}

void inet_message_drop(InetMessage *m) { fragment_area_drop(&m->built); }

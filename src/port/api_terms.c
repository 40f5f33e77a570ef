/* What drivers call: terms to processes. The functions named erl_drv are for any thread. Source: erl_driver(3). */
#include "base/visitor.h"
#include "port/callback.h"
#include "port/trace.h"
#include "port/term_spec.h"
#include "process/message.h"
#include "process/process_table.h"
#include "term/atom.h"

#define SPEC_BAD (-1)
#define NOT_SENT 0
#define SENT 1

ErlDrvTermData driver_mk_atom(char *name) { return atom_from_cstring(name); }
ErlDrvTermData driver_mk_port(ErlDrvPort port) { return port_id((Port *)port); }
ErlDrvTermData driver_connected(ErlDrvPort port) { return port_connected((Port *)port); }
ErlDrvTermData driver_caller(ErlDrvPort port) {
    Term caller = ((Port *)port)->caller;
    return is_value(caller) ? caller : NIL;
}

const ErlDrvTermData driver_term_nil = NIL;
ErlDrvTermData driver_mk_term_nil(void) { return NIL; }

/* Takes over what was built. */
static int deliver(Term from, Term to, Term term, Fragment *data) {
    Process *receiver = is_local_pid(to) ? process_find(to) : NULL;
    if (port_here != NULL && port_id(port_here) == from) /* others' threads tell nothing */
        trace_event(&port_here->actor, TRACE_SEND, receiver != NULL ? EVENT_SEND : EVENT_SEND_TO_NOBODY, term, to);
    Message *m = message_create_with(term, data, from);
    m->token = TOKEN_OF_RUNTIME;
    if (receiver != NULL && !process_is_exiting(receiver) && signal_push(receiver, &m->signal))
        return SENT;
    message_free(m);
    return NOT_SENT;
}

static int send(Term from, Term to, const ErlDrvTermData *spec, int length) {
    FragmentArea built;
    Term term;
    fragment_area_init(&built, length < 0 ? 0 : 2 * (size_t)length);
    if (length >= 0 && term_spec_build(spec, (size_t)length, &built.area, &term))
        return deliver(from, to, term, fragment_area_finish(&built));
    fragment_area_drop(&built);
    return SPEC_BAD;
}

/* To the connected process, unless `to` is one. */
static int send_from(Term id, Term to, const ErlDrvTermData *spec, int length) {
    const Port *port = port_here != NULL && port_id(port_here) == id ? port_here : port_at(id);
    if (port == NULL || (port == port_here && port_is_over(port)))
        return SPEC_BAD;
    if (!port_is_heard(port))
        return NOT_SENT;
    return send(id, is_value(to) ? to : port_connected(port), spec, length);
}

int erl_drv_send_term(ErlDrvTermData port, ErlDrvTermData to, ErlDrvTermData *spec, int length) {
    visitor_enter();
    int result = send_from(port, to, spec, length);
    visitor_leave();
    return result;
}

int erl_drv_output_term(ErlDrvTermData port, ErlDrvTermData *spec, int length) {
    return erl_drv_send_term(port, NON_VALUE, spec, length);
}

int driver_output_term(ErlDrvPort port, ErlDrvTermData *spec, int length) {
    return erl_drv_output_term(port_id((Port *)port), spec, length);
}

int driver_send_term(ErlDrvPort port, ErlDrvTermData to, ErlDrvTermData *spec, int length) {
    return erl_drv_send_term(port_id((Port *)port), to, spec, length);
}

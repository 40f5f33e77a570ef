/*
 * erlang:port_set_data/2, port_get_data/1: a term that a port keeps for whoever asks. Source: answers of OTP 25.
 */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "port/signal.h"
#include "process/request.h"
#include "term/atom.h"

typedef struct {
    PortCall call; /* must be first */
    Kept value;    /* to be kept */
} Setting;

static bool is_open(const Port *port) { return !port_has_status(port, PORT_CLOSING); }

/* [Value], or false: the port is not there any more. */
static Term copy_value(const PortCall *c, void *actor, Area *area) {
    const Port *port = actor;
    if (!is_open(port))
        return am_false;
    return area_cons(area, is_value(kept_term(&port->value)) ? kept_copy(&port->value, area) : am_undefined, NIL);
}

static void take_get(Process *actor, CallSignal *call) { port_answer((PortCall *)call, copy_value, port_of(actor)); }

static void take_set(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Setting *s = (Setting *)call;
    bool is_set = is_open(port);
    if (is_set) {
        kept_release(&port->value);
        port->value = s->value;
    } else {
        kept_release(&s->value);
    }
    port_answer_with(&s->call, bool_term(is_set));
}

static Term get(Process *p, Term id) {
    Port *port = port_at_name(id);
    if (port == NULL)
        return am_false;
    PortCall *call = port_call_create(sizeof *call, p->pid, take_get);
    call->is_silent = true;
    return port_ask(p, port, call, am_false);
}

Term erlang_port_get_data_1(Process *p, const Term *a) {
    Term answer;
    if (!request_goes_on(p, &answer))
        answer = get(p, a[0]);
    if (answer == am_false)
        return fail_badarg(p);
    return is_value(answer) ? list_head(answer) : NON_VALUE;
}

static void release(PortCall *c) { kept_release(&((Setting *)c)->value); }

/* Made before the port is looked for: it may be long work. */
static Term set(Process *p, Term id, Term value) {
    Kept kept = kept_make(value);
    Port *port = port_at_name(id);
    if (port == NULL) {
        kept_release(&kept);
        return am_false;
    }
    Setting *s = port_call_create(sizeof *s, p->pid, take_set);
    s->value = kept;
    s->call.is_silent = true;
    s->call.release = release;
    return port_ask(p, port, &s->call, am_false);
}

Term erlang_port_set_data_2(Process *p, const Term *a) {
    Term answer;
    if (!request_goes_on(p, &answer))
        answer = set(p, a[0], a[1]);
    return answer == am_false ? fail_badarg(p) : answer;
}

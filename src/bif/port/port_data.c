/*
 * erlang:port_set_data/2, port_get_data/1: a term that a port keeps for whoever asks. Source: answers of OTP 25.
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "port/value.h"
#include "term/atom.h"

/* NULL: there is none, or it is closing. */
static Port *open_port_at(Term id) {
    Port *port = port_at_name(id);
    return port == NULL || port_has_status(port, PORT_CLOSING) ? NULL : port;
}

Term erlang_port_get_data_1(Process *p, const Term *a) {
    Port *port = open_port_at(a[0]);
    return port == NULL ? fail_badarg(p) : port_value_get(port, process_area(p));
}

/* The copy is made before the port is looked for: it may be long work. */
Term erlang_port_set_data_2(Process *p, const Term *a) {
    Kept value = kept_make(a[1]);
    Port *port = open_port_at(a[0]);
    if (port == NULL) {
        kept_release(&value);
        return fail_badarg(p);
    }
    port_value_set(port, value);
    return am_true;
}

/*
 * Commands to ports, their owners, their end, and which there are: what the functions of the module erlang stand on.
 * An atom says what is wrong. Source: erlang(3).
 */
#include "bif/argument.h"
#include "bif_table.h"
#include "port/closing.h"
#include "port/command.h"
#include "port/control.h"
#include "process/request.h"
#include "process/signal_handle.h"
#include "term/atom.h"

Term erts_internal_port_command_3(Process *p, const Term *a) {
    bool forced = false, not_suspended = false;
    Term options = a[2];
    for (; is_list(options); options = list_tail(options)) {
        if (list_head(options) == am_force)
            forced = true;
        else if (list_head(options) == am_nosuspend)
            not_suspended = true;
        else
            return am_badopt;
    }
    Port *port = port_at_name(a[0]);
    if (!is_nil(options))
        return am_badopt;
    return port_command(p, port, a[1], forced, not_suspended);
}

/* The number of an operation is 32 bits. */
static Term ask(Process *p, const Term *a, Term by(Process *, Term, unsigned, Term)) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    return is_small_within(a[1], 0, UINT32_MAX) ? by(p, a[0], (unsigned)small_value(a[1]), a[2]) : am_badarg;
}

Term erts_internal_port_control_3(Process *p, const Term *a) { return ask(p, a, port_control); }
Term erts_internal_port_call_3(Process *p, const Term *a) { return ask(p, a, port_call); }

/* What it has told of its end, p has heard when this returns. When it is called again the port may have gone, by this
 * very call. */
Term erts_internal_port_close_1(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    Port *port = port_at_name(a[0]);
    answer = port == NULL ? am_badarg : port_shut(p, port);
    if (answer != am_true)
        return answer;
    return signal_midway_result(p, signal_handle_midway(p) ? am_true : NON_VALUE);
}

Term erts_internal_port_connect_2(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    Port *port = port_at_name(a[0]);
    return port == NULL ? am_badarg : port_connect(p, port, a[1]);
}

/* The third is what is returned: the message, which is a tuple, or `ok`. */
Term erts_internal_port_send_when_free_3(Process *p, const Term *a) {
    Term sent = port_send_when_free(p, a[0], a[1]);
    if (is_value(sent))
        return a[2];
    if (p->request != NULL)
        p->request->place = (RequestPlace){am_erlang, am_send, a[2] == am_ok ? 3 : 2};
    return NON_VALUE;
}

Term erlang_ports_0(Process *p, const Term *a) {
    AreaList all = {process_area(p), NIL};
    port_table_count_all(port_is_listed, area_list_add, &all);
    return all.list;
}

/* viv_system:port_text/1: a port as a section of text, told by it, for system_info(procs) and the break menu. */
#include "bif/argument.h"
#include "bif_table.h"
#include "port/signal.h"
#include "port/text.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/bits.h"

static Term build(const PortCall *call, void *data, Area *area) {
    TEXT(text);
    port_text(&text, data);
    return binary_from_bytes(area, text.bytes, text.size);
}

static void tell(Process *actor, CallSignal *call) { port_answer((PortCall *)call, build, port_of(actor)); }

Term viv_system_port_text_1(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    Port *port = port_at(a[0]);
    if (port == NULL)
        return am_undefined;
    PortCall *call = port_call_create(sizeof *call, p->pid, tell);
    call->is_silent = true;
    return port_ask(p, port, call, am_undefined);
}

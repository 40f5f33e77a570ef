/* What libraries do with ports. Source: erl_nif(3). */
#include "nif/env.h"
#include "nif/zero.h"
#include "process/dirty_gate.h"
#include "process/port_table.h"
#include "process/route.h"

int enif_is_port_alive(ErlNifEnv *env, ErlNifPort *port) {
    visitor_enter();
    bool is_alive = is_local_port(port->port_id) && port_find(port->port_id) != NULL;
    visitor_leave();
    return is_alive;
}

/* Always later, whoever calls. The message's environment is as it was. */
int enif_port_command(ErlNifEnv *env, const ErlNifPort *to, ErlNifEnv *message_env, ERL_NIF_TERM message) {
    Process *p = env != NULL ? env->process : NULL;
    DirtyPause pause = p != NULL ? dirty_gate_pause(p) : (DirtyPause){NULL};
    visitor_enter();
    bool is_sent = !(p != NULL && nif_env_has_ended(env)) && is_local_port(to->port_id) &&
                   routes.port_bytes(p != NULL ? p->pid : NON_VALUE, to->port_id, nif_take(message));
    visitor_leave();
    dirty_gate_go_on(&pause);
    return is_sent;
}

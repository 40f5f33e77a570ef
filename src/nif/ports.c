/* What libraries do with ports. Source: erl_nif(3). */
#include "nif/env.h"
#include "process/port_table.h"
#include "process/route.h"

int enif_is_port_alive(ErlNifEnv *env, ErlNifPort *port) {
    visitor_enter();
    bool is_alive = is_local_port(port->port_id) && port_find(port->port_id) != NULL;
    visitor_leave();
    return is_alive;
}

/* Always later, whoever calls. */
int enif_port_command(ErlNifEnv *env, const ErlNifPort *to, ErlNifEnv *message_env, ERL_NIF_TERM message) {
    visitor_enter();
    Term from = env != NULL && env->process != NULL ? env->process->pid : NON_VALUE;
    bool is_sent = is_local_port(to->port_id) && routes.port_bytes(from, to->port_id, message);
    visitor_leave();
    if (is_sent && message_env != NULL)
        enif_clear_env(message_env);
    return is_sent;
}

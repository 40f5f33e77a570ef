/* What libraries do with ports. There are none in this runtime yet: none is alive, and none takes a command. */
#include "nif/env.h"

int enif_is_port_alive(ErlNifEnv *env, ErlNifPort *port) { return 0; }

int enif_port_command(ErlNifEnv *env, const ErlNifPort *to, ErlNifEnv *message_env, ERL_NIF_TERM message) { return 0; }

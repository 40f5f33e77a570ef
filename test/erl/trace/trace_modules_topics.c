/* A tracer with functions of its own for most topics; the rest falls back, also when only one of the two is there. */
#include "trace_modules.h"

ASK(enabled)
TELL(trace)
ASK(enabled_call)
TELL(trace_call)
ASK(enabled_garbage_collection)
TELL(trace_garbage_collection)
ASK(enabled_procs)
TELL(trace_procs)
ASK(enabled_receive)
TELL(trace_running_procs)
ASK(enabled_send)
TELL(trace_send)

static ErlNifFunc functions[] = {
    {"enabled", 3, enabled},
    {"trace", 5, trace},
    {"enabled_call", 3, enabled_call},
    {"trace_call", 5, trace_call},
    {"enabled_garbage_collection", 3, enabled_garbage_collection},
    {"trace_garbage_collection", 5, trace_garbage_collection},
    {"enabled_procs", 3, enabled_procs},
    {"trace_procs", 5, trace_procs},
    {"enabled_receive", 3, enabled_receive},
    {"trace_running_procs", 5, trace_running_procs},
    {"enabled_send", 3, enabled_send},
    {"trace_send", 5, trace_send},
};
static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) { return 0; }
static int upgrade(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info) { return 0; }
ERL_NIF_INIT(trace_tracer, functions, load, NULL, upgrade, NULL)

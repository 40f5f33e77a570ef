#include "trace_modules.h"

ASK(enabled)
TELL(trace)

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}};
ERL_NIF_INIT(trace_crowd_tracer, functions, NULL, NULL, NULL, NULL)

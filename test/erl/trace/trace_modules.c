/* A tracer that has the two functions that it must have. */
#include "trace_modules.h"

ASK(enabled)
TELL(trace)

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}};
ERL_NIF_INIT(trace_tracer, functions, NULL, NULL, NULL, NULL)

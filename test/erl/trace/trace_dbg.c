/* The tracer of trace_modules, for dbg:tracer(module, _). */
#include "trace_modules.c"

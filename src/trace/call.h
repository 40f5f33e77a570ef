/*
 * Calls of traced functions, their returns, and the exceptions that pass them: fills its part of the trace points
 * (process/trace_point.h). Once at start.
 */
#ifndef VIV_TRACE_CALL_H
#define VIV_TRACE_CALL_H

#include "process/trace_point.h"

void trace_calls_install(void);

#endif

/*
 * Calls of traced functions, their returns, and the exceptions that pass them: fills its part of the trace points
 * (process/trace_point.h). Once at start.
 */
#ifndef VIV_TRACE_CALL_H
#define VIV_TRACE_CALL_H

#include "process/trace_point.h"

/* What a frame is for, above the arity in its `what`. */
enum {
    FRAME_RETURN = 1 << 16,
    FRAME_EXCEPTION = 1 << 17,
    FRAME_RETURN_TO = 1 << 18,
    FRAME_META = 1 << 19,
};

void trace_calls_install(void);

#endif

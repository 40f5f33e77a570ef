/* Where code is, and where a process is, as terms: what events and messages of the runtime say. */
#ifndef VIV_PROCESS_PLACE_H
#define VIV_PROCESS_PLACE_H

#include "code/ranges.h"
#include "process/process.h"

/* {M, F, A} */
Term function_term(Area *area, const FunctionHeader *function);
Term place_mfa(Area *area, const CodePlace *place);
/* By hibernate/3, which left nothing but what it is to call? Who called hibernate/0 is where that returns. */
bool process_has_left_all(const Process *p);
/* Where a process that no thread runs goes on, as events of scheduling tell it: {M, F, A}, that of its beginning when
 * it is nowhere in code; 0 when it is exiting. */
Term place_of_process(const Process *p, Area *area);
/* The same of one that may be exiting, and has its stack still. By its own thread. */
Term place_in_code(const Process *p, Area *area);

#endif

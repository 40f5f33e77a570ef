/*
 * The code modification permission: its holder stages a code generation (code/module.h), or breakpoints.
 *
 * After a commit it stays taken until thread progress: only then does nobody read the generation that is staged next.
 * Between taking and releasing it a process does not return to the scheduler; a holder that must wait passes it on to a
 * callback (base/thread_progress.h), which any thread may run, and so does not depend on the process that began.
 */
#ifndef VIV_PROCESS_CODE_PERMISSION_H
#define VIV_PROCESS_CODE_PERMISSION_H

#include "process/permission.h"

extern Permission code_permission;

must_check static inline bool code_permission_take(Process *p) { return permission_take(&code_permission, p); }
/* Nothing was committed. Any thread that may look processes up. */
static inline void code_permission_release(void) { permission_release(&code_permission); }
/* After a commit. */
void code_permission_release_later(void);

/* A hook of trace/: asked after thread progress. True: there are breakpoints to be taken away first, and whoever does
 * that releases the permission. */
extern bool (*code_permission_kept)(void);

#endif

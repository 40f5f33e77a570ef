/*
 * The code modification permission: its holder stages a code generation (code/module.h), or breakpoints.
 *
 * After a commit it stays taken until thread progress: only then does nobody read the generation that is staged next.
 * A BIF that has it and returns gives it back; a holder that must wait passes it on to a callback
 * (base/thread_progress.h), which any thread may run, and so does not depend on the process that began.
 */
#ifndef VIV_REPLACE_CODE_PERMISSION_H
#define VIV_REPLACE_CODE_PERMISSION_H

#include "process/permission.h"

extern Permission code_permission;

must_check static inline bool code_permission_take(Process *p) { return permission_take(&code_permission, p); }
static inline void code_permission_pass_on(void) { permission_pass_on(&code_permission); }
/* Nothing was committed. Any thread that may look processes up. */
static inline void code_permission_release(void) { permission_release(&code_permission); }
/* After a commit, by the BIF that has it. */
void code_permission_release_later(void);

/* The same. The BIF returns what this gives: the answer, an immediate term, or NON_VALUE as it waits until calls that
 * were on their way into replaced code, and are told there, have passed; it is called again then, and takes the answer
 * with request_goes_on. */
must_check Term code_permission_release_answering(Process *p, Term answer);

/* Who waits for a change to take effect, as a request (process/request.h). */
typedef struct {
    Term pid; /* NON_VALUE: nobody */
    uint64_t id;
    Term answer;
} CodeAsker;
#define CODE_ASKED_BY_NOBODY ((CodeAsker){.pid = NON_VALUE})

/* Hooks of trace/. `lingers`: after a commit, by the holder: are there such calls to be told? `kept`: asked after
 * thread progress. True: there are breakpoints to be taken away first, and whoever does that releases the permission,
 * and answers when nothing is told in replaced code any more. */
typedef struct {
    bool (*lingers)(void);
    bool (*kept)(CodeAsker asker);
} CodePermissionHooks;
extern CodePermissionHooks code_permission_hooks;

#endif

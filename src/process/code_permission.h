/*
 * The code modification permission: one holder at a time stages a code generation (code/module.h), or breakpoints.
 *
 * Who does not get it sleeps as a process, never as a thread, in a queue; the BIF is called again when its turn has
 * come. A release hands the permission to the first in the queue. One that was handed it and is killed, or suspended
 * before it can take it, does not keep the others waiting: it goes on to the next. (Who was suspended asks again, and
 * stands first, when it is resumed.) Killed waiters leave the queue.
 *
 * After a commit it stays taken until thread progress: only then does nobody read the generation that is staged next.
 * Between taking and releasing it a process does not return to the scheduler; a holder that must wait passes it on to a
 * callback (base/thread_progress.h), which any thread may run, and so does not depend on the process that began.
 */
#ifndef VIV_PROCESS_CODE_PERMISSION_H
#define VIV_PROCESS_CODE_PERMISSION_H

#include "process/process.h"

/* True: the caller has it. False: the BIF returns NON_VALUE; p->fail says that the process waits. Not on dirty threads,
 * where a BIF cannot wait. */
must_check bool code_permission_take(Process *p);
/* Nothing was committed. Any thread that may look processes up. */
void code_permission_release(void);
/* After a commit. */
void code_permission_release_later(void);
/* For work that no process does: `run` is called with the permission when its turn has come, from a callback of thread
 * progress. The client is the caller's memory until then. Any thread that may look processes up. */
typedef struct CodePermissionClient {
    ProgressNode progress;
    void (*run)(struct CodePermissionClient *client);
} CodePermissionClient;
void code_permission_take_for(CodePermissionClient *client, void (*run)(CodePermissionClient *client));

/* A hook of trace/: asked after thread progress. True: there are breakpoints to be taken away first, and whoever does
 * that releases the permission. */
extern bool (*code_permission_kept)(void);

/*
 * For work that is done on a dirty thread. A BIF calls code_permission_reserve as it would code_permission_take; when
 * that is true, it traps to a dirty BIF, which calls code_permission_take_reserved. False: the process was suspended in
 * between and has lost its turn; trap back to the first BIF.
 */
must_check bool code_permission_reserve(Process *p);
must_check bool code_permission_take_reserved(Process *p);

#endif

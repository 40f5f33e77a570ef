/*
 * The code modification permission: one holder at a time stages a code generation (code/module.h), or breakpoints.
 *
 * Who does not get it sleeps as a process, never as a thread: the BIF is called again once the permission is free.
 * After a commit it stays taken until thread progress: only then does nobody read the generation that is staged next.
 */
#ifndef VIV_PROCESS_CODE_PERMISSION_H
#define VIV_PROCESS_CODE_PERMISSION_H

#include "process/process.h"

/* True: the caller has it, and gives it back before its BIF returns. False: p->fail says that the process waits. */
must_check bool code_permission_take(Process *p);
/* Nothing was committed. */
void code_permission_release(void);
/* After a commit. */
void code_permission_release_later(void);

#endif

/*
 * The purge that is under way: whose code is to go, and who waits for it.
 *
 * One purge at a time, by the stock process erts_code_purger (bif/code/code_purge.c makes its steps):
 *
 *   begin      the funs of the old code become pending: their entries' addresses lead to fun_pending_address. After
 *              thread progress nobody can enter the code any more, but who is in it may go on. Then each process that
 *              may be (replace/asked.h) is asked whether it is (replace/code_check.h).
 *   abort      the funs lead to the code again; or
 *   complete   they lead to the error handler, and the code may be freed after thread progress.
 *
 * Who calls a pending fun is suspended, with the call of erts_code_purger:pending_purge_lambda/3 as what it does next,
 * until one of the two happens. The lock PURGE guards the list of these processes and the change of the addresses from
 * and to pending, so nobody is entered in the list after it was read.
 */
#ifndef VIV_REPLACE_PURGE_H
#define VIV_REPLACE_PURGE_H

#include "code/module.h"
#include "process/process.h"

/* Of the purge that is under way; NULL when there is none. Good until the next quiescent point. */
const ModuleInstance *purge_instance(void);

/* By the purger only, with the code modification permission, under which others set addresses of funs. */
void purge_begin(ModuleInstance *instance);
void purge_abort(void);
/* Gives the instance, which is the caller's now: the ranges lead to it still. */
ModuleInstance *purge_complete(void);

/* The call of a local fun found a pending address. True: p counts as suspended now and must stop. False: the fun is
 * pending no more. */
bool purge_wait(Process *p, const FunEntry *entry);

#endif

/*
 * Why a process keeps code from going away: what viv_code:holders/1,2 asks each of them.
 *
 * The answer of the task is a list of the reasons that hold for the old code of a module (or the code that is being
 * purged), and for its literals that are waiting to be released: `stack` (it runs it, or will return to it), `fun` (it
 * has a fun of it), `literal` (it refers to a literal of it). The process collects first, so that only what is alive
 * counts. One in a dirty call answers `native` when that call was made by the code; otherwise there is no answer until
 * the call is over.
 */
#ifndef VIV_REPLACE_CODE_HOLDERS_H
#define VIV_REPLACE_CODE_HOLDERS_H

#include "process/system_task.h"

/* The argument is the module, an atom. */
extern const SystemTaskKind system_task_holder;

#endif

/*
 * Does a process run this code? Direct references only, as stock: the instruction to go on at, return addresses and
 * catches on the stack, and what load_nif/2 is loading a library for. Funs and literals are dealt with by purging
 * itself (bif/code/code_purge.c), and are no hindrance.
 * Source: erlang(3) check_process_code/3, from ERTS 9.0 on.
 */
#ifndef VIV_REPLACE_CODE_CHECK_H
#define VIV_REPLACE_CODE_CHECK_H

#include "code/module.h"
#include "process/system_task.h"

/* What is asked about: the instance that is being purged, when it is one of that module (it may be one whose on_load
 * function failed), else the module's old code. NULL: none. Good until the next quiescent point. */
const ModuleInstance *code_to_check(Term module);
/* Where its code lies. Stays true of what a process's stack refers to, which does not go away before the process has
 * answered; the instance does, when the asker gives up. */
typedef struct {
    const Word *start;
    size_t words;
} CodeRange;
static inline CodeRange code_range(const ModuleInstance *m) { return (CodeRange){m->code, m->word_count}; }
/* By the owner, p not within the engine: p->ip, p->works_for and the stack say where it is; in a dirty call, by who
 * handles its signals. A long walk is long work, for which the thread goes offline (base/long_work.h). */
bool code_check(const Process *p, CodeRange code);

/* Does it run the old code of the module that is the argument, an atom? am_true or am_false. */
extern const SystemTaskKind system_task_check_code;

#endif

/*
 * process_flag(save_calls, N): a process keeps the last N global calls, sends and receives.
 *
 * While it saves calls its `reductions` never stand above 1 in the engine, so that every place that would end a slice
 * comes here instead, and records the call before it goes on; the reductions that are really left are in `left`. A
 * process that saves nothing pays nothing. Belongs to the thread that runs the process. Source: erlang(3) process_flag.
 */
#ifndef VIV_PROCESS_SAVED_CALLS_H
#define VIV_PROCESS_SAVED_CALLS_H

#include "process/process.h"

#define SAVED_CALLS_MAX 10000

typedef struct SavedCalls {
    int64_t left;    /* reductions, as of when p->reductions was 1; good while engaged */
    bool is_engaged; /* p->reductions stand at 1 or below: the engine runs the process */
    uint32_t size, next, count;
    Word calls[];    /* a ring: addresses of exports, and atoms for what is no call */
} SavedCalls;

/* Changes the size, 0: off; what was saved is dropped. `in_engine`: the engine is running p. Gives the old size. */
uint32_t saved_calls_resize(Process *p, uint32_t size, bool in_engine);
/* A call through an export; sends are marked as such too. */
void saved_calls_add(Process *p, const struct Export *e);
void saved_calls_add_event(Process *p, Term name);
/* [{M, F, A} | send | 'receive' | timeout], oldest first. */
Term saved_calls_list(const Process *p, Area *area);

/* Around the engine's run. */
void saved_calls_engage(Process *p);
void saved_calls_disengage(Process *p);
/* p->reductions are used up in the engine's eyes. True: only there, and they are 1 again. */
bool saved_calls_go_on(Process *p);
/* What is really left of the slice. By the thread that runs p. */
int64_t process_reductions_left(const Process *p);

#endif

/*
 * Permissions: each has one holder at a time. Who does not get it sleeps as a process, never as a thread, in a queue,
 * first come, first served; the BIF is called again when its turn has come.
 *
 * Who takes one in a BIF has it until that returns, however it does (process/waiting_bif.h), unless he gives it back
 * before, or passes it on: to a callback, or to an object that outlives the call; these give it back.
 *
 * A release hands the permission to the first in the queue. One that was handed it and is killed, or suspended before
 * it can take it, or whose BIF does not take it when it is called again, does not keep the others waiting: it goes on
 * to the next. (Who was suspended asks again, and stands first, when it is resumed.) Killed waiters leave the queue.
 *
 * Who waits lends his priority (process/run_queue.h): a process that has a permission, or was handed it, runs at the
 * most urgent priority of those that stand in the queue, until it has given it back or passed it on to a callback; and
 * so, if it waits itself meanwhile, does the one for whom it waits. What callbacks wait for is as urgent as can be.
 *
 * A process waits for one permission at a time (it is a request: process/request.h); it may hold others. Who holds that
 * of a module's natives (bif/code/nif_load.c) may take the code modification permission, not the other way round.
 */
#ifndef VIV_PROCESS_PERMISSION_H
#define VIV_PROCESS_PERMISSION_H

#include "process/process.h"

/* All of it is written under LOCK_PERMISSIONS. All zero: nobody has it. */
typedef struct Permission {
    struct PermissionWaiter *first, *last;
    uint32_t waiting[PRIORITY_COUNT]; /* how many, by priority */
    bool is_taken; /* or handed to a waiter */
    Term holder;   /* the process that has it, or was handed it; 0: none has */
    struct Permission *alike; /* NULL, or the first of the `alike_count` of which it is one: any of them will do */
    unsigned alike_count;
    struct Permission *next_taken; /* in the list of all that are taken */
} Permission;

/* True: the BIF that p runs has it, and may take no other before. False: the BIF returns NON_VALUE; p->fail says that
 * the process waits. Only in BIFs that may wait. */
must_check bool permission_take(Permission *permission, Process *p);
/* The same for any one of several, which are asked for so alone. Who waits is handed the first that is given back when
 * nobody waits for that. */
must_check bool permission_take_one_of(Permission *permissions, unsigned count, Process *p);
/* The BIF that has it keeps it no longer: it is a callback's now. */
void permission_pass_on(Permission *permission);
/* The process has it still when the BIF has returned. */
void permission_keep(Permission *permission);
/* By who has it. Any thread that may look processes up. */
void permission_release(Permission *permission);
/* That which the BIF has, if any. */
void permission_give_back(void);
bool permission_is_held(void);

/* For work that no process does: `run` is called with the permission when its turn has come, from a callback of thread
 * progress. The client is the caller's memory until then. Any thread that may look processes up. */
typedef struct PermissionClient {
    ProgressNode progress;
    void (*run)(struct PermissionClient *client);
} PermissionClient;
void permission_take_for(Permission *permission, PermissionClient *client, void (*run)(PermissionClient *client));

#endif

/*
 * Processes that one node makes for another.
 *
 * Who asks keeps a request among its monitors, under the key of the reference that it is told (MONITOR_SPAWN); the
 * order FAR_SPAWN tells the connection. The other node makes the process with its sides of link and monitor, and what
 * it answers becomes a call to who has asked (spawn_reply_from_far): that makes its own sides, and has the message that
 * tells of it. Nothing of the new process can come before it. One that abandons its request keeps it to the same end:
 * what the other node has set up is undone when the answer comes.
 *
 * Who ends with requests that ask for links leaves his reason behind (orphans): it is what the new process hears as the
 * end of its parent. Source: erlang(3) spawn_request/5, spawn_request_abandon/1; ERTS User's Guide, "Distribution
 * Protocol"; answers of OTP 25.
 */
#ifndef VIV_PROCESS_SPAWN_FAR_H
#define VIV_PROCESS_SPAWN_FAR_H

#include "process/spawn_options.h"

/* --- By who asks --- */

typedef struct {
    bool link, link_is_priority, monitor;
    MonitorOptions monitor_options;
    SpawnReply reply;
    Term wire; /* the options that the other node is told */
} FarSpawnOptions;
/* What this node has to know is decoded, the rest is the other's to know. Without `takes_reply` the options of replies
 * are bad ones. Behind a bad one nothing is looked at. */
SpawnOptionsResult spawn_far_options_decode(Area *area, Term list, bool takes_reply, FarSpawnOptions *options);
/* The reference, built in p's area. An error comes as the reply. */
Term spawn_far_request(Process *p, Term node, Term module, Term function, Term arguments,
                       const FarSpawnOptions *options);
/* False: p has no such request that was not answered yet. */
bool spawn_far_abandon(Process *p, uint64_t key);

enum { SPAWNED_LINKED = 1, SPAWNED_MONITORED = 2 }; /* as they go over the wire */
/* By the connection, any thread that may look pids up: `result` is the new process's pid, or an atom that says why
 * there is none; noconnection, when the connection is lost before the answer. `token` is that of a sequential trace,
 * NIL: none. False: who has asked has ended, and the caller undoes what was set up, the link by an exit signal with
 * *reason, which he releases. */
must_check bool spawn_reply_from_far(Term to, uint64_t key, uint32_t flags, Term result, Term token, Kept *reason);
/* When p begins to end. */
void spawn_far_leave_orphans(Process *p);

/* --- By the connection, for who asks there --- */

typedef struct FarSpawn {
    Term parent, group_leader; /* pids of whatever node */
    Term module, function, arguments, options;
    Term token; /* of a sequential trace: the process begins with it; NIL: none */
    uint64_t key; /* by which `watch` watches, when the options say so: then it is taken over */
    NativeWatch *watch;
    /* It has been made, and the answer is to be sent: whatever the process does comes behind that. Not called when
     * there is none. May not collect. */
    void (*spawned)(const struct FarSpawn *s, Term pid, uint32_t flags);
} FarSpawn;
/* `arguments` point into `data`, if not NULL: it becomes the process's, or is freed. The pid, or an atom: badopt,
 * badarg, system_limit. Any thread that may look pids up. */
Term process_spawn_from_far(const FarSpawn *s, Fragment *data);

#endif

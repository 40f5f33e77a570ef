/*
 * Monitors and aliases. A Monitor stands with the process that made it, a Watcher with the process that is watched;
 * both have the reference's number as key, and each belongs to its process's thread. They are joined by signals only,
 * or by who owns a process that rests, and does to it what the signal would (process/rest.h).
 *
 * An alias is a Monitor that receives: a message to its reference reaches the process as long as it is active. One
 * object may be both; it goes when it is neither. A monitor that was removed before its DOWN signal arrives is not
 * found then, and the signal is dropped. What is watched on another node has its Watcher there: orders to the
 * connection (process/far.h) take the place of signals to it. Source: erlang(3) monitor/3, alias/1, demonitor/2,
 * unalias/1.
 */
#ifndef VIV_PROCESS_MONITOR_H
#define VIV_PROCESS_MONITOR_H

#include "process/far.h"
#include "process/message.h"

typedef enum { ALIAS_NONE, ALIAS_EXPLICIT_UNALIAS, ALIAS_DEMONITOR, ALIAS_REPLY_DEMONITOR, ALIAS_REPLY } AliasMode;
typedef enum {
    MONITOR_NONE,
    MONITOR_PROCESS,
    MONITOR_PORT,
    MONITOR_TIME_OFFSET,
    MONITOR_FAR,      /* a process of another node */
    MONITOR_FAR_NAME, /* whoever has a name on another node */
    MONITOR_SPAWN,    /* a process that another node was asked to make: no monitor yet, and no alias */
} MonitorType;

/* What is to be done when the other node has answered (process/spawn_far.h). */
typedef struct {
    bool link, link_is_priority, monitor, is_abandoned;
    bool tells_success, tells_error;
    AliasMode alias; /* of the monitor */
    Kept tag;        /* of the message that tells it */
} SpawnRequest;

typedef struct {
    KeyNode node;
    MonitorType type; /* MONITOR_NONE: an alias only */
    AliasMode alias;
    /* Pid or port; NON_VALUE when there was nobody of that name. MONITOR_FAR: an actor key, with a count;
     * MONITOR_FAR_NAME: the node's name. */
    union {
        Term target;
        SpawnRequest *request; /* MONITOR_SPAWN */
    };
    Term name;   /* the registered name it was made by, or NON_VALUE */
    Kept tag;    /* in place of 'DOWN' */
    bool is_alias_reference; /* the reference carries the pid, active or not */
    bool down_is_priority, alias_takes_priority; /* messages: process/receive_marker.h */
} Monitor;

/* Native code that watches a process (nif/monitor.h), or a process of another node that does, by its connection: it is
 * told instead of an origin. One count goes with the signal, then with the watcher; exactly one of the two is called
 * for it, by the watched process's thread, and takes it over. Neither may collect; both may send signals. */
typedef struct NativeWatch {
    /* `ending`: pid's process, if it may go on with its end later (process_end_later); NULL: it may not. */
    void (*down)(struct NativeWatch *watch, Process *ending, Term pid, Term reason);
    void (*drop)(struct NativeWatch *watch); /* demonitored */
    Term (*origin)(const struct NativeWatch *watch, Area *area); /* what monitored_by shows; NON_VALUE: nothing */
    Term (*reference)(const struct NativeWatch *watch, Area *area); /* NULL: no process watches */
    bool is_first; /* told before links and other watchers are: what they hear, they hear after it */
} NativeWatch;

typedef struct {
    KeyNode node;
    Term origin; /* NON_VALUE: native */
    Term name;
    bool is_alias_reference;
    NativeWatch *native; /* or NULL */
} Watcher;

typedef struct {
    Signal signal;
    uint64_t key;
    Term origin, name;
    bool is_alias_reference;
    NativeWatch *native;
} MonitorSignal;

typedef struct {
    AliasMode alias;
    Term tag; /* am_DOWN, of the offset of time am_CHANGE, unless given */
    bool down_is_priority, alias_takes_priority;
} MonitorOptions;
#define MONITOR_DEFAULTS ((MonitorOptions){.alias = ALIAS_NONE, .tag = am_DOWN})

/* Each returns the reference, built in p's area. `name`: NON_VALUE, or the name by which `pid` was found (pid
 * NON_VALUE: nobody has it; the DOWN message is under way then). */
Term monitor_process(Process *p, Term pid, Term name, const MonitorOptions *options);
Term monitor_port(Process *p, Term port, Term name, const MonitorOptions *options); /* the same of a local port */
Term monitor_earlier_port(Process *p, Term port, const MonitorOptions *options); /* of an earlier run of this node */
Term monitor_far_name(Process *p, Term name, Term node, const MonitorOptions *options); /* another node's */
Term monitor_time_offset(Process *p, const MonitorOptions *options);
Term alias_make(Process *p, AliasMode mode, bool takes_priority);
/* Both sides of a process that is being made: `child` belongs to the caller still. */
Term monitor_spawned(Process *p, Process *child, const MonitorOptions *options);
/* The same of one that another watches. */
void monitor_spawned_native(Process *child, uint64_t key, NativeWatch *watch);
/* MONITOR_SPAWN: takes the request over; the key is the reference's. */
Monitor *monitor_request(Process *p, const SpawnRequest *request, const MonitorOptions *options);
/* NULL: there is none, or it has been answered. */
Monitor *monitor_request_find(const Process *p, uint64_t key);
/* It has been: it is the monitor of `pid` from now on, which was set up there; NON_VALUE: it is gone. */
void monitor_request_end(Process *p, Monitor *m, Term pid);
/* The reference of a monitor, built again. */
Term monitor_reference(Area *area, uint64_t key, Term alias_pid);

static inline bool monitor_is_shown(const Monitor *m) { return m->type != MONITOR_NONE && m->type != MONITOR_SPAWN; }
/* What it monitors, as it was named: a pid, a port, {Name, Node}; MONITOR_OBJECT_WORDS words at most. */
#define MONITOR_OBJECT_WORDS FAR_TERM_WORDS
Term monitor_object(Area *area, const Monitor *m);

/* What there was of p's: nothing, one that had told nothing yet, or one that tells again and again. */
typedef enum { MONITOR_ABSENT, MONITOR_SILENT, MONITOR_REPEATING } MonitorRemoved;
MonitorRemoved monitor_remove(Process *p, uint64_t key);
/* The same; `node` becomes that of whom it watched, when that is another, else NON_VALUE. */
MonitorRemoved monitor_remove_any(Process *p, uint64_t key, Term *node);
/* False: no active alias. */
bool alias_remove(Process *p, uint64_t key);
/* May a message to this alias be received? `accept` ends one that is good for one reply. */
typedef enum { ALIAS_CLOSED, ALIAS_OPEN, ALIAS_OPEN_TO_PRIORITY } AliasState;
AliasState alias_state(const Process *p, uint64_t key);
AliasState alias_accept(Process *p, uint64_t key);

/* By an actor that is no process, which has no references: the monitor's key, of a monitor that it has until
 * monitor_remove; 0: there is no such process. Its SIGNAL_DOWN has the key. monitor_target: NON_VALUE when there is no
 * such monitor. */
uint64_t monitor_by_actor(Process *actor, Term pid);
Term monitor_target(const Process *actor, uint64_t key);

/* Any thread that may look pids up. False: there is no such process, and the count is still the caller's. */
must_check bool monitor_native(Term pid, uint64_t key, NativeWatch *watch);
void demonitor_native(Term pid, uint64_t key);
void monitor_handle(Process *p, MonitorSignal *s);
/* By one that is exiting, or has ended: who monitors hears noproc. A native watch is told with the others, when p has
 * left the process table: it is a library's code, and the gate of a call may be held (process/dirty_gate.h). */
void monitor_refuse(Process *p, MonitorSignal *s);
/* What the end of a monitor of another node's process, `object` is the pid or {Name, Node}, is told by: a SIGNAL_DOWN,
 * for the process that has the Monitor. `alias_pid`: its pid, where the reference carries it; else NON_VALUE. */
Message *monitor_down_from_far(uint64_t key, Term alias_pid, Term object, Term reason);
/* A DOWN signal: the message to receive, or NULL when the monitor was removed (the signal is freed then). That the
 * offset of time has changed is one too, and ends no monitor. */
Message *monitor_down(Process *p, Message *down, bool *is_priority);
/* Is there anything of p's that lets it receive priority messages: an alias, a monitor? */
bool monitor_takes_priority(const Process *p);
/* When p ends: tells one watcher, or one process that p monitors. False when there is none left. */
bool watcher_down_next(Process *p, Term reason);
/* Before the links: those native ones that are first. */
void watchers_first_down(Process *p, Term reason);
bool monitor_release_next(Process *p);

#endif

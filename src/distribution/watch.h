/*
 * Processes of this node that somebody on another one monitors: to the process it is native code that watches
 * (process/monitor.h), whose functions make the order that tells the other.
 */
#ifndef VIV_DISTRIBUTION_WATCH_H
#define VIV_DISTRIBUTION_WATCH_H

#include "distribution/channel.h"

/* By the channel's thread: `external_pid` there monitors, by `reference`, the process `pid`, which it named `name` or,
 * NON_VALUE, by its pid. False: there is no such process; nothing has changed. */
must_check bool watch_begin(Channel *c, Term external_pid, Term reference, Term pid, Term name);
/* The same for one that is to be spawned: the watch is the new process's, with `*key`; then who that is, or that there
 * is none. */
NativeWatch *watch_spawned(Channel *c, Term external_pid, Term reference, uint64_t *key);
void watch_spawned_is(NativeWatch *watch, Term pid);
void watch_spawned_not(Channel *c, uint64_t key);
/* The order that tells its end has come to the channel: the tie goes. */
void watch_was_told(Channel *c, uint64_t key);
/* Demonitored there; nothing, if there is none. */
void watch_end(Channel *c, Term reference);
/* The connection is lost: one less. False: there was none. */
bool watch_end_next(Channel *c);

#endif

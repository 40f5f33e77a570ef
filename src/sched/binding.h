/*
 * Binding schedulers to processors: each to one of those that the program may use, in the order of the bind type
 * (sched/bind_order.h) over the topology (sched/topology.h), or to none.
 *
 * Binding is the scheduler's, not the thread's: whoever serves a run queue binds himself as the queue's scheduler is to
 * be, and is unbound from the moment that he has given the queue away. All other threads are never bound.
 *
 * Nobody waits for anybody. What is wanted of a scheduler is a number, `wanted`, which changes under the lock BINDING,
 * by who sets the type, the topology, or how many schedulers are active; those that are not are unbound. Then he calls
 * the scheduler. The thread that serves it compares that number with what itself has done last, where it looks at the
 * clock, before and after it sleeps and when it takes the queue over, and follows. It alone writes what the scheduler
 * is bound to, which system_info(scheduler_bindings) tells: until it has followed, that is the old one; what passes
 * the queue on orders the writes of two threads.
 * A processor that the system refuses leaves the scheduler unbound, which is reported once for each.
 * Source: erl(1), +sbt; erlang(3), system_flag(scheduler_bind_type, _); what OTP 25 answers.
 */
#ifndef VIV_SCHED_BINDING_H
#define VIV_SCHED_BINDING_H

#include <stdatomic.h>

#include "sched/bind_order.h"

#define BOUND_TO_NONE (-1)

/* Once, before threads start: unbound. */
void binding_init(unsigned schedulers);
BindType binding_type(void);
/* The old type in *old. False, and nothing changes: there is no topology. Any thread, as are the next ones. */
must_check bool binding_set_type(BindType type, BindType *old);
/* The topology, or which processors the program may use, has changed. */
void binding_renew(void);
/* Of the first so many schedulers is it asked that they are bound. One caller at a time. */
void binding_set_active(unsigned count);
/* A processor, or BOUND_TO_NONE. */
int32_t binding_of(unsigned scheduler);

/* By the thread that serves the scheduler's queue, between two slices, and first when it has taken it over. May send a
 * message. */
void binding_follow(unsigned scheduler);
/* By the same: is there something to follow? A load. */
bool binding_is_due(unsigned scheduler);
/* By the thread that has given it away, at any place. */
void binding_leave(void);

#endif

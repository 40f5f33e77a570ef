/*
 * The processors' topology, and how schedulers are bound to them (sched/binding.h), as terms. Source: erlang(3).
 *
 * The stock erlang module turns a topology from and into the form of the manual (erlang:set_cpu_topology/1 and
 * format_cpu_topology/1, which are trapped to); here it is a list of
 * {cpu, Node, Processor, ProcessorNode, Core, Thread, Logical}.
 */
#ifndef VIV_BIF_SYSTEM_CPU_TOPOLOGY_H
#define VIV_BIF_SYSTEM_CPU_TOPOLOGY_H

#include "process/process.h"

/* `which` is detected, defined or used. */
Term get_cpu_topology(Process *p, Term which);
/* A list of such tuples, or undefined. Gives the one used before. */
Term set_internal_cpu_topology(Process *p, Term value);
/* Processors are looked for again: changed or unchanged. */
Term update_cpu_info(Process *p);

Term get_bind_type(Process *p);
/* Gives the one before. badarg, too, where there is no topology. */
Term set_bind_type(Process *p, Term value);
Term get_scheduler_bindings(Process *p);

#endif

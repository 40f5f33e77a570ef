/*
 * The processors' topology, as detected and as defined by system_flag(cpu_topology, _). Source: erlang(3).
 *
 * The stock erlang module turns it from and into the form of the manual (erlang:set_cpu_topology/1 and
 * format_cpu_topology/1, which are trapped to); here it is a list of
 * {cpu, Node, Processor, ProcessorNode, Core, Thread, Logical}. It is told to who asks: no thread is bound to a
 * processor.
 */
#ifndef VIV_BIF_SYSTEM_CPU_TOPOLOGY_H
#define VIV_BIF_SYSTEM_CPU_TOPOLOGY_H

#include "process/process.h"

/* `which` is detected, defined or used. */
Term get_cpu_topology(Process *p, Term which);
/* A list of such tuples, or undefined. Gives the one used before. */
Term set_internal_cpu_topology(Process *p, Term value);

#endif

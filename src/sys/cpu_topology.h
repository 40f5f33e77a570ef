/*
 * Where each logical processor stands: NUMA node, processor (package), core, thread of the core.
 *
 * A level that is not there is -1. A node stands above processors (`node`) or, where one processor has several, below
 * its processor (`processor_node`). Source: /sys/devices/system/cpu, as the Linux kernel's cputopology.rst tells it.
 */
#ifndef VIV_SYS_CPU_TOPOLOGY_H
#define VIV_SYS_CPU_TOPOLOGY_H

#include "base/defs.h"

#define CPU_PLACES_MAX 65536   /* that somebody may define */
#define CPU_NUMBER_MAX 65535   /* of a processor, and of what it is in */

typedef struct {
    int32_t node, processor, processor_node, core, thread, logical;
} CpuPlace;

/* Those that are online, at most `max`, sorted. 0: the system does not say. Reads files. */
size_t cpu_topology_detect(CpuPlace *places, size_t max);
/* By processor, then node, core, thread, and the logical number last. */
void cpu_topology_sort(CpuPlace *places, size_t count);

typedef enum { TOPOLOGY_GOOD, TOPOLOGY_NUMBER_TWICE, TOPOLOGY_PLACE_TWICE, TOPOLOGY_NODES_DIFFER } TopologyFault;
/* What somebody defines, sorted, with numbers up to CPU_NUMBER_MAX: no number is there twice, no place is, and nodes
 * are told of all processors or of none, and in the same way throughout one. */
TopologyFault cpu_topology_check(const CpuPlace *places, size_t count);

#endif

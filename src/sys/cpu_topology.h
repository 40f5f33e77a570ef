/*
 * Where each logical processor stands: NUMA node, processor (package), core, thread of the core.
 *
 * A level that is not there is -1. A node stands above processors (`node`) or, where one processor has several, below
 * its processor (`processor_node`). Source: /sys/devices/system/cpu, as the Linux kernel's cputopology.rst tells it.
 */
#ifndef VIV_SYS_CPU_TOPOLOGY_H
#define VIV_SYS_CPU_TOPOLOGY_H

#include "base/defs.h"

#define CPU_PLACES_MAX 8192

typedef struct {
    int32_t node, processor, processor_node, core, thread, logical;
} CpuPlace;

/* Those that are online, at most `max` (up to CPU_PLACES_MAX), sorted. 0: the system does not say. Reads files. */
size_t cpu_topology_detect(CpuPlace *places, size_t max);
/* By processor, then node, core, thread, and the logical number last. */
void cpu_topology_sort(CpuPlace *places, size_t count);

#endif

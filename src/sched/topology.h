/*
 * The processors as schedulers are bound to them: those that somebody has defined (+sct, system_flag(cpu_topology, _)),
 * or else those that are detected.
 *
 * They are detected when they are first needed, or looked for again (system_info(update_cpu_info)); never where +sct
 * or +ssrct say so. Under the lock CPU_TOPOLOGY, which nobody holds while files are read. Who asks gets a copy.
 * Source: erl(1), erlang(3); what OTP 25 answers.
 */
#ifndef VIV_SCHED_TOPOLOGY_H
#define VIV_SCHED_TOPOLOGY_H

#include "sys/affinity.h"
#include "sys/cpu_topology.h"

typedef struct {
    CpuPlace *places; /* sorted; ALLOC_MISC, or NULL where there are none */
    size_t count;
} Topology;

typedef enum { TOPOLOGY_DETECTED, TOPOLOGY_DEFINED, TOPOLOGY_USED } TopologyKind;

/* Before anything is asked for. */
void topology_skip_detection(void);
/* Reads what is to be read; the functions below do so themselves. For who will hold a lock. */
void topology_prepare(void);
/* Takes the places over; none: what was defined is forgotten. Those used before are the caller's. */
Topology topology_define(Topology defined);
Topology topology_copy(TopologyKind kind);
void topology_release(Topology *t);
/* Detects them again. True: they have changed, or which of them this program may use. */
bool topology_detect_again(void);

#endif

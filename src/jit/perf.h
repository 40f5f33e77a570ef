/*
 * The files that perf reads. Source: tools/perf/Documentation of Linux: jit-interface.txt, jitdump-specification.txt.
 *
 * In the map a line is what stands in memory now: when code goes its lines are overwritten with empty ones. In the dump
 * nothing is taken back: what stands at the same place later has a later time. A mapping of the dump, which may be
 * executed, is what perf notes of it: `perf inject --jit` looks for that, and needs `perf record -k mono`.
 *
 * Who writes takes a piece of the file first, by an addition to its length, and writes there: no lock, and no order.
 */
#ifndef VIV_JIT_PERF_H
#define VIV_JIT_PERF_H

#include "jit/names.h"

/* False: said why not. */
bool perf_map_start(void);
bool perf_dump_start(void);

/* What was written of a block: bytes of the map. */
typedef struct {
    uint64_t at, size;
} PerfLines;
PerfLines perf_map_tell(const NativeRanges *ranges);
void perf_map_forget(PerfLines lines);
void perf_dump_tell(const NativeRanges *ranges);

#endif

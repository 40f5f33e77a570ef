/*
 * What tools of the system are told of native code: which function stands where. Each flag asks for one of them, none
 * by default; what is asked for is set at start, before anything is loaded, and constant.
 *
 *   +JPperf map     /tmp/perf-PID.map: a line for each function, as perf reads it when it reports
 *   +JPperf dump    /tmp/jit-PID.dump: the same, with the code and its lines, each with the time when it came
 *   +JPperf true    both
 *   +JPgdb true     a file in memory for each module, as gdb reads it when it attaches, or looks at a core
 *
 * A function's range is that of its instructions, called `$module:function/arity` as on the stock runtime (in the dump
 * without the sign, as there); its slow ends stand behind all the module's code, and are a range of their own,
 * `$module:function/arity-exits`.
 *
 * A module's names are told when it is prepared, by the thread that does that, and forgotten when its block goes: what
 * is kept for that is the block's (names). No lock: nobody waits for another's names.
 */
#ifndef VIV_JIT_NAMES_H
#define VIV_JIT_NAMES_H

#include "code/module.h"
#include "jit/emit.h"

typedef struct {
    bool perf_map, perf_dump, gdb;
} NamesFlags;

/* As +JPperf's value says: true, false, map or dump. False: it is none of them. */
bool names_flags_perf(NamesFlags *flags, const char *value);
/* What cannot be had is said on standard error, and left out. */
void native_names_start(const NamesFlags *flags);
/* Does anybody want to know of names? */
bool native_names_are_told(void);
/* Of a module whose functions and lines are in place. No effect without a block. */
void native_names_tell(ModuleInstance *m, const NativeLayout *layout, const InsnPlace *places, size_t count);
/* Before the block is freed. */
void native_names_forget(NativeBlock *block);

/* For those who tell: a range of a module's native code. */
typedef struct {
    const char *name; /* without the $; ended by NUL */
    const uint8_t *code;
    size_t size;
    uint32_t first_word, end_word; /* of the function, whose lines are these; none (0, 0) for its exits */
} NativeRange;
typedef struct {
    const ModuleInstance *instance;
    const NativeLayout *layout;
    NativeRange *ranges;
    size_t count;
} NativeRanges;

#endif

/* How the runtime is to be started, whichever command line said so. Set before anything starts, then constant. */
#ifndef VIV_INIT_SETTINGS_H
#define VIV_INIT_SETTINGS_H

#include "init/memory_flags.h"
#include "jit/names.h"
#include "process/clock.h"
#include "process/recorder.h"
#include "sched/bind_order.h"

/* What Ctrl-C does: it shows the menu, nothing, it is a key, or what the system does by itself. */
typedef enum { BREAK_MENU, BREAK_IGNORED, BREAK_KEY, BREAK_ENDS } BreakAction;

/* Of threads of a kind: all, and those that are online. */
typedef struct {
    bool is_said;
    int total, online;
} PerCent;

typedef struct {
    char **command_line; /* ended by NULL */
    /* 0: as the machine has processors; as many as schedulers; 10 */
    unsigned schedulers, online, dirty_cpu, dirty_io;
    unsigned dirty_online; /* 0: as many dirty CPU threads as schedulers are online */
    PerCent part, dirty_part; /* of these, or of what the machine has */
    CpuPlace *places; /* the processors, as the user has them, or NULL; ALLOC_MISC, the parts' when they are there */
    size_t place_count;
    bool skips_detection; /* of processors */
    BindType bind_type;
    const char *must_bind; /* as this type is called, or the program does not start; NULL: it need not */
    size_t process_limit, port_limit, atom_limit; /* 0: the default */
    MemoryFlags memory;
    int64_t flush_timeout; /* -1: none */
    bool has_time_warp, corrects_time;
    bool has_native_code;
    uint32_t recorded; /* events of the flight recorder (process/recorder.h) */
    size_t records; /* of each of its rings */
    NamesFlags names; /* of its functions, for tools of the system */
    bool is_seen; /* the local door is opened (see/door.h) */
    TimeWarp time_warp; /* if has_time_warp */
    const char *boot_module; /* of a node */
    BreakAction on_break; /* the same */
} Settings;

static inline Settings settings_default(char **command_line) {
    return (Settings){.command_line = command_line,
                      .flush_timeout = -1,
                      .corrects_time = true,
                      .has_native_code = true,
                      .boot_module = "init",
                      .records = RECORDS_BY_DEFAULT};
}

#endif

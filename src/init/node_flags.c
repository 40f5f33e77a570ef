#include "init/node_flags.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bif/data/misc.h"
#include "bif/ets/ets.h"
#include "bif/system/system_info.h"
#include "emulator_flags.h"
#include "heap/heap.h"
#include "init/binding_flags.h"
#include "init/refuse.h"
#include "init/schedulers_flags.h"
#include "port/port.h"
#include "process/async_pool.h"
#include "process/port_table.h"
#include "process/recorder_text.h"
#include "distribution/channel.h"
#include "process/spawn.h"
#include "sys/native_text.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/text.h"

/* The longest, as a flag that begins another stands behind it. */
static const EmulatorFlag *find(const char *word) {
    for (unsigned i = 0; i < emulator_flag_count; i++)
        if (strncmp(word + 1, emulator_flags[i].name, strlen(emulator_flags[i].name)) == 0)
            return &emulator_flags[i];
    return NULL;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Settings *settings;
    int argc, at;
    char **argv;
    int poll_sets, poll_threads;
} Flags;

/* What follows a flag's name, or the next word, whatever that is. */
static const char *value_behind(Flags *f, const EmulatorFlag *flag) {
    const char *rest = f->argv[f->at] + 1 + strlen(flag->name);
    if (rest[0] != '\0')
        return rest;
    if (f->at + 1 < f->argc)
        return f->argv[++f->at];
    refuse_flag("%s: no value", f->argv[f->at]);
}

/* As stock reads numbers: what leads the text, and 0 where nothing does. */
static int64_t number_in(const char *text) { return (int)strtol(text, NULL, 10); }

static bool is_one_of(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* That of a flag: those that may be larger than an int are read whole. */
static int64_t number_of(const EmulatorFlag *flag, const char *text) {
    return flag->high > INT_MAX ? strtol(text, NULL, 10) : number_in(text);
}

static bool is_good(const EmulatorFlag *flag, const char *value) {
    int64_t number = number_of(flag, value);
    switch (flag->value) {
    case VALUE_DIGITS:
        if (strcspn(value, "0123456789") > (value[0] == '-'))
            return false;
        return number >= flag->low && number <= flag->high;
    case VALUE_SHOWN:
    case VALUE_NUMBER: return number >= flag->low && number <= flag->high;
    case VALUE_WORD: return is_one_of(flag->words, value);
    case VALUE_LETTER: return value[0] != '\0' && strchr(flag->words, value[0]) != NULL;
    default: return true;
    }
}

static _Noreturn void refuse_value(const EmulatorFlag *flag, const char *value) {
    char number[16];
    snprintf(number, sizeof number, "%d", (int)number_in(value));
    refuse_flag(flag->refusal, flag->value == VALUE_SHOWN ? number : value);
}

/* --- Those with a form of their own ------------------------------------------------------------------------------- */

/* Processes and ports: a number in the range of the stock runtime, or `legacy`, its default. */
static size_t limit(const EmulatorFlag *flag, const char *value) {
    if (strcmp(value, "legacy") == 0)
        return 0;
    int64_t number = strtol(value, NULL, 10);
    if (number < PORT_LIMIT_MIN || number > PORT_LIMIT_MAX)
        refuse_flag(flag->refusal, value);
    return (size_t)number;
}

/* Without a value it is true, and the next word is one only if it can be. */
static void correction(Flags *f, const char *rest) {
    const char *next = f->at + 1 < f->argc ? f->argv[f->at + 1] : "";
    bool is_next = rest[0] == '\0' && is_one_of(" true false ", next);
    f->settings->corrects_time = strcmp(is_next ? next : rest, "false") != 0;
    f->at += is_next;
}

static void file_names(const char *value) {
    if (strchr("lua", value[0]) == NULL || value[0] == '\0')
        refuse_flag("bad filename encoding %s, can be (l,u or a, optionally followed by w, i or e)", value);
    if (value[1] != '\0' && strchr("wie", value[1]) == NULL)
        refuse_flag("bad type of warnings for wrongly coded filename: %s", value + 1);
    native_text_flag(value);
}

static void flush(Flags *f, const EmulatorFlag *flag) {
    if (!release_has(RELEASE_FLUSH_TIMEOUT))
        refuse_flag("bad -z option -%s", flag->name);
    const char *value = value_behind(f, flag);
    f->settings->flush_timeout = strcmp(value, "infinity") == 0 ? -1 : number_in(value);
}

static void node_table(const EmulatorFlag *flag, const char *value) {
    char *end;
    long seconds = strtol(value, &end, 10);
    if (strcmp(value, "infinity") != 0 && (*end != '\0' || end == value || seconds < 0 || seconds > 100000000))
        refuse_flag(flag->refusal, value);
}

/* The flag's name without the `s` of an allocation strategy, as stock says it. */
static _Noreturn void refuse_memory_value(const char *name, size_t length, const char *value) {
    TEXT(text);
    bool is_strategy = length == 3 && name[1] == 'a' && name[2] == 's';
    text_format(&text, "bad \"M%.*s\" value: %s", (int)(is_strategy ? length - 1 : length), name, value);
    refuse_flag("%s", text_cstring(&text));
}

/* Stock names the subsystem, if it knows it, where it does not know the rest. */
static _Noreturn void refuse_memory_flag(const char *name) {
    TEXT(text);
    bool is_known = name[0] != '\0' && strchr("uBDEFHILRSTZMYeli", name[0]) != NULL;
    text_format(&text, "bad \"M%.*s\" parameter", is_known ? 1 : 0, name);
    refuse_flag("%s", text_cstring(&text));
}

static void memory(Flags *f, const char *name) {
    size_t length = memory_flag_length(name);
    if (length == 0 || name[0] == 'X') /* there is no such allocator where there is a JIT */
        refuse_memory_flag(name);
    const char *value = name[length] != '\0' ? name + length : f->at + 1 < f->argc ? f->argv[++f->at] : "";
    if (memory_flag_set(&f->settings->memory, name, value))
        return;
    if (name[0] == 'e')
        refuse_flag("bad \"Mea\" parameter%s", "");
    refuse_memory_value(name, length, value);
}

static void warp(Settings *settings, const char *value) {
    settings->has_time_warp = true;
    settings->time_warp = value[0] == 'n' ? NO_TIME_WARP : value[0] == 's' ? SINGLE_TIME_WARP : MULTI_TIME_WARP;
}

static void heap_flag(uint32_t bit, const char *value) {
    uint32_t flags = spawn_defaults.max_heap_flags;
    spawn_defaults.max_heap_flags = value[0] == 't' ? flags | bit : flags & ~bit;
}

static Term warnings(const char *value) { return value[0] == 'i' ? am_info : value[0] == 'w' ? am_warning : am_error; }

static _Noreturn void version(void) {
    say_line("Erlang (SMP,ASYNC_THREADS) (BEAM) emulator version %s", erts_version);
    _exit(0);
}

static void topology(Settings *settings, const char *value) {
    TEXT(why);
    if (!topology_flag(settings, value, &why))
        refuse_flag("%s", text_cstring(&why));
}

/* By what has been said so far, as stock. */
static void bind(Settings *settings, const EmulatorFlag *flag, const char *value) {
    TEXT(why);
    if (!bind_type_flag(settings, value, flag->effect == EFFECT_BIND, &why) || !bind_check(settings, &why))
        refuse_flag("%s", text_cstring(&why));
}

/* --- What each does ----------------------------------------------------------------------------------------------- */

/* Those that find their values themselves. */
static void take_own(Flags *f, const EmulatorFlag *flag) {
    const char *rest = f->argv[f->at] + 1 + strlen(flag->name);
    Settings *settings = f->settings;
    switch (flag->effect) {
    case EFFECT_CORRECTION: correction(f, rest); return;
    case EFFECT_CHATTY: say_line("warning: -v (only in debug compiled code)%s", ""); return;
    case EFFECT_VERSION:
        schedulers_flags_settle(settings); /* stock has looked at them before */
        version();
    case EFFECT_MEMORY: memory(f, rest); return;
    case EFFECT_FLUSH: flush(f, flag); return;
    case EFFECT_RECORDER:
        if (!recorder_flag_read(rest, &settings->recorded, &settings->records))
            refuse_flag(flag->refusal, rest);
        return;
    default: break;
    }
    const char *value = value_behind(f, flag);
    switch (flag->effect) {
    case EFFECT_TOPOLOGY: topology(settings, value); return;
    case EFFECT_BIND:
    case EFFECT_TRY_BIND: bind(settings, flag, value); return;
    case EFFECT_CHECK_COUNTERS: refuse_flag("bad decentralized counter groups limit: %s", value);
    case EFFECT_FILE_NAMES: file_names(value); return;
    case EFFECT_CHECK_NODE_TABLE: node_table(flag, value); return;
    case EFFECT_PROCESSES: settings->process_limit = limit(flag, value); return;
    case EFFECT_PORTS: settings->port_limit = limit(flag, value); return;
    case EFFECT_SCHEDULERS: schedulers_flag(settings, value); return;
    case EFFECT_PERCENTAGE: percentage_flag(settings, value); return;
    case EFFECT_DIRTY_SCHEDULERS: dirty_schedulers_flag(settings, value); return;
    case EFFECT_DIRTY_PERCENTAGE: dirty_percentage_flag(settings, value); return;
    default: return;
    }
}

static void take_value(Flags *f, FlagEffect effect, const char *value) {
    size_t number = (size_t)number_in(value);
    switch (effect) {
    case EFFECT_BUSY_LIMIT: channel_busy_limit = number * 1024; return;
    case EFFECT_WARP: warp(f->settings, value); return;
    case EFFECT_ASYNC_THREADS: async_pool_choose((unsigned)number); return;
    case EFFECT_HEAP: spawn_defaults.min_heap_words = heap_step(number); return;
    case EFFECT_BINARY_HEAP: spawn_defaults.min_virtual_words = heap_step(number); return;
    case EFFECT_HEAP_LIMIT: spawn_defaults.max_heap_words = (size_t)strtol(value, NULL, 10); return;
    case EFFECT_HEAP_REPORT: heap_flag(HEAP_MAX_LOG, value); return;
    case EFFECT_HEAP_KILL: heap_flag(HEAP_MAX_KILL, value); return;
    case EFFECT_MESSAGES: spawn_defaults.off_heap = value[1] == 'f'; return;
    case EFFECT_CHECK_POLL_SETS: f->poll_sets = (int)number; return;
    case EFFECT_CHECK_POLL_THREADS: f->poll_threads = (int)number; return;
    case EFFECT_NATIVE_CODE: f->settings->has_native_code = value[0] == 't'; return;
    case EFFECT_PERF: names_flags_perf(&f->settings->names, value); return;
    case EFFECT_GDB: f->settings->names.gdb = strcmp(value, "true") == 0; return;
    case EFFECT_BOOT_MODULE: f->settings->boot_module = value; return;
    case EFFECT_PRINTABLE: printable_range = value[0] == 'u' ? am_unicode : am_latin1; return;
    case EFFECT_PORT_PARALLELISM: port_defaults.is_parallel = value[0] == 't'; return;
    case EFFECT_DIRTY_IO: f->settings->dirty_io = (unsigned)number; return;
    case EFFECT_TABLES: system_info_set_ets_limit((int64_t)number); return;
    case EFFECT_ATOMS: f->settings->atom_limit = number; return;
    case EFFECT_WARNINGS: warnings_are = warnings(value); return;
    default: return;
    }
}

static void choose_break(Settings *settings, char which) {
    settings->on_break = which == 'i' ? BREAK_IGNORED : which == 'c' ? BREAK_KEY : BREAK_ENDS;
    if (which == 'i') {
        signal(SIGINT, SIG_IGN);
        system_info_set_break_ignored();
    }
}

static void take_flag(Flags *f, const EmulatorFlag *flag) {
    const char *word = f->argv[f->at];
    if (flag->value == VALUE_OWN) {
        take_own(f, flag);
    } else if (flag->effect == EFFECT_BREAK) {
        choose_break(f->settings, word[2]);
    } else if (flag->effect == EFFECT_UNSEEN) {
        f->settings->is_seen = false;
    } else if (flag->effect == EFFECT_COMPRESSED) {
        ets_compresses = true;
    } else if (flag->effect == EFFECT_REMOVED) {
        fputs("The undocumented +H option has been removed (R10B-6).\n\n", stderr);
    } else if (flag->value != VALUE_NONE) {
        const char *value = value_behind(f, flag);
        if (!is_good(flag, value))
            refuse_value(flag, value);
        take_value(f, flag->effect, value);
    }
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* What stock says of a letter that begins flags, and is none with this rest. */
static _Noreturn void refuse_unknown(const char *program, const char *word) {
    TEXT(text);
    switch (word[1]) {
    case 's': text_format(&text, "bad scheduling option %s", word); break;
    case 'z': text_format(&text, "bad -z option %s", word); break;
    case 'J': text_format(&text, "invalid JIT option %s", word); break;
    default: text_format(&text, "%s unknown flag %s", program, word);
    }
    refuse_flag("%s", text_cstring(&text));
}

static void check_polling(const Flags *f) {
    TEXT(text);
    if (f->poll_sets <= f->poll_threads)
        return;
    text_format(&text,
                "number of IO poll threads has to be greater or equal to the number of \nIO pollsets. Current values "
                "are set to: \n  -IOt %d -IOp %d",
                f->poll_threads, f->poll_sets);
    refuse_flag("%s", text_cstring(&text));
}

/* Where the user says what the processors are, they are not looked at: wherever among the flags he says so. */
static void look_for_detection(Settings *settings, int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        settings->skips_detection |= strncmp(argv[i], "-sct", 4) == 0 || strncmp(argv[i], "-ssrct", 6) == 0;
}

int node_flags_take(Settings *settings, int argc, char **argv) {
    Flags f = {.settings = settings, .argc = argc, .at = 1, .argv = argv, .poll_sets = 1, .poll_threads = 1};
    look_for_detection(settings, argc, argv);
    const char *tables = getenv("ERL_MAX_ETS_TABLES");
    if (tables != NULL)
        system_info_set_ets_limit(number_in(tables));
    for (; f.at < argc && strcmp(argv[f.at], "--") != 0; f.at++) {
        if (argv[f.at][0] != '-')
            continue; /* as stock, which does not look at words that are no flags */
        const EmulatorFlag *flag = find(argv[f.at]);
        if (flag == NULL)
            refuse_unknown(argv[0], argv[f.at]);
        take_flag(&f, flag);
    }
    check_polling(&f);
    schedulers_flags_settle(settings);
    return f.at < argc ? f.at + 1 : argc;
}

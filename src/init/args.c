#include "init/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/alloc.h"
#include "init/binding_flags.h"
#include "process/port_table.h"
#include "process/recorder_text.h"
#include "term/text.h"

#define PROCESS_LIMIT_MIN 1024
#define PROCESS_LIMIT_MAX 134217727 /* as +P of the stock runtime */
#define SCHEDULERS_MAX 1024

static const char help[] =
    "usage: viv run [options] PROGRAM [arguments]\n"
    "       viv erl [flags and arguments as of erl]\n"
    "       viv adopt [--undo] DIR   a release with its own runtime starts on viv from then on, or as before\n"
    "       viv trace TARGET PATTERN tells what a running node does; `viv trace --help` says more\n"
    "       viv dis MODULE           shows what becomes of its code: instructions, machine code\n"
    "       viv sample TARGET        tells where it spends its time\n"
    "       viv top TARGET           shows which of its processes do or have most\n"
    "       viv watch TARGET         shows it live, as a page in the browser\n"
    "       viv who TARGET KIND NAME tells who holds a module, a process, a table or binaries there\n"
    "       viv record TARGET        tells what it did in its last seconds; `viv record --help` says more\n"
    "       viv nodes                lists the nodes of this user on this machine\n"
    "       viv completion bash|zsh  prints a script that completes all of these in the shell\n"
    "       viv version\n"
    "       viv help\n"
    "\n"
    "PROGRAM is FILE.erl (compiled in memory), FILE.beam, or the name of a module. Its main/1 is called with the\n"
    "arguments as strings, or its main/0. The exit status is 0 when it returns, N when it calls halt(N), and 1 with\n"
    "the exception on standard error when it fails.\n"
    "\n"
    "options:\n"
    "  -pa DIR       look for modules in this directory first; of several the last one is first\n"
    "  -pz DIR       look in this one last\n"
    "  -enable-feature F, -disable-feature F\n"
    "                whether modules that use this feature of the language may be compiled and loaded, or `all`\n"
    "  +S N          schedulers (one for each processor)\n"
    "  +sbt TYPE     how schedulers are bound to processors: u (not), ns, ts, ps, s, nnts, nnps, tnnps, db (tnnps)\n"
    "  +stbt TYPE    the same, where it can be done\n"
    "  +sct TOPOLOGY  the processors, as you have them, in the form that `erl` takes\n"
    "  +ssrct        the processors are not looked at\n"
    "  +C WARP       how system time follows the system's clock: no_time_warp (until OTP 25), single_time_warp,\n"
    "                multi_time_warp (from OTP 26 on)\n"
    "  +c BOOLEAN    whether monotonic time is corrected (true)\n"
    "  +JIT BOOLEAN  whether code that is loaded becomes native code (true)\n"
    "  +JPgdb BOOLEAN  native code has names for `gdb` (false)\n"
    "  +JPperf WHAT  native code has names for `perf`: true, false, map or dump (/tmp/perf-PID.map, "
    "/tmp/jit-PID.dump)\n"
    "  +P N          processes at most (262144)\n"
    "  +Q N          ports at most (65536)\n"
    "  +Mim true     every block of memory is in the map that `instrument` reads; +Mis true keeps the largest sums;\n"
    "                other flags +M... of the stock runtime are taken, and have no effect\n"
    "  +seen         the program opens a local socket, by which `viv trace` and its like look at it, as a node does\n"
    "  +recorder[=EVENTS][:N]  what happens is recorded, for `viv record` to tell (sched,procs,gc; 65536 each)\n"
    "  +zhft N       milliseconds that halt waits for native libraries, or `infinity` (from OTP 27 on)\n"
    "  --otp DIR     the OTP root: where lib/stdlib-VSN is (also: VIV_OTP_ROOT; else the distribution's)\n"
    "  --            the program comes next\n";

void args_print_help(void) { fputs(help, stdout); }

static bool complain(const char *format, const char *what) {
    fputs("viv: ", stderr);
    fprintf(stderr, format, what);
    fputs(" (viv help says more)\n", stderr);
    return false;
}

static bool parse_number(const char *text, size_t low, size_t high, size_t *number) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < low || value > high)
        return false;
    *number = (size_t)value;
    return true;
}

static bool has_suffix(const char *text, const char *suffix) {
    size_t length = strlen(text), ends = strlen(suffix);
    return length > ends && strcmp(text + length - ends, suffix) == 0;
}

typedef struct {
    int argc, at;
    char **argv;
} Cursor;

/* The value of an option: the rest of the same word, or the next one. */
static const char *option_value(Cursor *c, size_t name_length) {
    const char *word = c->argv[c->at++];
    if (word[name_length] != '\0')
        return word + name_length;
    return c->at < c->argc ? c->argv[c->at++] : NULL;
}

static bool number_option(Cursor *c, size_t low, size_t high, size_t *number) {
    const char *name = c->argv[c->at];
    const char *value = option_value(c, 2);
    return (value != NULL && parse_number(value, low, high, number)) || complain("bad value for %.2s", name);
}

static bool directory_option(Cursor *c, char ***list, int *count) {
    const char *name = c->argv[c->at++];
    if (c->at == c->argc)
        return complain("%s needs a directory", name);
    *list = mem_realloc(ALLOC_MISC, *list, (size_t)(*count + 1) * sizeof(char *));
    (*list)[(*count)++] = c->argv[c->at++];
    return true;
}

/* As the stock runtime has them, init:get_arguments/0 tells them; erl_features looks there. */
static bool feature_option(Args *args, Cursor *c) {
    const char *name = c->argv[c->at];
    if (c->at + 1 == c->argc)
        return complain("%s needs a feature", name);
    args->features = mem_realloc(ALLOC_MISC, args->features, (size_t)(args->feature_count + 2) * sizeof(char *));
    args->features[args->feature_count++] = c->argv[c->at++] + 1;
    args->features[args->feature_count++] = c->argv[c->at++];
    return true;
}

static bool memory_option(Args *args, Cursor *c) {
    const char *name = c->argv[c->at];
    size_t length = memory_flag_length(name + 2);
    if (length == 0)
        return complain("unknown option %s", name);
    const char *value = option_value(c, 2 + length);
    return (value != NULL && memory_flag_set(&args->settings.memory, name + 2, value)) ||
           complain("bad value for %s", name);
}

/* Milliseconds or `infinity`. */
static bool flush_option(Args *args, Cursor *c) {
    const char *value = option_value(c, strlen("+zhft"));
    size_t number = 0;
    bool is_endless = value != NULL && strcmp(value, "infinity") == 0;
    if (value == NULL || (!is_endless && !parse_number(value, 0, INT32_MAX, &number)))
        return complain("bad value for %s", "+zhft");
    args->settings.flush_timeout = is_endless ? -1 : (int64_t)number;
    return true;
}

static bool warp_option(Args *args, Cursor *c) {
    static const char *const names[] = {[NO_TIME_WARP] = "no_time_warp",
                                        [SINGLE_TIME_WARP] = "single_time_warp",
                                        [MULTI_TIME_WARP] = "multi_time_warp"};
    const char *value = option_value(c, 2);
    for (size_t i = 0; value != NULL && i < array_length(names); i++)
        if (strcmp(value, names[i]) == 0) {
            args->settings.has_time_warp = true;
            args->settings.time_warp = (TimeWarp)i;
            return true;
        }
    return complain("bad value for %s", "+C");
}

static bool topology_option(Args *args, Cursor *c) {
    TEXT(why);
    const char *value = option_value(c, strlen("+sct"));
    args->settings.skips_detection = true;
    return topology_flag(&args->settings, value == NULL ? "" : value, &why) || complain("%s", text_cstring(&why));
}

/* +sbt and +stbt: whether schedulers can be bound is known when all options are. */
static bool bind_option(Args *args, Cursor *c, bool must_bind) {
    TEXT(why);
    const char *value = option_value(c, strlen(must_bind ? "+sbt" : "+stbt"));
    return bind_type_flag(&args->settings, value == NULL ? "" : value, must_bind, &why) ||
           complain("%s", text_cstring(&why));
}

static bool check_binding(const Settings *settings) {
    TEXT(why);
    return bind_check(settings, &why) || complain("%s", text_cstring(&why));
}

static bool boolean_option(Cursor *c, const char *name, bool *value) {
    const char *word = option_value(c, strlen(name));
    *value = word != NULL && strcmp(word, "true") == 0;
    return *value || (word != NULL && strcmp(word, "false") == 0) || complain("bad value for %s", name);
}

static bool perf_option(Args *args, Cursor *c) {
    const char *value = option_value(c, strlen("+JPperf"));
    return (value != NULL && names_flags_perf(&args->settings.names, value)) || complain("bad value for %s", "+JPperf");
}

static bool parse_option(Args *args, Cursor *c) {
    const char *word = c->argv[c->at];
    size_t number;
    if (strcmp(word, "-pa") == 0)
        return directory_option(c, &args->before, &args->before_count);
    if (strcmp(word, "-pz") == 0)
        return directory_option(c, &args->after, &args->after_count);
    if (strcmp(word, "-enable-feature") == 0 || strcmp(word, "-disable-feature") == 0)
        return feature_option(args, c);
    if (strncmp(word, "+S", 2) == 0) {
        if (!number_option(c, 1, SCHEDULERS_MAX, &number))
            return false;
        args->settings.schedulers = (unsigned)number;
        return true;
    }
    if (strncmp(word, "+sbt", 4) == 0 || strncmp(word, "+stbt", 5) == 0)
        return bind_option(args, c, word[2] == 'b');
    if (strncmp(word, "+sct", 4) == 0)
        return topology_option(args, c);
    if (strcmp(word, "+ssrct") == 0) {
        c->at++;
        return args->settings.skips_detection = true;
    }
    if (strncmp(word, "+JIT", 4) == 0)
        return boolean_option(c, "+JIT", &args->settings.has_native_code);
    if (strncmp(word, "+JPgdb", 6) == 0)
        return boolean_option(c, "+JPgdb", &args->settings.names.gdb);
    if (strncmp(word, "+JPperf", 7) == 0)
        return perf_option(args, c);
    if (strncmp(word, "+M", 2) == 0)
        return memory_option(args, c);
    if (strncmp(word, "+C", 2) == 0)
        return warp_option(args, c);
    if (strncmp(word, "+c", 2) == 0)
        return boolean_option(c, "+c", &args->settings.corrects_time);
    if (strncmp(word, "+P", 2) == 0)
        return number_option(c, PROCESS_LIMIT_MIN, PROCESS_LIMIT_MAX, &args->settings.process_limit);
    if (strncmp(word, "+Q", 2) == 0)
        return number_option(c, PORT_LIMIT_MIN, PORT_LIMIT_MAX, &args->settings.port_limit);
    if (strcmp(word, "+seen") == 0) {
        c->at++;
        return args->settings.is_seen = true;
    }
    if (strncmp(word, "+recorder", 9) == 0) {
        c->at++;
        return recorder_flag_read(word + 9, &args->settings.recorded, &args->settings.records) ||
               complain("%s: not [=EVENTS][:RECORDS]", word);
    }
    if (strcmp(word, "+zhft") == 0)
        return flush_option(args, c);
    if (strncmp(word, "--otp", 5) == 0 && (word[5] == '\0' || word[5] == '=')) {
        args->otp = word[5] == '=' ? word + 6 : word[5] == '\0' && c->at + 1 < c->argc ? c->argv[++c->at] : NULL;
        c->at++;
        return (args->otp != NULL && args->otp[0] != '\0') || complain("%s needs a directory", "--otp");
    }
    return complain("unknown option %s", word);
}

static bool parse_run(Args *args, Cursor *c) {
    while (c->at < c->argc && (c->argv[c->at][0] == '-' || c->argv[c->at][0] == '+')) {
        if (strcmp(c->argv[c->at], "--") == 0) {
            c->at++;
            break;
        }
        if (!parse_option(args, c))
            return false;
    }
    if (!check_binding(&args->settings))
        return false;
    if (c->at == c->argc || c->argv[c->at][0] == '\0')
        return complain("%s", "no program given");
    args->program = c->argv[c->at++];
    args->kind = has_suffix(args->program, ".erl")    ? PROGRAM_ERL
                 : has_suffix(args->program, ".beam") ? PROGRAM_BEAM
                                                      : PROGRAM_MODULE;
    args->arguments = c->argv + c->at;
    args->argument_count = c->argc - c->at;
    return true;
}

/* Commands that are programs of lib/see. */
static bool is_seeing(const char *word) {
    static const char *const commands[] = {"completion", "dis",   "nodes", "record", "sample",
                                           "top",        "trace", "watch", "who"};
    for (size_t i = 0; i < array_length(commands); i++)
        if (strcmp(word, commands[i]) == 0)
            return true;
    return false;
}

bool args_parse(Args *args, int argc, char **argv) {
    *args = (Args){.command = COMMAND_HELP, .settings = settings_default(argv)};
    Cursor c = {.argc = argc, .at = 2, .argv = argv};
    if (argc < 2)
        return complain("%s", "no command given");
    if (strcmp(argv[1], "run") == 0) {
        args->command = COMMAND_RUN;
        return parse_run(args, &c);
    }
    if (strcmp(argv[1], "erl") == 0) {
        args->command = COMMAND_ERL;
        return true;
    }
    if (strcmp(argv[1], "adopt") == 0) {
        args->command = COMMAND_ADOPT;
        return true;
    }
    if (is_seeing(argv[1])) {
        args->command = COMMAND_RUN;
        args->kind = PROGRAM_MODULE;
        args->program = "viv_see_command";
        args->arguments = argv + 1;
        args->argument_count = argc - 1;
        return true;
    }
    if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0)
        args->command = COMMAND_VERSION;
    else if (strcmp(argv[1], "help") != 0 && strcmp(argv[1], "--help") != 0)
        return complain("unknown command %s", argv[1]);
    return argc == 2 || complain("unexpected argument %s", argv[2]);
}

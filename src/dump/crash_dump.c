#include "dump/crash_dump.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/leave.h"
#include "base/long_work.h"
#include "base/thread_progress.h"
#include "distribution/describe.h"
#include "dump/output.h"
#include "dump/part.h"
#include "dump/processes.h"
#include "dump/sections.h"
#include "port/fd_driver.h"
#include "port/halt.h"
#include "process/port_table.h"
#include "process/recorder_text.h"
#include "process/registry.h"
#include "sys/file.h"
#include "term/atom.h"

#define HALT_MILLISECONDS 30000
#define NOT_SET INT_MIN

static void end_after(int seconds) {
    sigset_t alarms;
    if (seconds <= 0)
        return;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm((unsigned)seconds);
}

static void give_way(void) {
    int by = dump_setting("ERL_CRASH_DUMP_NICE", 0);
    if (by != 0 && nice(by > 39 ? 39 : by) == -1)
        return; /* at worst it does not */
}

typedef void Section(Text *to);
static Section *const sections[] = {
    dump_schedulers,         dump_memory,  dump_processes, dump_ports,          dump_tables,           dump_timers,
    distribution_text_alone, dump_modules, dump_funs,      dump_process_memory, dump_persistent_terms, dump_literals,
    dump_binaries,           dump_atoms,
};

typedef struct {
    Section *section;
    Text *to;
} Part;

static void put_section(void *data) {
    const Part *part = data;
    part->section(part->to);
}

static void put_all(Text *to, const char *slogan, size_t bytes) {
    dump_head(to, slogan, bytes);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        dump_part(put_section, &(Part){sections[i], to});
    text_string(to, dump_parts_are_whole() ? "=end\n" : DUMP_FAILED "\n");
}

static void say(const char *text) { file_write_lines(STDERR_FILENO, text, strlen(text)); }

/* A driver that crashes as well ends the program, as it does on the stock runtime: what it was to undo may hold others
 * up. */
static void halt_others(int seconds) {
    long_work_none();
    end_after(seconds);
    thread_progress_end_others(HALT_MILLISECONDS);
    ports_emergency_close();
}

/* The flight recorder's last seconds, in a file of its own: readers of the dump know nothing of it. Not where bytes
 * are counted. */
static void save_recorder(const char *name) {
    const Recorder *r = atomic_load(&the_recorder);
    char beside[PATH_MAX];
    int length = snprintf(beside, sizeof beside, "%s.recorder", name);
    Text *to = r != NULL && length < PATH_MAX ? dump_open(beside, -1) : NULL;
    if (to == NULL)
        return;
    recorder_text_head(to, r);
    for (unsigned ring = 0; ring < r->count; ring++) {
        recorder_text_ring(to, r, ring, 0);
        recorder_text_running(to, r, ring);
    }
    dump_close();
}

/* NULL: there is none. The port of the program heart has that name, so that a runtime that crashes finds it. */
static const Port *heart_port(void) {
    static const char name[] = "heart_port";
    Term atom = atom_find((const uint8_t *)name, sizeof name - 1);
    Term id = is_value(atom) ? registry_whereis(atom) : NON_VALUE;
    return is_local_port(id) ? (const Port *)port_find(id) : NULL;
}

/* It waits for the end of the dump then, and not for another beat. Is it there? */
static void tell_heart(void *is_there) {
    static const uint8_t preparing_crash = 8;
    const Port *heart = heart_port();
    *(bool *)is_there = heart != NULL;
    if (heart != NULL)
        fd_driver_tell_now(heart, &preparing_crash, 1);
}

static void dump(const char *slogan, size_t bytes) {
    int seconds = dump_setting("ERL_CRASH_DUMP_SECONDS", NOT_SET);
    if (seconds == 0)
        return;
    halt_others(seconds);
    dump_parts_begin();
    bool has_heart = false;
    dump_part(tell_heart, &has_heart);
    if (seconds == NOT_SET && has_heart)
        return;
    int64_t limit = dump_limit();
    if (limit == 0)
        return;
    const char *name = dump_file_name();
    give_way();
    say("\nCrash dump is being written to: ");
    say(name);
    say("...");
    if (limit < 0 && *name != 0)
        save_recorder(name);
    Text *to = dump_open(name, limit);
    if (to == NULL)
        return;
    put_all(to, slogan, bytes);
    dump_close();
    say("done\n");
}

void crash_dump_install(void) { runtime_dump_hook = dump; }

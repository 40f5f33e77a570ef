#include "dump/crash_dump.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/leave.h"
#include "base/long_work.h"
#include "base/thread_progress.h"
#include "distribution/describe.h"
#include "dump/output.h"
#include "dump/processes.h"
#include "dump/sections.h"
#include "port/halt.h"
#include "process/recorder_text.h"
#include "sys/file.h"

#define HALT_MILLISECONDS 30000

/* What is found was not in order: the threads that did not come to a halt may have changed it. Others that get there
 * themselves wait for the end. */
static void fail(int number) {
    if (!runtime_is_crashing_here())
        for (;;)
            pause();
    dump_cut("=abort:CRASH DUMP FAILED");
    runtime_crash_end();
}

static void catch_failures(void) {
    struct sigaction action = {.sa_handler = fail, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void end_after(int64_t seconds) {
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
    int64_t by = dump_setting("ERL_CRASH_DUMP_NICE", 0);
    if (by > 0 && nice(by > 39 ? 39 : (int)by) == -1)
        return; /* at worst it does not */
}

static void put_all(Text *to, const char *slogan, size_t bytes) {
    dump_head(to, slogan, bytes);
    dump_schedulers(to);
    dump_memory(to);
    dump_processes(to);
    dump_ports(to);
    dump_tables(to);
    dump_timers(to);
    distribution_text_alone(to);
    dump_modules(to);
    dump_funs(to);
    dump_process_memory(to);
    dump_persistent_terms(to);
    dump_literals(to);
    dump_binaries(to);
    dump_atoms(to);
    text_string(to, "=end\n");
}

static void say(const char *text) { file_write_lines(STDERR_FILENO, text, strlen(text)); }

/* A driver that crashes as well ends the program, as it does on the stock runtime: what it was to undo may hold others
 * up. */
static void halt_others(int64_t seconds) {
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

static void dump(const char *slogan, size_t bytes) {
    int64_t seconds = dump_setting("ERL_CRASH_DUMP_SECONDS", -1);
    if (seconds == 0)
        return;
    halt_others(seconds);
    int64_t limit = dump_setting("ERL_CRASH_DUMP_BYTES", -1);
    if (limit == 0)
        return;
    const char *name = dump_file_name();
    give_way();
    say("\nCrash dump is being written to: ");
    say(name);
    say("...");
    catch_failures();
    if (limit < 0)
        save_recorder(name);
    Text *to = dump_open(name, limit);
    if (to == NULL)
        return;
    put_all(to, slogan, bytes);
    dump_close();
    say("done\n");
}

void crash_dump_install(void) { runtime_dump_hook = dump; }

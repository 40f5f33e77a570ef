#include "bif/system/break_menu.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/leave.h"
#include "base/thread_progress.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "heap/heap.h"
#include "process/spawn.h"
#include "sched/os_signals.h"
#include "sys/release.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "terminal/console.h"

static const char menu[] = "BREAK: (a)bort (A)bort with dump (c)ontinue (p)roc info (i)nfo\n"
                           "       (l)oaded (v)ersion (k)ill (D)b-tables (d)istribution\n";

/* Whoever presses Ctrl-C while it is ON ends the node; while it is CLOSING, he gets the menu AGAIN. */
typedef enum { MENU_OFF, MENU_ON, MENU_CLOSING, MENU_AGAIN } MenuState;
static _Atomic MenuState state;
static SysEvent item_is_over;

static void put(const Text *text) { console_put(text->bytes, text->size); }

static void put_menu(const char *before) {
    TEXT(text);
    text_string(&text, before);
    text_string(&text, menu);
    put(&text);
}

/* As urgent as can be: others may keep all schedulers busy. */
static bool spawn_item(int key) {
    SpawnOptions options;
    spawn_options_init(&options);
    options.priority = PRIORITY_MAX;
    FragmentArea fa;
    fragment_area_init(&fa, 4);
    Term arguments = area_cons(&fa.area, small_make(key), NIL);
    Term pid = process_spawn(NULL, am_viv_system, am_break_item, arguments, &options, NULL);
    fragment_area_drop(&fa);
    return is_value(pid);
}

static void tell_item(int key) {
    event_reset(&item_is_over);
    thread_progress_enter();
    bool is_spawned = spawn_item(key);
    thread_progress_leave();
    if (is_spawned)
        (void)event_wait(&item_is_over, -1);
}

static void tell_version(void) {
    TEXT(text);
    text_format(&text, "Erlang (BEAM) emulator version %s\n", erts_version);
    put(&text);
}

static void refuse(int key) {
    char before[80];
    snprintf(before, sizeof before, "Invalid option '%c'. Please enter one of the following:\n", key);
    put_menu(before);
}

/* False: there is another key to come. */
static bool act_on(int key) {
    static const char slogan[] = "Crash dump requested by user";
    switch (key) {
    case 'a':
    case 'q':
    case '*': runtime_leave(0);
    case 'A': runtime_crash(CRASH_ASKED, slogan, strlen(slogan));
    case 'c':
    case 'm':
    case 'v':
        atomic_store(&state, MENU_CLOSING);
        if (key == 'v')
            tell_version();
        return true;
    case 'p':
    case 'i':
    case 'l':
    case 'k':
    case 'o':
    case 'D':
    case 'd': tell_item(key); return true;
    default: refuse(key); return false;
    }
}

static int next_key(void) {
    int key = console_key();
    if (key < 0)
        runtime_leave(0);
    return key;
}

static void show_menu(void) {
    console_begin();
    put_menu("\n");
    while (!act_on(next_key())) {
    }
    MenuState on = MENU_ON; /* it may be wanted again by now */
    atomic_compare_exchange_strong(&state, &on, MENU_CLOSING);
    console_end();
}

/* False: it is wanted again. */
static bool closes(void) {
    MenuState closing = MENU_CLOSING;
    if (atomic_compare_exchange_strong(&state, &closing, MENU_OFF))
        return true;
    atomic_store(&state, MENU_ON);
    return false;
}

static void menu_main(void *unused) {
    thread_progress_register();
    thread_progress_offline();
    do
        show_menu();
    while (!closes());
    thread_progress_unregister();
}

/* The one before has closed its menu, and is about to end. */
static bool menu_start(void) {
    static Thread thread;
    static bool is_started;
    if (is_started)
        thread_join(&thread);
    is_started = thread_try_start(&thread, "break", 0, menu_main, NULL) == 0;
    return is_started;
}

/* On the thread of signals. */
static void interrupted(void) {
    MenuState before = MENU_CLOSING;
    if (atomic_compare_exchange_strong(&state, &before, MENU_AGAIN))
        return;
    if (before == MENU_ON)
        runtime_leave(0);
    if (before == MENU_AGAIN)
        return;
    atomic_store(&state, MENU_ON);
    if (!menu_start())
        atomic_store(&state, MENU_OFF);
}

void break_menu_install(void) {
    event_init(&item_is_over);
    os_signal_call(SIGINT, interrupted);
}

/* --- for viv_system ----------------------------------------------------------------------------------------------*/

Term viv_system_break_key_0(Process *p, const Term *a) { return small_make(next_key()); }

Term viv_system_break_put_1(Process *p, const Term *a) {
    TEXT(text);
    if (!text_from_binary(&text, a[0]))
        return fail_badarg(p);
    put(&text);
    return am_ok;
}

Term viv_system_break_end_0(Process *p, const Term *a) {
    event_wake(&item_is_over);
    return am_ok;
}

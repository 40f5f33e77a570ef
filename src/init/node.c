#include "init/node.h"

#include <signal.h>
#include <string.h>

#include "bif/system/break_menu.h"
#include "dump/crash_dump.h"
#include "heap/heap.h"
#include "init/parts.h"
#include "init/preloaded.h"
#include "loader/own_modules.h"
#include "process/registry.h"
#include "process/process_table.h"
#include "process/spawn.h"
#include "replace/system_process.h"
#include "sched/clock_thread.h"
#include "sched/os_signals.h"
#include "sched/scheduler.h"
#include "term/atom.h"
#include "term/bits.h"
#include "terminal/mode.h"

/* init's words are binaries. */
static Term word_list(Area *area, const NodeArgs *args) {
    Term list = NIL;
    for (int i = args->word_count; i-- > 0;) {
        const char *word = args->words[i];
        list = area_cons(area, binary_from_bytes(area, (const uint8_t *)word, strlen(word)), list);
    }
    return list;
}

static void spawn_own(Term module, Term arguments, Priority priority) {
    SpawnOptions options;
    spawn_options_init(&options);
    options.is_system = true;
    options.priority = priority;
    require(is_value(process_spawn(NULL, module, am_start, arguments, &options, NULL)));
}

/* erl_init:start(init, Words), unless +i says otherwise. */
static void spawn_init(const NodeArgs *args) {
    FragmentArea fa;
    fragment_area_init(&fa, 1024);
    Term arguments = area_cons(&fa.area, word_list(&fa.area, args), NIL);
    Term module = atom_from_cstring(args->settings.boot_module);
    spawn_own(am_erl_init, area_cons(&fa.area, module, arguments), PRIORITY_NORMAL);
    fragment_area_drop(&fa);
}

/* In stock's order: programs print identifiers of processes. The last three have nothing to do here: who runs dirty has
 * his signals handled by schedulers. */
static void spawn_first(const NodeArgs *args) {
    spawn_init(args);
    Term purger = system_process_spawn(NULL, am_erts_code_purger, am_start, am_wait_for_request);
    require(registry_register(am_erts_code_purger, process_find(purger)));
    require(is_value(system_process_spawn(NULL, am_erts_literal_area_collector, am_start, am_start)));
    spawn_own(am_erts_dirty_process_signal_handler, NIL, PRIORITY_NORMAL);
    spawn_own(am_erts_dirty_process_signal_handler, NIL, PRIORITY_HIGH);
    spawn_own(am_erts_dirty_process_signal_handler, NIL, PRIORITY_MAX);
}

/* Those that kernel's erl_signal_handler answers to: os(3) set_signal/2. */
static void handle_signals(void) {
    os_signal_set(SIGTERM, am_sigterm, OS_SIGNAL_HANDLE);
    os_signal_set(SIGUSR1, am_sigusr1, OS_SIGNAL_HANDLE);
    os_signal_set(SIGQUIT, am_sigquit, OS_SIGNAL_HANDLE);
}

_Noreturn void node_run(const NodeArgs *args) {
    crash_dump_install();
    parts_init(&args->settings, NULL); /* which release this is, node_args has found out */
    own_modules_load(true);
    preloaded_load(args->root, args->bindir);
    spawn_first(args);
    if (args->settings.on_break == BREAK_KEY)
        terminal_make_ctrl_c_a_key();
    parts_start(&args->settings);
    handle_signals();
    if (args->settings.on_break == BREAK_MENU)
        break_menu_install();
    clock_thread_start();
    schedulers_wait();
}

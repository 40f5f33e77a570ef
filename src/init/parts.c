#include "init/parts.h"

#include <stdlib.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc/block_map.h"
#include "alloc/maxima.h"
#include "base/thread_progress.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/module.h"
#include "distribution/lose.h"
#include "distribution/node_watch.h"
#include "distribution/tell.h"
#include "emu/emu.h"
#include "jit/by_need.h"
#include "jit/emit.h"
#include "jit/names.h"
#include "bif/library/prim_file.h"
#include "bif/system/halt.h"
#include "bif/system/internal_state.h"
#include "bif/system/system_info.h"
#include "bif/system/thread_statistics.h"
#include "ets/tables.h"
#include "heap/literal.h"
#include "inet/tcp.h"
#include "inet/udp.h"
#include "init/binding_flags.h"
#include "base/visitor.h"
#include "nif/env.h"
#include "nif/load.h"
#include "port/command.h"
#include "port/fd_driver.h"
#include "port/library.h"
#include "port/ram_file_driver.h"
#include "process/exit.h"
#include "process/far.h"
#include "process/memory_site.h"
#include "process/node_monitors.h"
#include "process/route.h"
#include "process/spawn.h"
#include "sched/online.h"
#include "sched/scheduler.h"
#include "see/door.h"
#include "socket/socket.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"
#include "terminal/prim_tty.h"
#include "terminal/tty_driver.h"
#include "trace/install.h"

#define ATOM_LIMIT 1048576

/* An entry for every built-in function, in all generations. */
static void install_bifs(void) {
    for (size_t i = 0; i < bif_count; i++) {
        const BifEntry *bif = &bif_table[i];
        if (!bif_is_there(bif))
            continue;
        bool internal = (bif->flags & BIF_INTERNAL) != 0;
        Export *e = (internal ? export_make_internal : export_put)(bif->module, bif->name, bif->arity);
        e->bif = bif;
        for (unsigned g = 0; g < CODE_GENERATIONS && !(bif->flags & BIF_UNEXPORTED); g++)
            e->trampoline[g][0] = export_bif_instruction;
    }
}

static void watch_memory(const MemoryFlags *flags) {
    if (flags->lock && mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        fprintf(stderr, "viv: +Mlpm all: memory cannot be locked: %s\n", strerror(errno));
    if ((flags->status && !maxima_start()) || (flags->map && !block_map_start(0, false)))
        fprintf(stderr, "viv: there is no memory to watch memory with, or no membarrier(2): it is not watched\n");
}

static void init_parts(const Settings *settings) {
    atom_table_init(settings->atom_limit != 0 ? settings->atom_limit : ATOM_LIMIT);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    module_table_init();
    tables_init();
    exit_handler_add(ets_process_exit);
    exit_hand_over = ets_process_hand_over;
    exit_handler_add(wall_time_process_exit);
    exit_handler_add(prim_file_process_exit);
    exit_handler_add(online_process_exit);
    exit_handler_add(inside_process_exit);
    exit_handler_add(library_process_exit);
    exit_handler_add(channels_process_exit);
    exit_handler_add(node_monitors_process_exit);
    exit_handler_add(node_watch_process_exit);
    visitors_init();
    nif_threads_init();
    nif_thread_data_init();
    socket_init();
    trace_install();
    if (settings->has_native_code && getenv("VIV_INTERPRETED") == NULL) /* the second is the tests' */
        native_begin();
    native_need_begin();
    native_names_start(&settings->names);
    emu_init();
    install_bifs();
    driver_add(&spawn_driver, true);
    driver_add(&fd_driver, true);
    driver_add(&file_driver, true);
    driver_add(&tty_driver, false);
    driver_add(&ram_file_driver, false);
    driver_add(&tcp_driver, false);
    driver_add(&udp_driver, false);
    nif_add_inner(&prim_tty_library);
    routes.port = port_send;
    routes.remote = tell_message;
    far_tell = tell_far;
    routes.port_bytes = port_send_bytes;
    SchedulerOptions options = {.schedulers = settings->schedulers,
                                .online = settings->online,
                                .dirty_cpu = settings->dirty_cpu,
                                .dirty_io = settings->dirty_io,
                                .process_limit = settings->process_limit,
                                .port_limit = settings->port_limit};
    schedulers_init(&options);
    unsigned before;
    if (settings->dirty_online != 0)
        require(online_set_dirty_cpu(settings->dirty_online, &before));
    binding_settle(settings);
}

static void choose_clock(const Settings *settings) {
    TimeWarp by_default = release_has(RELEASE_MULTI_TIME_WARP) ? MULTI_TIME_WARP : NO_TIME_WARP;
    clock_choose(settings->has_time_warp ? settings->time_warp : by_default, settings->corrects_time);
}

void parts_init(const Settings *settings, const char *root) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGFPE, SIG_IGN); /* programs that are started find it so, as on the stock runtime */
    memory_site_init();
    watch_memory(&settings->memory);
    thread_progress_register();
    system_info_set_otp_root(root); /* the parts are those of that release */
    choose_clock(settings);
    init_parts(settings);
    system_info_set_arguments(settings->command_line);
    if (release_has(RELEASE_FLUSH_TIMEOUT))
        halt_set_flush_timeout(settings->flush_timeout);
}

void parts_start(const Settings *settings) {
    if (settings->recorded != 0)
        recorder_choose(settings->recorded, settings->records);
    if (settings->is_seen)
        see_door_open();
    thread_progress_unregister();
    schedulers_start();
    see_door_watch();
}

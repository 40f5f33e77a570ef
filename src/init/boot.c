#include "init/boot.h"

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
#include "emu/emu.h"
#include "bif/library/prim_file.h"
#include "bif/system/halt.h"
#include "bif/system/internal_state.h"
#include "bif/system/system_info.h"
#include "bif/system/thread_statistics.h"
#include "ets/tables.h"
#include "heap/literal.h"
#include "lib_beams.h"
#include "loader/prepare.h"
#include "nif/env.h"
#include "port/command.h"
#include "port/fd_driver.h"
#include "port/library.h"
#include "process/exit.h"
#include "process/memory_site.h"
#include "process/route.h"
#include "process/spawn.h"
#include "sched/online.h"
#include "sched/scheduler.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"
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

static void init_parts(const Args *args) {
    atom_table_init(ATOM_LIMIT);
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
    visitors_init();
    nif_threads_init();
    nif_thread_data_init();
    trace_install();
    emu_init();
    install_bifs();
    driver_add(&spawn_driver, true);
    driver_add(&fd_driver, true);
    routes.port = port_send;
    routes.port_bytes = port_send_bytes;
    SchedulerOptions options = {
        .schedulers = args->schedulers, .process_limit = args->process_limit, .port_limit = args->port_limit};
    schedulers_init(&options);
}

/* Nobody runs yet: no permission to take, no thread progress to wait for. */
static void load_lib(void) {
    code_stage_begin();
    for (uint32_t i = 0; i < lib_beam_count; i++) {
        char detail[200];
        const LibBeam *beam = &lib_beams[i];
        if (!beam->at_start)
            continue;
        ModuleInstance *m =
            module_prepare(atom_from_cstring(beam->name), beam->bytes, beam->size, detail, sizeof detail);
        if (m == NULL)
            panic("module %s: %s", beam->name, detail);
        code_stage_instance(m);
    }
    code_commit();
}

static Term string_list(Area *area, char *const *texts, size_t count) {
    Term list = NIL;
    while (count-- > 0)
        list = area_cons(area, list_from_native_text(area, texts[count]), list);
    return list;
}

static Term program_term(Area *area, const Args *args) {
    static const char *const kinds[] = {[PROGRAM_ERL] = "erl", [PROGRAM_BEAM] = "beam", [PROGRAM_MODULE] = "module"};
    return area_tuple2(area, atom_from_cstring(kinds[args->kind]), list_from_native_text(area, args->program));
}

static Term add_option(Area *area, const char *name, Term value, Term list) {
    return area_cons(area, area_tuple2(area, atom_from_cstring(name), value), list);
}

static Term feature_list(Area *area, const Args *args) {
    Term list = NIL;
    for (int i = args->feature_count; i > 0; i -= 2)
        list = add_option(area, args->features[i - 2], string_list(area, args->features + i - 1, 1), list);
    return list;
}

/* The argument of viv_start:start/1. */
static Term start_options(Area *area, const Args *args, const OtpRoot *otp) {
    Term root = otp->root == NULL ? am_undefined : list_from_native_text(area, otp->root);
    Term list = add_option(area, "root", root, NIL);
    list = add_option(area, "searched", string_list(area, (char *const *)otp->searched, otp->searched_count), list);
    list = add_option(area, "pa", string_list(area, args->before, (size_t)args->before_count), list);
    list = add_option(area, "pz", string_list(area, args->after, (size_t)args->after_count), list);
    list = add_option(area, "features", feature_list(area, args), list);
    list = add_option(area, "arguments", string_list(area, args->arguments, (size_t)args->argument_count), list);
    return add_option(area, "program", program_term(area, args), list);
}

static void spawn_first(const Args *args, const OtpRoot *otp) {
    FragmentArea fa;
    fragment_area_init(&fa, 1024);
    Term arguments = area_cons(&fa.area, start_options(&fa.area, args, otp), NIL);
    SpawnOptions options;
    spawn_options_init(&options);
    options.is_system = true;
    require(is_value(process_spawn(NULL, am_viv_start, am_start, arguments, &options, NULL)));
    fragment_area_drop(&fa);
}

static void choose_clock(const Args *args) {
    TimeWarp by_default = release_has(RELEASE_MULTI_TIME_WARP) ? MULTI_TIME_WARP : NO_TIME_WARP;
    clock_choose(args->has_time_warp ? args->time_warp : by_default, args->corrects_time);
}

_Noreturn void boot_run(const Args *args, const OtpRoot *otp) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGFPE, SIG_IGN); /* programs that are started find it so, as on the stock runtime */
    memory_site_init();
    watch_memory(&args->memory);
    thread_progress_register();
    system_info_set_otp_root(otp->root); /* the parts are those of that release */
    choose_clock(args);
    init_parts(args);
    system_info_set_arguments(args->all);
    if (release_has(RELEASE_FLUSH_TIMEOUT))
        halt_set_flush_timeout(args->flush_timeout);
    load_lib();
    spawn_first(args, otp);
    thread_progress_unregister();
    schedulers_start();
    schedulers_wait();
}

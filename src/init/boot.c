#include "init/boot.h"

#include <stdlib.h>

#include "bif/argument.h"
#include "dump/crash_dump.h"
#include "heap/heap.h"
#include "init/erl_command.h"
#include "init/parts.h"
#include "loader/own_modules.h"
#include "process/spawn.h"
#include "sched/scheduler.h"
#include "term/atom.h"

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
    TEXT(program);
    erl_command_program(&program);
    list = add_option(area, "progname", list_from_native_text(area, text_cstring(&program)), list);
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

_Noreturn void boot_run(const Args *args, const OtpRoot *otp) {
    if (getenv("ERL_CRASH_DUMP") != NULL) /* a program leaves no files that nobody has asked for */
        crash_dump_install();
    parts_init(&args->settings, otp->root);
    own_modules_load(false);
    spawn_first(args, otp);
    parts_start(&args->settings);
    schedulers_wait();
}

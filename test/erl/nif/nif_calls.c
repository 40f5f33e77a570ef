/* Calls: exceptions, other functions in place of the called one, dirty threads, time slices, private data. */
#include "nif_test.h"

/* All in one slot: 0 badarg, 1 raise, 2 raise twice, 3 badarg that is answered with something else, 4 a nested value. */
NIF(fails) {
    ERL_NIF_TERM reason, first;
    switch (int_of(env, argv[0])) {
    case 0: return enif_make_badarg(env);
    case 1: return enif_raise_exception(env, argv[1]);
    case 2: enif_raise_exception(env, argv[1]); return enif_raise_exception(env, atom(env, "second"));
    case 3: enif_make_badarg(env); return atom(env, "not_an_exception");
    case 4:
        first = enif_raise_exception(env, argv[1]);
        return enif_make_tuple2(env, boolean(env, enif_is_exception(env, first)), atom(env, "ignored"));
    case 5:
        first = enif_raise_exception(env, enif_make_tuple2(env, atom(env, "made"), enif_make_list1(env, argv[1])));
        return first;
    default:
        reason = atom(env, "untouched");
        return enif_make_tuple2(env, boolean(env, enif_has_pending_exception(env, &reason)), reason);
    }
}

/* What is known of a pending exception, told to a process before it is raised. */
NIF(pending) {
    ERL_NIF_TERM reason = atom(env, "untouched"), raised;
    ErlNifPid self;
    int before = enif_has_pending_exception(env, NULL);
    raised = int_of(env, argv[0]) ? enif_make_badarg(env) : enif_raise_exception(env, argv[1]);
    int after = enif_has_pending_exception(env, &reason), without = enif_has_pending_exception(env, NULL);
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM message = enif_make_tuple5(own, atom(own, "pending"), boolean(own, before), boolean(own, after),
                                            boolean(own, without), enif_make_copy(own, reason));
    enif_self(env, &self);
    enif_send(env, &self, own, message);
    enif_free_env(own);
    return raised;
}

NIF(thread_type) {
    switch (enif_thread_type()) {
    case ERL_NIF_THR_NORMAL_SCHEDULER: return atom(env, "normal");
    case ERL_NIF_THR_DIRTY_CPU_SCHEDULER: return atom(env, "dirty_cpu");
    case ERL_NIF_THR_DIRTY_IO_SCHEDULER: return atom(env, "dirty_io");
    default: return atom(env, "undefined");
    }
}

NIF(is_alive) { return boolean(env, enif_is_current_process_alive(env)); }
/* Keeps its dirty thread busy until the process is told to exit. */
NIF(until_dead) {
    while (enif_is_current_process_alive(env))
        ;
    return atom(env, "never_seen");
}

NIF(slice) {
    int said = enif_consume_timeslice(env, int_of(env, argv[0]));
    return enif_make_int(env, said != 0 && said != 1 ? 77 : said);
}
/* What each of a list of percentages answers. */
NIF(slices) {
    ERL_NIF_TERM percent, list = argv[0], said = enif_make_list(env, 0);
    while (enif_get_list_cell(env, list, &percent, &list))
        said = enif_make_list_cell(env, enif_make_int(env, enif_consume_timeslice(env, int_of(env, percent))), said);
    return said;
}
/* How often 10 % until it is told to yield; then it goes on as another function. */
NIF(end_of_count) { return enif_make_tuple2(env, argv[0], argv[1]); }
NIF(count_slices) {
    int times = 0;
    do
        times++;
    while (!enif_consume_timeslice(env, 10) && times < 50);
    ERL_NIF_TERM more[] = {boolean(env, times <= 11), argv[0]};
    return enif_schedule_nif(env, "end_of_count", 0, end_of_count, 2, more);
}

/* Goes on for ever, a whole slice at a time. */
NIF(endless) {
    enif_consume_timeslice(env, 100);
    return enif_schedule_nif(env, "endless", 0, endless, 0, argv);
}

/* Adds the numbers from argv[0] down, some at a time; each step is a call of its own. */
NIF(sum) {
    long left, total;
    enif_get_long(env, argv[0], &left);
    enif_get_long(env, argv[1], &total);
    for (int i = 0; i < 100 && left > 0; i++)
        total += left--;
    if (left == 0)
        return enif_make_long(env, total);
    ERL_NIF_TERM next[] = {enif_make_long(env, left), enif_make_long(env, total)};
    return enif_schedule_nif(env, "sum", 0, sum, 2, next);
}

/* A chain over kinds of threads: the flags still to go as a list, what has been met so far as another. */
NIF(chain) {
    ERL_NIF_TERM head, tail;
    ERL_NIF_TERM seen = enif_make_list_cell(env, thread_type(env, 0, NULL), argv[1]);
    if (!enif_get_list_cell(env, argv[0], &head, &tail)) {
        enif_make_reverse_list(env, seen, &seen);
        return seen;
    }
    ERL_NIF_TERM next[] = {tail, seen};
    return enif_schedule_nif(env, "chain", int_of(env, head), chain, 2, next);
}

NIF(raise_later) { return enif_raise_exception(env, argv[0]); }
NIF(schedule_raise) { return enif_schedule_nif(env, "raised_there", int_of(env, argv[1]), raise_later, 1, argv); }
NIF(many_arguments) {
    int total = 0;
    for (int i = 0; i < argc; i++)
        total += int_of(env, argv[i]);
    return enif_make_tuple2(env, enif_make_int(env, argc), enif_make_int(env, total));
}
NIF(schedule_many) {
    ERL_NIF_TERM arguments[255];
    int count = int_of(env, argv[0]);
    for (int i = 0; i < count; i++)
        arguments[i] = enif_make_int(env, i);
    return enif_schedule_nif(env, "many_arguments", int_of(env, argv[1]), many_arguments, count, arguments);
}
/* A name that no atom can have. */
NIF(schedule_unnamed) {
    char name[400];
    memset(name, 'n', sizeof name);
    name[300] = 0;
    return enif_schedule_nif(env, name, 0, raise_later, 1, argv);
}
NIF(schedule_bad_flags) { return enif_schedule_nif(env, "chain", 8, raise_later, 1, argv); }

/* Makes garbage and terms in one call. */
NIF(work) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (int i = int_of(env, argv[0]); i > 0; i--)
        list = enif_make_list_cell(env, enif_make_tuple2(env, enif_make_int(env, i), argv[1]), list);
    return list;
}
NIF(self_pid) {
    ErlNifPid self;
    return enif_self(env, &self) == &self ? enif_make_pid(env, &self) : atom(env, "no");
}
NIF(private_data) { return string(env, enif_priv_data(env)); }

static int type_at_load;
NIF(thread_type_load) { return boolean(env, type_at_load == ERL_NIF_THR_NORMAL_SCHEDULER); }

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    static char text[64];
    type_at_load = enif_thread_type();
    if (enif_get_string(env, info, text, sizeof text, ERL_NIF_LATIN1) <= 0)
        return 1;
    *data = text;
    return 0;
}

static ErlNifFunc functions[] = {
    {"fails", 2, fails, 0},
    {"pending", 2, pending, 0},
    {"thread_type", 0, thread_type, 0},
    {"thread_type_load", 0, thread_type_load, 0},
    {"thread_type_cpu", 0, thread_type, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"thread_type_io", 0, thread_type, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"dirty_fails", 2, fails, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"is_alive", 0, is_alive, 0},
    {"is_alive_io", 0, is_alive, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"until_dead", 0, until_dead, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"slice", 1, slice, 0},
    {"slices", 1, slices, 0},
    {"dirty_slices", 1, slices, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"count_slices", 1, count_slices, 0},
    {"endless", 0, endless, 0},
    {"sum", 2, sum, 0},
    {"chain", 2, chain, 0},
    {"schedule_raise", 2, schedule_raise, 0},
    {"schedule_many", 2, schedule_many, 0},
    {"schedule_unnamed", 1, schedule_unnamed, 0},
    {"schedule_bad_flags", 1, schedule_bad_flags, 0},
    {"work", 2, work, 0},
    {"dirty_work", 2, work, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"self_pid", 0, self_pid, 0},
    {"dirty_self_pid", 0, self_pid, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"private_data", 0, private_data, 0},
    {"dirty_private_data", 0, private_data, ERL_NIF_DIRTY_JOB_IO_BOUND},
};
ERL_NIF_INIT(nif_calls, functions, load, NULL, NULL, NULL)

#include "../erl/nif/nif_test.h"

/* A list of the numbers below N: enough of them is collected as soon as the function has returned. */
NIF(dirty_list) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (int n = int_of(env, argv[0]); n-- > 0;)
        list = enif_make_list_cell(env, enif_make_tuple1(env, enif_make_int(env, n)), list);
    return list;
}

NIF(dirty_fail) { return enif_raise_exception(env, argv[0]); }

static ErlNifFunc functions[] = {
    {"dirty_list", 1, dirty_list, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"dirty_fail", 1, dirty_fail, ERL_NIF_DIRTY_JOB_IO_BOUND},
};
ERL_NIF_INIT(r_trace_dirty, functions, NULL, NULL, NULL, NULL)

/* Functions that go on until they are let go; their arguments are the cell's address and one more. */
#include "r_purge_between_parts.h"

static Cell *cell_of(ErlNifEnv *env, ERL_NIF_TERM term) {
    ErlNifUInt64 address = 0;
    enif_get_uint64(env, term, &address);
    return (Cell *)(uintptr_t)address;
}

/* A part for each slice, on a dirty thread when the argument names one. */
static ERL_NIF_TERM part(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Cell *cell = cell_of(env, argv[0]);
    if (atomic_load(&cell->released))
        return enif_make_tuple2(env, atom(env, "let_go"), argv[1]);
    atomic_fetch_add(&cell->parts, 1);
    enif_consume_timeslice(env, 100);
    return enif_schedule_nif(env, "part", int_of(env, argv[1]), part, 2, argv);
}

static ERL_NIF_TERM failing(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Cell *cell = cell_of(env, argv[0]);
    if (atomic_load(&cell->released))
        return enif_raise_exception(env, argv[1]);
    atomic_fetch_add(&cell->parts, 1);
    enif_consume_timeslice(env, 100);
    return enif_schedule_nif(env, "failing", 0, failing, 2, argv);
}

static void unload(ErlNifEnv *env, void *data) {
    ErlNifPid to;
    if (enif_whereis_pid(env, atom(env, "r_purge_between_parts"), &to))
        enif_send(NULL, &to, NULL, atom(env, "unloaded"));
}

static ErlNifFunc functions[] = {{"part", 2, part, 0}, {"failing", 2, failing, 0}};
ERL_NIF_INIT(r_purge_between_parts_m, functions, NULL, NULL, NULL, unload)

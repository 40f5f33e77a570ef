/* Counts what it is told; the counts outlive each version of the module, as the library stays loaded. */
#include "trace_modules.h"

#include <stdatomic.h>

static atomic_ulong asked, calls, returns, sends, others;

NIF(enabled) {
    ErlNifPid pid;
    ERL_NIF_TERM answers, answer = atom(env, "trace");
    atomic_fetch_add(&asked, 1);
    if (state_of(env, argv[1], &pid, &answers))
        enif_get_map_value(env, answers, argv[0], &answer);
    return answer;
}

NIF(trace) {
    ERL_NIF_TERM extra;
    if (is_atom_named(env, argv[0], "call"))
        atomic_fetch_add(&calls, 1);
    else if (is_atom_named(env, argv[0], "return_from") && enif_get_map_value(env, argv[4], atom(env, "extra"), &extra))
        atomic_fetch_add(&returns, 1);
    else if (is_atom_named(env, argv[0], "send"))
        atomic_fetch_add(&sends, 1);
    else
        atomic_fetch_add(&others, 1);
    return atom(env, "ok");
}

/* {Calls, Returns, Sends, AnyOthers} since the last time. */
NIF(counts) {
    return enif_make_tuple4(
        env, enif_make_ulong(env, atomic_exchange(&calls, 0)), enif_make_ulong(env, atomic_exchange(&returns, 0)),
        enif_make_ulong(env, atomic_exchange(&sends, 0)), boolean(env, atomic_exchange(&others, 0) > 0));
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}, {"counts", 0, counts}};
static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) { return 0; }
static int upgrade(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info) { return 0; }
ERL_NIF_INIT(trace_soak_tracer, functions, load, NULL, upgrade, NULL)

/* A tracer that uses the native interface in its callbacks, and tells what it got. */
#include "trace_modules.h"

static int loads;

NIF(enabled) {
    ERL_NIF_TERM big = enif_make_list(env, 0);
    for (int i = 0; i < 100; i++)
        big = enif_make_list_cell(env, enif_make_tuple2(env, enif_make_long(env, LONG_MAX - i), string(env, "text")),
                                  big);
    unsigned length;
    return atom(env, enif_get_list_length(env, big, &length) && length == 100 ? "trace" : "discard");
}

static ERL_NIF_TERM facts(ErlNifEnv *env, ErlNifPid *pid) {
    ErlNifPid found;
    ErlNifTime now = enif_monotonic_time(ERL_NIF_MSEC);
    ERL_NIF_TERM map = enif_make_new_map(env), ref = enif_make_ref(env);
    enif_make_map_put(env, map, atom(env, "alive"), boolean(env, enif_is_process_alive(env, pid)), &map);
    enif_make_map_put(env, map, atom(env, "whereis"),
                      boolean(env, enif_whereis_pid(env, atom(env, "trace_modules_name"), &found)), &map);
    enif_make_map_put(env, map, atom(env, "is_ref"), boolean(env, enif_is_ref(env, ref)), &map);
    enif_make_map_put(env, map, atom(env, "time"), boolean(env, now != ERL_NIF_TIME_ERROR), &map);
    enif_make_map_put(env, map, atom(env, "data"), boolean(env, enif_priv_data(env) == &loads), &map);
    enif_make_map_put(env, map, atom(env, "thread"), boolean(env, enif_thread_type() == ERL_NIF_THR_NORMAL_SCHEDULER),
                      &map);
    enif_make_map_put(env, map, atom(env, "integer"), enif_make_unique_integer(env, 0), &map);
    return map;
}

/* The message is built in an environment of its own. */
NIF(trace) {
    ErlNifPid pid;
    ERL_NIF_TERM answers;
    if (!state_of(env, argv[1], &pid, &answers))
        return atom(env, "ok");
    ErlNifEnv *own = enif_alloc_env();
    ERL_NIF_TERM copy = enif_make_copy(own, enif_make_tuple2(env, facts(env, &pid), argv[3]));
    enif_send(env, &pid, own, enif_make_tuple3(own, atom(own, "told"), enif_make_copy(own, argv[0]), copy));
    enif_free_env(own);
    return atom(env, "ok");
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}};
static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    *data = &loads;
    return 0;
}
static int upgrade(ErlNifEnv *env, void **data, void **old, ERL_NIF_TERM info) { return load(env, data, info); }
ERL_NIF_INIT(trace_tracer, functions, load, NULL, upgrade, NULL)

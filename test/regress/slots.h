/* Native functions that do not return before their slot is let go. */
#include "../erl/nif/nif_test.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_int begun_in[16], released[16];

static int is_held(ErlNifEnv *env, ERL_NIF_TERM slot) {
    atomic_store(&begun_in[int_of(env, slot)], 1);
    usleep(500);
    return !atomic_load(&released[int_of(env, slot)]);
}

/* hold(Slot, Term) -> Term */
NIF(hold) {
    while (is_held(env, argv[0]))
        ;
    return argv[1];
}

/* The same in a second part of the call. */
NIF(hold_later) { return enif_schedule_nif(env, "second_part", ERL_NIF_DIRTY_JOB_CPU_BOUND, hold, 2, argv); }

/* Builds terms all the time: [{N, Binary} | ...], the newest first, of the last 1000. */
NIF(hold_building) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (int n = 1; n <= 1000 || is_held(env, argv[0]); n++) {
        char bytes[100];
        memset(bytes, n % 256, sizeof bytes);
        if (n % 1000 == 1)
            list = enif_make_list(env, 0);
        ERL_NIF_TERM pair = enif_make_tuple2(env, enif_make_int(env, n), binary(env, bytes, sizeof bytes));
        list = enif_make_list_cell(env, pair, list);
    }
    return list;
}

/* Tells To of each round, and whether its process lives, as long as it does. */
NIF(hold_alive) {
    ErlNifPid to;
    int n = 0;
    enif_get_local_pid(env, argv[1], &to);
    while (enif_is_current_process_alive(env) && is_held(env, argv[0]))
        n += enif_send(env, &to, NULL, atom(env, "alive"));
    ErlNifEnv *own = enif_alloc_env();
    enif_send(NULL, &to, own, enif_make_tuple2(own, atom(own, "ended"), boolean(own, n > 0)));
    enif_free_env(own);
    return argv[0];
}

NIF(let_go) {
    atomic_store(&released[int_of(env, argv[0])], 1);
    return atom(env, "ok");
}

/* Has the function been entered that holds the slot? */
NIF(begun) { return boolean(env, atomic_load(&begun_in[int_of(env, argv[0])])); }

#define SLOT_FUNCTIONS                                                                                                 \
    {"hold", 2, hold, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"hold_later", 2, hold_later, 0},                                   \
        {"hold_building", 1, hold_building, ERL_NIF_DIRTY_JOB_CPU_BOUND},                                              \
        {"hold_alive", 2, hold_alive, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"let_go", 1, let_go, 0}, {"begun", 1, begun, 0}

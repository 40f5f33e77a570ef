/* For viv_memory_true_tests: memory that a library asks for in a call, in dirty ones, and on a thread of its own. */
#include <erl_nif.h>

enum { BLOCKS_MAX = 64 };
static void *held[BLOCKS_MAX];
static unsigned held_count;

static ERL_NIF_TERM hold(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned long bytes;
    if (!enif_get_ulong(env, argv[0], &bytes) || held_count == BLOCKS_MAX)
        return enif_make_badarg(env);
    held[held_count++] = enif_alloc(bytes);
    return enif_make_atom(env, "ok");
}

static void *on_thread(void *data) {
    held[held_count++] = enif_alloc((size_t)data);
    return NULL;
}

static ERL_NIF_TERM hold_on_thread(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned long bytes;
    ErlNifTid thread;
    if (!enif_get_ulong(env, argv[0], &bytes) || held_count == BLOCKS_MAX ||
        enif_thread_create("holds", &thread, on_thread, (void *)bytes, NULL) != 0)
        return enif_make_badarg(env);
    enif_thread_join(thread, NULL);
    return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM let_go(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    while (held_count > 0)
        enif_free(held[--held_count]);
    return enif_make_atom(env, "ok");
}

static ErlNifFunc functions[] = {{"hold", 1, hold, 0},
                                 {"hold_cpu", 1, hold, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"hold_io", 1, hold, ERL_NIF_DIRTY_JOB_IO_BOUND},
                                 {"hold_on_thread", 1, hold_on_thread, 0},
                                 {"let_go", 0, let_go, 0}};
ERL_NIF_INIT(viv_memory_true_tests, functions, NULL, NULL, NULL, NULL)

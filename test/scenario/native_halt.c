/* A library with a say in the end of the runtime: enif_set_option. test/scenario/native_halt reads what it prints. */
#include <erl_nif.h>
#include <errno.h>
#include <stdatomic.h>
#include <time.h>

static char name[] = "the library";
static int delays;
static _Atomic int is_told, others_halt;

static void sleep_for(int milliseconds) {
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

/* While another is about to halt too: it has not told anybody when this one has slept for a while. */
static void told(void *priv_data) {
    printf("halt is told to %s\n", (char *)priv_data);
    fflush(stdout);
    atomic_store(&is_told, 1);
    for (int i = 0; delays == 2 && !atomic_load(&others_halt) && i < 50; i++)
        sleep_for(100);
    sleep_for(delays == 2 ? 500 : 0);
}

static ERL_NIF_TERM is_halting(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int result = atomic_load(&is_told);
    atomic_store(&others_halt, result);
    return enif_make_int(env, result);
}

static ERL_NIF_TERM slow(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid pid;
    int seconds;
    if (!enif_get_local_pid(env, argv[0], &pid) || !enif_get_int(env, argv[1], &seconds))
        return enif_make_badarg(env);
    printf("slow begins\n");
    fflush(stdout);
    enif_send(env, &pid, NULL, enif_make_atom(env, "begun"));
    sleep_for(seconds * 1000 + 300);
    printf("slow ends\n");
    fflush(stdout);
    return argv[0];
}

static ERL_NIF_TERM too_late(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_tuple2(env, enif_make_int(env, enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) == EINVAL),
                            enif_make_int(env, enif_set_option(env, ERL_NIF_OPT_ON_HALT, told) == EINVAL));
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    *priv_data = name;
    enif_get_int(env, info, &delays);
    if (enif_set_option(env, (ErlNifOption)99) != EINVAL || enif_set_option(env, ERL_NIF_OPT_ON_HALT, NULL) != EINVAL)
        return 1;
    if (enif_set_option(env, ERL_NIF_OPT_ON_HALT, told) != 0)
        return 2;
    return delays == 1 ? enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) : 0;
}

static ErlNifFunc functions[] = {
    {"slow", 2, slow, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"too_late", 0, too_late, 0}, {"is_halting", 0, is_halting, 0}};
ERL_NIF_INIT(halting, functions, load, NULL, NULL, NULL)

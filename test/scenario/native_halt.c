/* A library with a say in the end of the runtime: enif_set_option. test/scenario/native_halt reads what it prints. */
#include <erl_nif.h>
#include <errno.h>
#include <time.h>

static char name[] = "the library";

static void told(void *priv_data) {
    printf("halt is told to %s\n", (char *)priv_data);
    fflush(stdout);
}

static ERL_NIF_TERM slow(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    struct timespec time = {0, 300000000};
    ErlNifPid pid;
    int seconds;
    if (!enif_get_local_pid(env, argv[0], &pid) || !enif_get_int(env, argv[1], &seconds))
        return enif_make_badarg(env);
    time.tv_sec = seconds;
    printf("slow begins\n");
    fflush(stdout);
    enif_send(env, &pid, NULL, enif_make_atom(env, "begun"));
    nanosleep(&time, NULL);
    printf("slow ends\n");
    fflush(stdout);
    return argv[0];
}

static ERL_NIF_TERM too_late(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_tuple2(env, enif_make_int(env, enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) == EINVAL),
                            enif_make_int(env, enif_set_option(env, ERL_NIF_OPT_ON_HALT, told) == EINVAL));
}

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    int delays = 0;
    *priv_data = name;
    enif_get_int(env, info, &delays);
    if (enif_set_option(env, (ErlNifOption)99) != EINVAL || enif_set_option(env, ERL_NIF_OPT_ON_HALT, NULL) != EINVAL)
        return 1;
    if (enif_set_option(env, ERL_NIF_OPT_ON_HALT, told) != 0)
        return 2;
    return delays ? enif_set_option(env, ERL_NIF_OPT_DELAY_HALT) : 0;
}

static ErlNifFunc functions[] = {{"slow", 2, slow, ERL_NIF_DIRTY_JOB_IO_BOUND}, {"too_late", 0, too_late, 0}};
ERL_NIF_INIT(halting, functions, load, NULL, NULL, NULL)

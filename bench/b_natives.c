/* Native functions of bench/b_natives.erl. */
#include <erl_nif.h>

static ERL_NIF_TERM id(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return argv[0]; }

static ERL_NIF_TERM add(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    long a, b;
    if (!enif_get_long(env, argv[0], &a) || !enif_get_long(env, argv[1], &b))
        return enif_make_badarg(env);
    return enif_make_long(env, a + b);
}

static ERL_NIF_TERM list(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    int n;
    if (!enif_get_int(env, argv[0], &n))
        return enif_make_badarg(env);
    ERL_NIF_TERM result = enif_make_list(env, 0);
    while (n-- > 0)
        result = enif_make_list_cell(env, enif_make_tuple2(env, enif_make_int(env, n), argv[0]), result);
    return result;
}

static ERL_NIF_TERM bytes(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifBinary in;
    ERL_NIF_TERM out;
    if (!enif_inspect_binary(env, argv[0], &in))
        return enif_make_badarg(env);
    unsigned char *to = enif_make_new_binary(env, in.size, &out);
    for (size_t i = 0; i < in.size; i++)
        to[i] = in.data[i] ^ 0x55;
    return out;
}

static ERL_NIF_TERM go_on(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_schedule_nif(env, "id", 0, id, argc, argv);
}

static ErlNifFunc functions[] = {{"id", 1, id, 0},       {"add", 2, add, 0},
                                 {"list", 1, list, 0},   {"bytes", 1, bytes, 0},
                                 {"go_on", 1, go_on, 0}, {"dirty", 1, id, ERL_NIF_DIRTY_JOB_CPU_BOUND}};
ERL_NIF_INIT(b_natives, functions, NULL, NULL, NULL, NULL)

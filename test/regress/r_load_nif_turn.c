/* A library that takes a while to load. */
#include <erl_nif.h>
#include <unistd.h>

static int load(ErlNifEnv *env, void **priv_data, ERL_NIF_TERM info) {
    usleep(300);
    return 0;
}
static ERL_NIF_TERM which(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_int(env, 1); }
static ErlNifFunc functions[] = {{"which", 0, which, 0}};
ERL_NIF_INIT(r_turn_m, functions, load, NULL, NULL, NULL)

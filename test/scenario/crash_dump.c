/* Makes a pid of another node one of a node that is nowhere: what a faulty library leaves behind. */
#include <erl_nif.h>

static ERL_NIF_TERM broken(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM *pid = (ERL_NIF_TERM *)(argv[0] & ~(ERL_NIF_TERM)7);
    pid[2] = 0x1000;
    return argv[0];
}

static ErlNifFunc functions[] = {{"broken", 1, broken, 0}};
ERL_NIF_INIT(crash_dump_broken, functions, NULL, NULL, NULL, NULL)

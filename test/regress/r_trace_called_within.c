#include <erl_nif.h>

static ERL_NIF_TERM natively(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_int(env, 41); }

static ErlNifFunc functions[] = {{"natively", 1, natively, 0}};

ERL_NIF_INIT(r_trace_called_within, functions, NULL, NULL, NULL, NULL)

/* The tracer of b_tracers.erl: a call is told when its state is `told`, and what is told goes nowhere. */
#include <erl_nif.h>

static ERL_NIF_TERM atom_trace_status, atom_trace, atom_discard, atom_told, atom_ok;

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    atom_trace_status = enif_make_atom(env, "trace_status");
    atom_trace = enif_make_atom(env, "trace");
    atom_discard = enif_make_atom(env, "discard");
    atom_told = enif_make_atom(env, "told");
    atom_ok = enif_make_atom(env, "ok");
    return 0;
}

static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    if (enif_is_identical(argv[0], atom_trace_status) || enif_is_identical(argv[1], atom_told))
        return atom_trace;
    return atom_discard;
}

static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return atom_ok; }

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}};
ERL_NIF_INIT(b_tracers, functions, load, NULL, NULL, NULL)

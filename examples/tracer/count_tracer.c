/*
 * A tracer that counts calls and sends nothing: erl_tracer(3).
 *
 *   gcc -shared -fPIC -Iinclude -o /tmp/count_tracer.so examples/tracer/count_tracer.c
 *   NIF_LIBRARIES=/tmp bin/viv run examples/tracer/count_tracer.erl
 *
 * The callbacks run on the threads of the traced processes, several at a time: what they share is atomic.
 */
#include <erl_nif.h>
#include <stdatomic.h>

static _Atomic unsigned long calls;

/* enabled(Tag, State, Tracee): nothing but calls is of interest, and of those the number. */
static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    if (enif_is_identical(argv[0], enif_make_atom(env, "trace_status")))
        return enif_make_atom(env, "trace"); /* the tracer is there; `remove` would end the trace */
    if (enif_is_identical(argv[0], enif_make_atom(env, "call")))
        atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return enif_make_atom(env, "discard");
}

/* trace(Tag, State, Tracee, Term, Options): only for what enabled/3 has answered `trace` to. */
static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_atom(env, "ok"); }

static ERL_NIF_TERM count(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_ulong(env, atomic_exchange(&calls, 0));
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}, {"count", 0, count}};
ERL_NIF_INIT(count_tracer, functions, NULL, NULL, NULL, NULL)

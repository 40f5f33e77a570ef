/*
 * A tracer that tells who sends to whom, {trace, Sender, Recipient}, to the process that is its state: the example of
 * erl_tracer(3). A message itself is copied nowhere.
 *
 *   gcc -shared -fPIC -Iinclude -o /tmp/message_tracer.so examples/tracer/message_tracer.c
 *   NIF_LIBRARIES=/tmp bin/viv run examples/tracer/message_tracer.erl
 *
 * The callbacks run on the threads of the traced processes, several at a time: they share nothing but atoms.
 */
#include <erl_nif.h>

static ERL_NIF_TERM atom_trace_status, atom_trace, atom_discard, atom_remove, atom_send, atom_ok, atom_extra;

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    atom_trace_status = enif_make_atom(env, "trace_status");
    atom_trace = enif_make_atom(env, "trace");
    atom_discard = enif_make_atom(env, "discard");
    atom_remove = enif_make_atom(env, "remove");
    atom_send = enif_make_atom(env, "send");
    atom_ok = enif_make_atom(env, "ok");
    atom_extra = enif_make_atom(env, "extra");
    return 0;
}

/* enabled(Tag, State, Tracee). Who has no one left to tell asks for the end of the trace. What the one who is told
 * sends is not told: telling of it would never end. */
static ERL_NIF_TERM enabled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid told;
    if (enif_is_identical(argv[0], atom_trace_status))
        return enif_get_local_pid(env, argv[1], &told) && enif_is_process_alive(env, &told) ? atom_trace : atom_remove;
    return enif_is_identical(argv[0], atom_send) && !enif_is_identical(argv[1], argv[2]) ? atom_trace : atom_discard;
}

/* trace(send, State, Sender, Message, Options): the recipient is the option `extra`. */
static ERL_NIF_TERM trace(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid told;
    ERL_NIF_TERM recipient;
    if (enif_get_local_pid(env, argv[1], &told) && enif_get_map_value(env, argv[4], atom_extra, &recipient))
        enif_send(env, &told, NULL, enif_make_tuple3(env, atom_trace, argv[2], recipient));
    return atom_ok;
}

static ErlNifFunc functions[] = {{"enabled", 3, enabled}, {"trace", 5, trace}};
ERL_NIF_INIT(message_tracer, functions, load, NULL, NULL, NULL)

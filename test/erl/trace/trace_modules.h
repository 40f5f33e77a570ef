/*
 * A tracer whose state is {Pid, Answers}: enabled/3 answers what the map Answers has for the tag, or `trace`, and tells
 * Pid {asked, Function, Tag, Tracee, Answer}; trace/5 tells {told, Function, Tag, Tracee, Term, Options, Self}. It does
 * not tell of questions for trace_status and seq_trace: how often they are asked is nobody's promise.
 */
#ifndef TRACE_MODULES_H
#define TRACE_MODULES_H

#include "../nif/nif_test.h"

static inline int is_atom_named(ErlNifEnv *env, ERL_NIF_TERM term, const char *name) {
    return enif_is_identical(term, atom(env, name));
}

static inline int state_of(ErlNifEnv *env, ERL_NIF_TERM state, ErlNifPid *pid, ERL_NIF_TERM *answers) {
    const ERL_NIF_TERM *elements;
    int count;
    if (!enif_get_tuple(env, state, &count, &elements) || count != 2 || !enif_get_local_pid(env, elements[0], pid))
        return 0;
    *answers = elements[1];
    return 1;
}

static inline ERL_NIF_TERM ask(ErlNifEnv *env, const char *name, const ERL_NIF_TERM argv[]) {
    ErlNifPid pid;
    ERL_NIF_TERM answers, answer = atom(env, "trace");
    if (!state_of(env, argv[1], &pid, &answers))
        return answer;
    enif_get_map_value(env, answers, argv[0], &answer);
    if (!is_atom_named(env, argv[0], "trace_status") && !is_atom_named(env, argv[0], "seq_trace"))
        enif_send(env, &pid, NULL,
                  enif_make_tuple5(env, atom(env, "asked"), atom(env, name), argv[0], argv[2], answer));
    return answer;
}

static inline ERL_NIF_TERM tell(ErlNifEnv *env, const char *name, const ERL_NIF_TERM argv[]) {
    ErlNifPid pid, self;
    ERL_NIF_TERM answers;
    if (!state_of(env, argv[1], &pid, &answers))
        return atom(env, "ok");
    ERL_NIF_TERM me = enif_self(env, &self) ? enif_make_pid(env, &self) : atom(env, "no_self");
    enif_send(env, &pid, NULL,
              enif_make_tuple7(env, atom(env, "told"), atom(env, name), argv[0], argv[2], argv[3], argv[4], me));
    return atom(env, "ok");
}

#define ASK(name)                                                                                                      \
    NIF(name) { return ask(env, #name, argv); }
#define TELL(name)                                                                                                     \
    NIF(name) { return tell(env, #name, argv); }

#endif

/* A tracer whose state is {Pid, Answers}: as asked it answers what the map Answers has for the tag, or `trace`, and tells
 * Pid {Function, Tag, Answer}; as told {Function, Tag, Term, Options}. Of questions for trace_status it does not tell:
 * how often they are asked is nobody's promise. */
#include "erl_nif.h"

static int state_of(ErlNifEnv *env, ERL_NIF_TERM state, ErlNifPid *pid, ERL_NIF_TERM *answers) {
    const ERL_NIF_TERM *elements;
    int count;
    if (!enif_get_tuple(env, state, &count, &elements) || count != 2 || !enif_get_local_pid(env, elements[0], pid))
        return 0;
    *answers = elements[1];
    return 1;
}

static ERL_NIF_TERM ask(ErlNifEnv *env, const char *name, const ERL_NIF_TERM argv[]) {
    ErlNifPid pid;
    ERL_NIF_TERM answers, answer = enif_make_atom(env, "trace");
    if (!state_of(env, argv[1], &pid, &answers))
        return answer;
    enif_get_map_value(env, answers, argv[0], &answer);
    if (!enif_is_identical(argv[0], enif_make_atom(env, "trace_status")))
        enif_send(env, &pid, NULL, enif_make_tuple3(env, enif_make_atom(env, name), argv[0], answer));
    return answer;
}

static ERL_NIF_TERM tell(ErlNifEnv *env, const char *name, const ERL_NIF_TERM argv[]) {
    ErlNifPid pid;
    ERL_NIF_TERM answers;
    if (state_of(env, argv[1], &pid, &answers))
        enif_send(env, &pid, NULL, enif_make_tuple4(env, enif_make_atom(env, name), argv[0], argv[3], argv[4]));
    return enif_make_atom(env, "ok");
}

#define ASK(name)                                                                                                      \
    static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return ask(env, #name, argv); }
#define TELL(name)                                                                                                     \
    static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return tell(env, #name, argv); }

ASK(enabled)
TELL(trace)
ASK(enabled_ports)
TELL(trace_ports)
ASK(enabled_running_ports)
TELL(trace_running_ports)

static ErlNifFunc functions[] = {
    {"enabled", 3, enabled},
    {"trace", 5, trace},
    {"enabled_ports", 3, enabled_ports},
    {"trace_ports", 5, trace_ports},
    {"enabled_running_ports", 3, enabled_running_ports},
    {"trace_running_ports", 5, trace_running_ports},
};
ERL_NIF_INIT(r_tracer_of_ports, functions, NULL, NULL, NULL, NULL)

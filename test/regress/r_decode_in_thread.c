/* A thread of the library's own decodes a term, the first thing that it does, and sends it to who asked. */
#include "../erl/nif/nif_test.h"

typedef struct {
    ErlNifBinary binary;
    ErlNifPid asker;
} Question;

static void *decode(void *data) {
    Question *q = data;
    ErlNifEnv *env = enif_alloc_env();
    ERL_NIF_TERM term;
    if (enif_binary_to_term(env, q->binary.data, q->binary.size, &term, 0) != q->binary.size)
        term = enif_make_atom(env, "error");
    enif_send(NULL, &q->asker, env, term);
    enif_free_env(env);
    return NULL;
}

static ERL_NIF_TERM in_thread(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    Question q;
    ErlNifTid thread;
    if (!enif_inspect_binary(env, argv[0], &q.binary) || !enif_self(env, &q.asker))
        return enif_make_badarg(env);
    int error = enif_thread_create("decodes", &thread, decode, &q, NULL);
    if (!error)
        enif_thread_join(thread, NULL);
    return enif_make_int(env, error);
}

static ErlNifFunc functions[] = {{"in_thread", 1, in_thread, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(r_decode_in_thread, functions, NULL, NULL, NULL, NULL)

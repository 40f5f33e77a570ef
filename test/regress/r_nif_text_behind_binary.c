#include <string.h>

#include "erl_nif.h"

/* The NUL comes behind. */
static ERL_NIF_TERM text(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned size;
    ErlNifBinary binary;
    if (!enif_get_uint(env, argv[0], &size) || !enif_alloc_binary(size, &binary))
        return enif_make_badarg(env);
    memset(binary.data, 'x', size);
    binary.data[size] = '\0';
    return enif_make_binary(env, &binary);
}

static ErlNifFunc functions[] = {{"text", 1, text, 0}};
ERL_NIF_INIT(r_nif_text_behind_binary, functions, NULL, NULL, NULL, NULL)

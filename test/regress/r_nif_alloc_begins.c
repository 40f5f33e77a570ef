/* Blocks whose first word is zero before anyone has written there. */
#include <erl_nif.h>

#define BLOCKS 1000

/* Twice: fresh memory first, then blocks that were freed. */
static ERL_NIF_TERM zeros(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned *blocks[BLOCKS];
    unsigned size, found = 0;
    if (!enif_get_uint(env, argv[0], &size))
        return enif_make_badarg(env);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i] = enif_alloc(size);
            found += blocks[i][0] == 0;
        }
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i][0] = 0;
            enif_free(blocks[i]);
        }
    }
    return enif_make_uint(env, found);
}

static ErlNifFunc functions[] = {{"zeros", 1, zeros, 0}};
ERL_NIF_INIT(r_nif_alloc_begins, functions, NULL, NULL, NULL, NULL)

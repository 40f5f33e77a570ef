#include "nif/env.h"

#include "alloc/alloc.h"
#include "heap/copy.h"
#include "nif/library.h"
#include "nif/zero.h"

void nif_env_release_temporaries(ErlNifEnv *env) {
    while (env->temporaries != NULL) {
        NifTemporary *t = env->temporaries;
        env->temporaries = t->next;
        t->release(t);
    }
}

void nif_own_env_begin(NifOwnEnv *own, NifEnvKind kind, struct Process *process, NifLibrary *library) {
    fragment_area_init(&own->terms, 0);
    nif_env_begin(&own->env, kind, process, &own->terms.area, library);
}

void nif_own_env_end(NifOwnEnv *own) {
    nif_env_end(&own->env);
    fragment_area_drop(&own->terms);
}

Fragment *nif_own_env_take(NifOwnEnv *own) {
    nif_env_end(&own->env);
    own->env.has_exception = false;
    Fragment *chain = fragment_area_finish(&own->terms);
    fragment_area_init(&own->terms, 0);
    return chain;
}

/* The interface */

void *enif_alloc(size_t size) { return mem_try_alloc_foreign(ALLOC_NIF, size); }
void *enif_realloc(void *block, size_t size) { return mem_try_realloc(ALLOC_NIF, block, size); }
void enif_free(void *block) { mem_free(ALLOC_NIF, block); }

ErlNifEnv *enif_alloc_env(void) {
    NifOwnEnv *own = mem_alloc(ALLOC_NIF, sizeof *own);
    nif_own_env_begin(own, NIF_ENV_INDEPENDENT, NULL, NULL);
    return &own->env;
}

void enif_clear_env(ErlNifEnv *env) {
    require(env->kind == NIF_ENV_INDEPENDENT);
    fragments_free(nif_own_env_take((NifOwnEnv *)env));
}

void enif_free_env(ErlNifEnv *env) {
    enif_clear_env(env);
    mem_free(ALLOC_NIF, env);
}

/* With its literals: the environment may outlive the module that they belong to. */
ERL_NIF_TERM enif_make_copy(ErlNifEnv *to, ERL_NIF_TERM term) {
    return nif_give(term_copy_literals(nif_take(term), to->area));
}

void *enif_priv_data(ErlNifEnv *env) { return env->library != NULL ? env->library->priv_data : NULL; }

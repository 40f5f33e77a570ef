/* A binary of more than 4 GB that takes no memory: nobody reads it. */
#include <sys/mman.h>

#include "erl_nif.h"

#define BYTES (((size_t)1 << 32) + 1)

typedef struct {
    void *bytes;
} Mapping;

static ErlNifResourceType *mappings;

static void unmap(ErlNifEnv *env, void *object) { munmap(((Mapping *)object)->bytes, BYTES); }

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    mappings = enif_open_resource_type(env, NULL, "mapping", unmap, ERL_NIF_RT_CREATE, NULL);
    return mappings == NULL;
}

static ERL_NIF_TERM huge(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    void *bytes = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return enif_make_badarg(env);
    Mapping *mapping = enif_alloc_resource(mappings, sizeof *mapping);
    mapping->bytes = bytes;
    ERL_NIF_TERM binary = enif_make_resource_binary(env, mapping, bytes, BYTES);
    enif_release_resource(mapping);
    return binary;
}

static ErlNifFunc functions[] = {{"huge", 0, huge, 0}};

ERL_NIF_INIT(r_encoded_too_large, functions, load, NULL, NULL, NULL)

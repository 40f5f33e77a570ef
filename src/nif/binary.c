/* Binaries: bytes that a library owns, inspects, or makes terms of. See nif/env.h for what ErlNifBinary holds. */
#include "nif/env.h"

#include "alloc/alloc.h"
#include "etf/encode.h"
#include "etf/tags.h"
#include "nif/zero.h"
#include "term/bits.h"
#include "term/iolist.h"
#include "term/refc_binary.h"

#include <string.h>

typedef struct {
    NifTemporary temporary;
    uint8_t bytes[] __attribute__((aligned(16)));
} TemporaryBytes;

static void temporary_bytes_free(NifTemporary *t) { mem_free(ALLOC_NIF, t); }

static uint8_t *temporary_bytes(ErlNifEnv *env, size_t size) {
    TemporaryBytes *t = mem_alloc(ALLOC_NIF, sizeof *t + size + 1);
    t->temporary.release = temporary_bytes_free;
    nif_env_add_temporary(env, &t->temporary);
    return t->bytes;
}

static void inspected(ErlNifBinary *binary, uint8_t *data, size_t size) {
    *binary = (ErlNifBinary){.size = size, .data = data};
}

static bool own(ErlNifBinary *binary, RefcBinary *bytes, size_t size) {
    *binary = (ErlNifBinary){.size = size, .data = bytes->bytes, .ref_bin = bytes, .__spare__ = {NIF_BINARY_OWNED}};
    return true;
}

int enif_alloc_binary(size_t size, ErlNifBinary *binary) {
    RefcBinary *bytes = refc_binary_try_create(size);
    return bytes != NULL && own(binary, bytes, size);
}

int enif_realloc_binary(ErlNifBinary *binary, size_t size) {
    if (binary->ref_bin != NULL) {
        RefcBinary *bytes = refc_binary_try_resize(binary->ref_bin, size);
        return bytes != NULL && own(binary, bytes, size);
    }
    ErlNifBinary before = *binary;
    if (!enif_alloc_binary(size, binary))
        return 0;
    memcpy(binary->data, before.data, before.size < size ? before.size : size);
    return 1;
}

/* Of one that was inspected nothing is to be released. */
void enif_release_binary(ErlNifBinary *binary) {
    if (binary->ref_bin != NULL)
        refc_binary_release(binary->ref_bin);
    binary->ref_bin = NULL;
}

/* Bits that do not begin at a byte are moved there, in a copy. */
int enif_inspect_binary(ErlNifEnv *env, ERL_NIF_TERM term, ErlNifBinary *binary) {
    if (!is_binary(term))
        return 0;
    BitsView view;
    bits_view(term, &view);
    uint8_t *data = (uint8_t *)view.bytes;
    if (view.bit_offset != 0) {
        data = temporary_bytes(env, view.bit_size / 8);
        bits_copy(data, 0, view.bytes, view.bit_offset, view.bit_size);
    }
    inspected(binary, data, view.bit_size / 8);
    return 1;
}

int enif_inspect_iolist_as_binary(ErlNifEnv *env, ERL_NIF_TERM term, ErlNifBinary *binary) {
    if (is_binary(term))
        return enif_inspect_binary(env, term, binary);
    int64_t bits = is_list(term) || is_nil(term) ? iolist_bits(term, false, NULL) : -1;
    if (bits < 0)
        return 0;
    uint8_t *data = temporary_bytes(env, (size_t)bits / 8);
    iolist_copy(term, data);
    inspected(binary, data, (size_t)bits / 8);
    return 1;
}

/* The bytes stay where they are; the ErlNifBinary may still read them as long as the term lives. */
ERL_NIF_TERM enif_make_binary(ErlNifEnv *env, ErlNifBinary *binary) {
    if (binary->ref_bin == NULL)
        return binary_from_bytes(env->area, binary->data, binary->size);
    Term t = binary_from_refc(env->area, binary->ref_bin, binary->size);
    binary->ref_bin = NULL;
    return t;
}

unsigned char *enif_make_new_binary(ErlNifEnv *env, size_t size, ERL_NIF_TERM *term) {
    uint8_t *data;
    *term = binary_make(env->area, size, &data);
    return data;
}

ERL_NIF_TERM enif_make_sub_binary(ErlNifEnv *env, ERL_NIF_TERM binary, size_t position, size_t size) {
    return bits_sub(env->area, binary, 8 * position, 8 * size);
}

/* The external format */

int enif_term_to_binary(ErlNifEnv *env, ERL_NIF_TERM term, ErlNifBinary *binary) {
    EtfEncoder e;
    etf_encoder_init(&e, nif_take(term), ETF_WRITE, ETF_MINOR_DEFAULT, 0);
    int64_t work = INT64_MAX;
    FragmentArea scratch;
    fragment_area_init(&scratch, 0);
    bool done = etf_encoder_run(&e, &scratch.area, &work) == ETF_DONE;
    size_t size = etf_encoder_total(&e);
    done = done && enif_alloc_binary(size, binary);
    if (done) {
        Term written = etf_encoder_binary(&e, &scratch.area);
        BitsView view;
        bits_view(written, &view);
        memcpy(binary->data, view.bytes, size);
    }
    etf_encoder_release(&e);
    fragment_area_drop(&scratch);
    return done;
}

size_t enif_binary_to_term(ErlNifEnv *env, const unsigned char *data, size_t size, ERL_NIF_TERM *term,
                           unsigned options) {
    size_t used;
    visitor_know_thread();
    if (options & ~(unsigned)ERL_NIF_BIN2TERM_SAFE || (size > 1 && data[1] == ETF_COMPRESSED)) /* as stock */
        return 0;
    unsigned flags = options & ERL_NIF_BIN2TERM_SAFE ? ETF_SAFE : 0;
    if (etf_decode(data, size, flags, env->area, term, &used) != ETF_DONE)
        return 0;
    *term = nif_give(*term);
    return used;
}

/* What kind of term; order, identity, hash; exceptions. */
#include "base/mix.h"
#include "nif/env.h"
#include "nif/zero.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/hash.h"

int enif_is_atom(ErlNifEnv *env, ERL_NIF_TERM t) { return is_atom(t); }
int enif_is_binary(ErlNifEnv *env, ERL_NIF_TERM t) { return is_binary(t); }
int enif_is_empty_list(ErlNifEnv *env, ERL_NIF_TERM t) { return is_nil(t); }
int enif_is_exception(ErlNifEnv *env, ERL_NIF_TERM t) { return env->has_exception && t == NON_VALUE; }
int enif_is_fun(ErlNifEnv *env, ERL_NIF_TERM t) { return is_fun(t); }
int enif_is_list(ErlNifEnv *env, ERL_NIF_TERM t) { return is_list(t) || is_nil(t); }
int enif_is_map(ErlNifEnv *env, ERL_NIF_TERM t) { return is_map(t); }
int enif_is_number(ErlNifEnv *env, ERL_NIF_TERM t) { return is_number(nif_take(t)); }
int enif_is_pid(ErlNifEnv *env, ERL_NIF_TERM t) { return is_pid(t); }
int enif_is_port(ErlNifEnv *env, ERL_NIF_TERM t) { return is_port(t); }
int enif_is_ref(ErlNifEnv *env, ERL_NIF_TERM t) { return is_ref(t); }
int enif_is_tuple(ErlNifEnv *env, ERL_NIF_TERM t) { return is_tuple(t); }

static ErlNifTermType type_of_boxed(Term t) {
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE: return ERL_NIF_TERM_TYPE_TUPLE;
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: return ERL_NIF_TERM_TYPE_MAP;
    case KIND_FUN:
    case KIND_EXPORT_FUN: return ERL_NIF_TERM_TYPE_FUN;
    case KIND_SUB_BITS:
    case KIND_BIN_REF:
    case KIND_HEAP_BITS: return ERL_NIF_TERM_TYPE_BITSTRING;
    case KIND_POS_BIG:
    case KIND_NEG_BIG: return ERL_NIF_TERM_TYPE_INTEGER;
    case KIND_FLOAT: return ERL_NIF_TERM_TYPE_FLOAT;
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: return ERL_NIF_TERM_TYPE_REFERENCE;
    case KIND_EXTERNAL_PID: return ERL_NIF_TERM_TYPE_PID;
    case KIND_EXTERNAL_PORT: return ERL_NIF_TERM_TYPE_PORT;
    default: panic("a native library asked for the type of what is no term: header %lx", boxed_header(t));
    }
}

ErlNifTermType enif_term_type(ErlNifEnv *env, ERL_NIF_TERM t) {
    if (is_small(nif_take(t)))
        return ERL_NIF_TERM_TYPE_INTEGER;
    if (is_list(t) || is_nil(t))
        return ERL_NIF_TERM_TYPE_LIST;
    if (is_boxed(t))
        return type_of_boxed(t);
    if (is_atom(t))
        return ERL_NIF_TERM_TYPE_ATOM;
    if (is_float(t))
        return ERL_NIF_TERM_TYPE_FLOAT;
    if (is_local_pid(t))
        return ERL_NIF_TERM_TYPE_PID;
    if (is_local_port(t))
        return ERL_NIF_TERM_TYPE_PORT;
    panic("a native library asked for the type of what is no term: %lx", t);
}

int enif_is_identical(ERL_NIF_TERM a, ERL_NIF_TERM b) { return term_identical(nif_take(a), nif_take(b)); }
int enif_compare(ERL_NIF_TERM a, ERL_NIF_TERM b) { return term_compare(nif_take(a), nif_take(b)); }

/* The internal one is good for tables of this run only. */
ErlNifUInt64 enif_hash(ErlNifHash type, ERL_NIF_TERM t, ErlNifUInt64 salt) {
    if (type == ERL_NIF_PHASH2)
        return term_phash2(nif_take(t)) & ((1u << 27) - 1);
    ErlNifUInt64 hash = mix_word(term_hash(nif_take(t)) ^ salt);
    return release_has(RELEASE_WIDE_NATIVE_HASH) ? hash : hash & UINT32_MAX;
}

ERL_NIF_TERM enif_raise_exception(ErlNifEnv *env, ERL_NIF_TERM reason) {
    env->has_exception = true;
    env->exception = nif_take(reason);
    env->goes_on = false;
    return NON_VALUE;
}

ERL_NIF_TERM enif_make_badarg(ErlNifEnv *env) { return enif_raise_exception(env, am_badarg); }

int enif_has_pending_exception(ErlNifEnv *env, ERL_NIF_TERM *reason) {
    if (env->has_exception && reason != NULL)
        *reason = nif_give(env->exception);
    return env->has_exception;
}

/*
 * What the test libraries share. The version that they claim is that of OTP 25, whichever header they are compiled
 * against: both runtimes accept it.
 */
#ifndef NIF_TEST_H
#define NIF_TEST_H

#include <erl_nif.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 16

#define NIF(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline ERL_NIF_TERM atom(ErlNifEnv *env, const char *name) { return enif_make_atom(env, name); }
static inline ERL_NIF_TERM boolean(ErlNifEnv *env, int is_true) { return atom(env, is_true ? "true" : "false"); }
/* {ok, Term} when a function said yes, else the atom no. */
static inline ERL_NIF_TERM answer(ErlNifEnv *env, int ok, ERL_NIF_TERM term) {
    return ok ? enif_make_tuple2(env, atom(env, "ok"), term) : atom(env, "no");
}
/* A C int from an argument that the test surely gives. */
static inline int int_of(ErlNifEnv *env, ERL_NIF_TERM term) {
    int value = 0;
    if (!enif_get_int(env, term, &value))
        fprintf(stderr, "an int was expected\n");
    return value;
}
static inline ERL_NIF_TERM string(ErlNifEnv *env, const char *text) {
    return enif_make_string(env, text, ERL_NIF_LATIN1);
}
/* `bytes` of memory as a binary. */
static inline ERL_NIF_TERM binary(ErlNifEnv *env, const void *from, size_t bytes) {
    ERL_NIF_TERM term;
    memcpy(enif_make_new_binary(env, bytes, &term), from, bytes);
    return term;
}

#endif

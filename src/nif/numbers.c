/* Integers and floats. */
#include "nif/env.h"
#include "nif/zero.h"
#include "term/float.h"
#include "term/integer.h"

ERL_NIF_TERM enif_make_int(ErlNifEnv *env, int i) { return nif_give(small_make(i)); }
ERL_NIF_TERM enif_make_uint(ErlNifEnv *env, unsigned i) { return nif_give(small_make((SWord)i)); }
ERL_NIF_TERM enif_make_long(ErlNifEnv *env, long i) { return nif_give(integer_from_int64(env->area, i)); }
ERL_NIF_TERM enif_make_ulong(ErlNifEnv *env, unsigned long i) { return nif_give(integer_from_uint64(env->area, i)); }

ERL_NIF_TERM enif_make_double(ErlNifEnv *env, double d) {
    return float_is_finite(d) ? float_make(env->area, d) : enif_make_badarg(env);
}

int enif_get_int(ErlNifEnv *env, ERL_NIF_TERM t, int *i) {
    t = nif_take(t);
    if (!is_small(t) || small_value(t) < INT_MIN || small_value(t) > INT_MAX)
        return 0;
    *i = (int)small_value(t);
    return 1;
}

int enif_get_uint(ErlNifEnv *env, ERL_NIF_TERM t, unsigned *i) {
    t = nif_take(t);
    if (!is_small(t) || small_value(t) < 0 || small_value(t) > UINT_MAX)
        return 0;
    *i = (unsigned)small_value(t);
    return 1;
}

int enif_get_long(ErlNifEnv *env, ERL_NIF_TERM t, long *i) {
    t = nif_take(t);
    return is_integer(t) && integer_to_int64(t, i);
}

int enif_get_ulong(ErlNifEnv *env, ERL_NIF_TERM t, unsigned long *i) {
    t = nif_take(t);
    return is_integer(t) && integer_to_uint64(t, i);
}

int enif_get_double(ErlNifEnv *env, ERL_NIF_TERM t, double *d) {
    if (!is_float(t))
        return 0;
    *d = float_value(t);
    return 1;
}

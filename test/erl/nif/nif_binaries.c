/* Binaries: allocated, resized, given away, shared in parts, read as they are and as iolists. */
#include "nif_test.h"

NIF(inspect) {
    ErlNifBinary bin;
    if (!enif_inspect_binary(env, argv[0], &bin))
        return atom(env, "no");
    return enif_make_tuple2(env, enif_make_uint64(env, bin.size), binary(env, bin.data, bin.size));
}

NIF(inspect_iolist) {
    ErlNifBinary bin;
    if (!enif_inspect_iolist_as_binary(env, argv[0], &bin))
        return atom(env, "no");
    return enif_make_tuple2(env, enif_make_uint64(env, bin.size), enif_make_binary(env, &bin));
}

static void fill(unsigned char *data, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        data[i] = (unsigned char)(i * 7 + 1);
}

/* Allocated with one size, resized to others, made a term or released. */
NIF(resized) {
    ErlNifBinary bin;
    size_t first = (size_t)int_of(env, argv[0]), then = (size_t)int_of(env, argv[1]);
    if (!enif_alloc_binary(first, &bin) || bin.size != first)
        return atom(env, "no_memory");
    fill(bin.data, 0, first);
    if (!enif_realloc_binary(&bin, then) || bin.size != then)
        return atom(env, "no_memory");
    fill(bin.data, first, then);
    if (int_of(env, argv[2]))
        return enif_make_binary(env, &bin);
    ERL_NIF_TERM copy = binary(env, bin.data, bin.size);
    enif_release_binary(&bin);
    return copy;
}

/* A binary that is only inspected becomes one of its own when it is resized. */
NIF(resize_inspected) {
    ErlNifBinary bin;
    size_t to = (size_t)int_of(env, argv[1]);
    if (!enif_inspect_binary(env, argv[0], &bin))
        return atom(env, "no");
    size_t from = bin.size;
    if (!enif_realloc_binary(&bin, to))
        return atom(env, "no_memory");
    fill(bin.data, from, to);
    return enif_make_tuple2(env, enif_make_binary(env, &bin), argv[0]);
}

/* The same memory as two terms; what was made a term is read-only, and stays good until the call returns. */
NIF(twice) {
    ErlNifBinary bin;
    size_t size = (size_t)int_of(env, argv[0]);
    enif_alloc_binary(size, &bin);
    fill(bin.data, 0, size);
    ERL_NIF_TERM first = enif_make_binary(env, &bin);
    ERL_NIF_TERM second = enif_make_binary(env, &bin);
    return enif_make_tuple3(env, first, second, boolean(env, bin.size == size));
}

NIF(new_binary) {
    ERL_NIF_TERM term;
    size_t size = (size_t)int_of(env, argv[0]);
    fill(enif_make_new_binary(env, size, &term), 0, size);
    return term;
}

NIF(sub_binary) {
    return enif_make_sub_binary(env, argv[0], (size_t)int_of(env, argv[1]), (size_t)int_of(env, argv[2]));
}

/* Parts of parts, read through both names. */
NIF(sub_of_sub) {
    ErlNifBinary bin;
    ERL_NIF_TERM part = enif_make_sub_binary(env, argv[0], 2, 8);
    ERL_NIF_TERM inner = enif_make_sub_binary(env, part, 3, 4);
    if (!enif_inspect_binary(env, inner, &bin))
        return atom(env, "no");
    return enif_make_tuple4(env, part, inner, binary(env, bin.data, bin.size), enif_make_sub_binary(env, inner, 4, 0));
}

/* Through an environment of its own: the binary outlives it. */
NIF(through_env) {
    ErlNifEnv *own = enif_alloc_env();
    ErlNifBinary bin;
    ERL_NIF_TERM made;
    size_t size = (size_t)int_of(env, argv[0]);
    fill(enif_make_new_binary(own, size, &made), 0, size);
    ERL_NIF_TERM part = enif_make_sub_binary(own, made, size / 2, size - size / 2);
    ERL_NIF_TERM copy = enif_make_copy(env, enif_make_tuple3(own, made, part, enif_make_copy(own, argv[1])));
    enif_free_env(own);
    return enif_inspect_binary(env, argv[1], &bin) ? copy : atom(env, "no");
}

/* Inspected in an environment that belongs to no process. */
NIF(inspect_in_env) {
    ErlNifEnv *own = enif_alloc_env();
    ErlNifBinary bin;
    ERL_NIF_TERM result = atom(env, "no");
    ERL_NIF_TERM copy = enif_make_copy(own, argv[0]);
    if (enif_inspect_iolist_as_binary(own, copy, &bin))
        result = binary(env, bin.data, bin.size);
    enif_free_env(own);
    return result;
}

NIF(many) {
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (int i = int_of(env, argv[0]); i > 0; i--) {
        ErlNifBinary bin;
        enif_alloc_binary((size_t)(i % 300), &bin);
        fill(bin.data, 0, bin.size);
        if (i % 3 == 0)
            enif_release_binary(&bin);
        else
            list = enif_make_list_cell(env, enif_make_binary(env, &bin), list);
    }
    return list;
}

static ErlNifFunc functions[] = {
    {"inspect", 1, inspect, 0},
    {"inspect_iolist", 1, inspect_iolist, 0},
    {"resized", 3, resized, 0},
    {"resize_inspected", 2, resize_inspected, 0},
    {"twice", 1, twice, 0},
    {"new_binary", 1, new_binary, 0},
    {"sub_binary", 3, sub_binary, 0},
    {"sub_of_sub", 1, sub_of_sub, 0},
    {"through_env", 2, through_env, 0},
    {"inspect_in_env", 1, inspect_in_env, 0},
    {"many", 1, many, 0},
};
ERL_NIF_INIT(nif_binaries, functions, NULL, NULL, NULL, NULL)

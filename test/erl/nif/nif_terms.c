/* Terms of all kinds: questions, reading, making, comparing, hashing, copying between environments. */
#include "nif_test.h"

NIF(questions) {
    ERL_NIF_TERM t = argv[0];
    int is[] = {enif_is_atom(env, t),       enif_is_binary(env, t), enif_is_ref(env, t),   enif_is_fun(env, t),
                enif_is_pid(env, t),        enif_is_port(env, t),   enif_is_tuple(env, t), enif_is_list(env, t),
                enif_is_empty_list(env, t), enif_is_number(env, t), enif_is_map(env, t),   enif_is_exception(env, t)};
    const char *names[] = {"atom",  "binary", "ref",        "fun",    "pid", "port",
                           "tuple", "list",   "empty_list", "number", "map", "exception"};
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (size_t i = COUNT(is); i-- > 0;)
        if (is[i])
            list = enif_make_list_cell(env, atom(env, names[i]), list);
    return list;
}

NIF(type) {
    switch (enif_term_type(env, argv[0])) {
    case ERL_NIF_TERM_TYPE_ATOM: return atom(env, "atom");
    case ERL_NIF_TERM_TYPE_BITSTRING: return atom(env, "bitstring");
    case ERL_NIF_TERM_TYPE_FLOAT: return atom(env, "float");
    case ERL_NIF_TERM_TYPE_FUN: return atom(env, "fun");
    case ERL_NIF_TERM_TYPE_INTEGER: return atom(env, "integer");
    case ERL_NIF_TERM_TYPE_LIST: return atom(env, "list");
    case ERL_NIF_TERM_TYPE_MAP: return atom(env, "map");
    case ERL_NIF_TERM_TYPE_PID: return atom(env, "pid");
    case ERL_NIF_TERM_TYPE_PORT: return atom(env, "port");
    case ERL_NIF_TERM_TYPE_REFERENCE: return atom(env, "reference");
    case ERL_NIF_TERM_TYPE_TUPLE: return atom(env, "tuple");
    default: return atom(env, "other");
    }
}

/* What every reader of numbers makes of a term; the variables keep their values when it says no. */
NIF(numbers) {
    int i = 7;
    unsigned u = 7;
    long l = 7;
    unsigned long ul = 7;
    ErlNifSInt64 i64 = 7;
    ErlNifUInt64 u64 = 7;
    double d = 7.0;
    int got[] = {enif_get_int(env, argv[0], &i),     enif_get_uint(env, argv[0], &u),
                 enif_get_long(env, argv[0], &l),    enif_get_ulong(env, argv[0], &ul),
                 enif_get_int64(env, argv[0], &i64), enif_get_uint64(env, argv[0], &u64),
                 enif_get_double(env, argv[0], &d)};
    return enif_make_list7(env, answer(env, got[0], enif_make_int(env, i)), answer(env, got[1], enif_make_uint(env, u)),
                           answer(env, got[2], enif_make_long(env, l)), answer(env, got[3], enif_make_ulong(env, ul)),
                           answer(env, got[4], enif_make_int64(env, i64)),
                           answer(env, got[5], enif_make_uint64(env, u64)),
                           answer(env, got[6], enif_make_double(env, d)));
}

NIF(limits) {
    ERL_NIF_TERM made[] = {enif_make_int(env, INT_MIN),
                           enif_make_int(env, INT_MAX),
                           enif_make_uint(env, UINT_MAX),
                           enif_make_long(env, LONG_MIN),
                           enif_make_long(env, LONG_MAX),
                           enif_make_ulong(env, ULONG_MAX),
                           enif_make_int64(env, (ErlNifSInt64)1 << 59),
                           enif_make_int64(env, -((ErlNifSInt64)1 << 59)),
                           enif_make_int64(env, -((ErlNifSInt64)1 << 59) - 1),
                           enif_make_int64(env, ((ErlNifSInt64)1 << 60) - 1),
                           enif_make_int64(env, (ErlNifSInt64)1 << 60),
                           enif_make_int64(env, -((ErlNifSInt64)1 << 60)),
                           enif_make_int64(env, -((ErlNifSInt64)1 << 60) - 1),
                           enif_make_uint64(env, (ErlNifUInt64)1 << 63),
                           enif_make_double(env, 0.0),
                           enif_make_double(env, -0.0),
                           enif_make_double(env, 5e-324),
                           enif_make_double(env, -1.7976931348623157e308)};
    return enif_make_list_from_array(env, made, COUNT(made));
}

/* A double that no Erlang float can be is a badarg. */
NIF(no_float) {
    double zero = 0.0 * int_of(env, argv[0]), value = int_of(env, argv[1]) / zero;
    ERL_NIF_TERM term = enif_make_double(env, value);
    if (!enif_is_exception(env, term))
        return atom(env, "a_term");
    return term;
}

NIF(atom_text) {
    char buffer[300];
    unsigned length = 77;
    memset(buffer, '#', sizeof buffer);
    int has_length = enif_get_atom_length(env, argv[0], &length, ERL_NIF_LATIN1);
    int count = enif_get_atom(env, argv[0], buffer, (unsigned)int_of(env, argv[1]), ERL_NIF_LATIN1);
    return enif_make_tuple3(env, answer(env, has_length, enif_make_uint(env, length)), enif_make_int(env, count),
                            binary(env, buffer, count > 0 ? (size_t)count + 1 : 1));
}

/* Atoms from the bytes of a binary: all four ways. The answers of the two that only look say whether it was there. */
NIF(atoms) {
    ErlNifBinary name;
    char text[600];
    ERL_NIF_TERM existing = argv[0], existing_len = argv[0];
    if (!enif_inspect_binary(env, argv[0], &name) || name.size >= sizeof text)
        return enif_make_badarg(env);
    memcpy(text, name.data, name.size);
    text[name.size] = 0;
    int was = enif_make_existing_atom(env, text, &existing, ERL_NIF_LATIN1);
    int was_len = enif_make_existing_atom_len(env, text, name.size, &existing_len, ERL_NIF_LATIN1);
    return enif_make_tuple4(env, answer(env, was, existing), answer(env, was_len, existing_len),
                            enif_make_atom_len(env, text, name.size), enif_make_atom(env, text));
}

/* One way only: an atom that is too long raises an exception. */
NIF(long_atom) {
    char text[400];
    int length = int_of(env, argv[0]);
    memset(text, 'a', sizeof text);
    text[length] = 0;
    return int_of(env, argv[1]) ? enif_make_atom(env, text) : enif_make_atom_len(env, text, (size_t)length);
}

NIF(get_string) {
    char buffer[64];
    memset(buffer, '#', sizeof buffer);
    int count = enif_get_string(env, argv[0], buffer, (unsigned)int_of(env, argv[1]), ERL_NIF_LATIN1);
    return enif_make_tuple2(env, enif_make_int(env, count), binary(env, buffer, 12));
}

NIF(strings) {
    return enif_make_list4(env, enif_make_string(env, "", ERL_NIF_LATIN1),
                           enif_make_string(env, "text \344\377", ERL_NIF_LATIN1),
                           enif_make_string_len(env, "with\0zero", 9, ERL_NIF_LATIN1),
                           enif_make_string_len(env, "cut", 0, ERL_NIF_LATIN1));
}

NIF(lists) {
    ERL_NIF_TERM head = argv[0], tail = argv[0], reversed = argv[0];
    unsigned length = 77;
    int has_cell = enif_get_list_cell(env, argv[0], &head, &tail);
    int has_length = enif_get_list_length(env, argv[0], &length);
    int can_reverse = enif_make_reverse_list(env, argv[0], &reversed);
    return enif_make_tuple4(env, answer(env, has_cell, head), answer(env, has_cell, tail),
                            answer(env, has_length, enif_make_uint(env, length)), answer(env, can_reverse, reversed));
}

NIF(make_lists) {
    ERL_NIF_TERM a[9];
    for (int i = 0; i < 9; i++)
        a[i] = enif_make_int(env, i + 1);
    ERL_NIF_TERM lists[] = {enif_make_list(env, 0),
                            enif_make_list1(env, a[0]),
                            enif_make_list2(env, a[0], a[1]),
                            enif_make_list3(env, a[0], a[1], a[2]),
                            enif_make_list4(env, a[0], a[1], a[2], a[3]),
                            enif_make_list5(env, a[0], a[1], a[2], a[3], a[4]),
                            enif_make_list6(env, a[0], a[1], a[2], a[3], a[4], a[5]),
                            enif_make_list7(env, a[0], a[1], a[2], a[3], a[4], a[5], a[6]),
                            enif_make_list8(env, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]),
                            enif_make_list9(env, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]),
                            enif_make_list(env, 11, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[0], a[1]),
                            enif_make_list_from_array(env, a, 0),
                            enif_make_list_from_array(env, a, 9),
                            enif_make_list_cell(env, a[0], a[1]),
                            enif_make_list_cell(env, a[0], enif_make_list_cell(env, a[1], enif_make_list(env, 0)))};
    return enif_make_list_from_array(env, lists, COUNT(lists));
}

NIF(make_tuples) {
    ERL_NIF_TERM a[9];
    for (int i = 0; i < 9; i++)
        a[i] = enif_make_int(env, i + 1);
    ERL_NIF_TERM tuples[] = {enif_make_tuple(env, 0),
                             enif_make_tuple1(env, a[0]),
                             enif_make_tuple2(env, a[0], a[1]),
                             enif_make_tuple3(env, a[0], a[1], a[2]),
                             enif_make_tuple4(env, a[0], a[1], a[2], a[3]),
                             enif_make_tuple5(env, a[0], a[1], a[2], a[3], a[4]),
                             enif_make_tuple6(env, a[0], a[1], a[2], a[3], a[4], a[5]),
                             enif_make_tuple7(env, a[0], a[1], a[2], a[3], a[4], a[5], a[6]),
                             enif_make_tuple8(env, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]),
                             enif_make_tuple9(env, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]),
                             enif_make_tuple(env, 10, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[0]),
                             enif_make_tuple_from_array(env, a, 0),
                             enif_make_tuple_from_array(env, a, 9)};
    return enif_make_list_from_array(env, tuples, COUNT(tuples));
}

/* A tuple's elements as a list: the array that it gives is the tuple itself. */
NIF(get_tuple) {
    int arity = 77;
    const ERL_NIF_TERM *elements;
    if (!enif_get_tuple(env, argv[0], &arity, &elements))
        return atom(env, "no");
    return enif_make_tuple2(env, enif_make_int(env, arity), enif_make_list_from_array(env, elements, (unsigned)arity));
}

NIF(compare) {
    int order = enif_compare(argv[0], argv[1]);
    return enif_make_tuple2(env, enif_make_int(env, order < 0 ? -1 : order > 0),
                            boolean(env, enif_is_identical(argv[0], argv[1])));
}

/* phash2 is the same everywhere; the internal hash only the same for equal terms and salts. */
NIF(hash) {
    ERL_NIF_TERM copy = enif_make_copy(env, argv[0]);
    ErlNifUInt64 internal = enif_hash(ERL_NIF_INTERNAL_HASH, argv[0], 17);
    return enif_make_list3(env, enif_make_uint64(env, enif_hash(ERL_NIF_PHASH2, argv[0], 0)),
                           boolean(env, internal == enif_hash(ERL_NIF_INTERNAL_HASH, copy, 17)),
                           boolean(env, internal >> 32 == 0));
}

NIF(phash2_salted) { return enif_make_uint64(env, enif_hash(ERL_NIF_PHASH2, argv[0], 12345)); }

NIF(refs) {
    ERL_NIF_TERM a = enif_make_ref(env), b = enif_make_ref(env);
    return enif_make_tuple3(env, a, b, boolean(env, enif_is_ref(env, a)));
}

/* Through two environments of its own, one cleared and used again. */
NIF(copies) {
    ErlNifEnv *first = enif_alloc_env(), *second = enif_alloc_env();
    ERL_NIF_TERM one = enif_make_copy(first, argv[0]);
    enif_make_list_cell(second, enif_make_string(second, "thrown away", ERL_NIF_LATIN1), enif_make_list(second, 0));
    enif_clear_env(second);
    ERL_NIF_TERM two = enif_make_tuple2(second, enif_make_copy(second, one), enif_make_int(second, 2));
    enif_free_env(first);
    ERL_NIF_TERM three = enif_make_copy(env, two);
    enif_clear_env(second);
    enif_free_env(second);
    return three;
}

/* A long list, built one cell at a time in an environment of its own. */
NIF(big_env) {
    ErlNifEnv *own = enif_alloc_env();
    int count = int_of(env, argv[0]);
    for (int round = 0; round < 3; round++) {
        ERL_NIF_TERM list = enif_make_list(own, 0);
        for (int i = count; i > 0; i--)
            list =
                enif_make_list_cell(own, enif_make_tuple2(own, enif_make_int(own, i), enif_make_double(own, i)), list);
        if (round == 2) {
            ERL_NIF_TERM copy = enif_make_copy(env, list);
            enif_free_env(own);
            return copy;
        }
        enif_clear_env(own);
    }
    return atom(env, "never");
}

NIF(to_binary) {
    ErlNifBinary bin;
    if (!enif_term_to_binary(env, argv[0], &bin))
        return atom(env, "no");
    return enif_make_binary(env, &bin);
}

NIF(from_binary) {
    ErlNifBinary bin;
    ERL_NIF_TERM term = 0;
    if (!enif_inspect_binary(env, argv[0], &bin))
        return enif_make_badarg(env);
    size_t used = enif_binary_to_term(env, bin.data, bin.size, &term, int_of(env, argv[1]) ? ERL_NIF_BIN2TERM_SAFE : 0);
    return used ? enif_make_tuple2(env, enif_make_uint64(env, used), term) : atom(env, "no");
}

static ErlNifFunc functions[] = {
    {"questions", 1, questions, 0},
    {"type", 1, type, 0},
    {"numbers", 1, numbers, 0},
    {"limits", 0, limits, 0},
    {"no_float", 2, no_float, 0},
    {"atom_text", 2, atom_text, 0},
    {"atoms", 1, atoms, 0},
    {"long_atom", 2, long_atom, 0},
    {"get_string", 2, get_string, 0},
    {"strings", 0, strings, 0},
    {"lists", 1, lists, 0},
    {"make_lists", 0, make_lists, 0},
    {"make_tuples", 0, make_tuples, 0},
    {"get_tuple", 1, get_tuple, 0},
    {"compare", 2, compare, 0},
    {"hash", 1, hash, 0},
    {"phash2_salted", 1, phash2_salted, 0},
    {"refs", 0, refs, 0},
    {"copies", 1, copies, 0},
    {"big_env", 1, big_env, 0},
    {"to_binary", 1, to_binary, 0},
    {"from_binary", 2, from_binary, 0},
};
ERL_NIF_INIT(nif_terms, functions, NULL, NULL, NULL, NULL)

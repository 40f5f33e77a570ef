#include <erl_nif.h>
#include <stdio.h>
#include <string.h>

/* What many libraries do: a variable that begins as 0 holds no term yet. */
static int is_made(ERL_NIF_TERM t) { return t != 0; }

static ERL_NIF_TERM made(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM a = enif_make_int(env, 0), b = enif_make_uint(env, 0), c = enif_make_long(env, 0);
    ERL_NIF_TERM d = enif_make_ulong(env, 0), e = enif_make_int64(env, 0), f = enif_make_uint64(env, 0);
    ERL_NIF_TERM g = 0, h = 0, i = 0, j = 0, k = 0, l = enif_make_copy(env, a);
    enif_get_list_cell(env, argv[0], &g, &h);
    enif_get_map_value(env, argv[1], a, &i);
    ErlNifMapIterator it;
    enif_map_iterator_create(env, argv[1], &it, ERL_NIF_MAP_ITERATOR_FIRST);
    enif_map_iterator_get_pair(env, &it, &j, &k);
    enif_map_iterator_destroy(env, &it);
    ERL_NIF_TERM all[] = {a, b, c, d, e, f, g, h, i, j, k, l};
    int count = 0;
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++)
        count += is_made(all[n]);
    return enif_make_tuple2(env, enif_make_int(env, count),
                            enif_make_list_from_array(env, all, sizeof all / sizeof *all));
}

static ERL_NIF_TERM read_back(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM zero = enif_make_int(env, 0), other;
    int i = 1;
    unsigned u = 1;
    long l = 1;
    unsigned long ul = 1;
    double d;
    int got = enif_get_int(env, zero, &i) + 2 * enif_get_uint(env, zero, &u) + 4 * enif_get_long(env, zero, &l) +
              8 * enif_get_ulong(env, zero, &ul) + 16 * enif_get_double(env, zero, &d);
    int kind = enif_is_number(env, zero) + 2 * (enif_term_type(env, zero) == ERL_NIF_TERM_TYPE_INTEGER) +
               4 * enif_is_identical(zero, argv[0]) + 8 * (enif_compare(zero, argv[0]) == 0) +
               16 * (enif_hash(ERL_NIF_PHASH2, zero, 0) == enif_hash(ERL_NIF_PHASH2, argv[0], 0)) +
               32 * (enif_hash(ERL_NIF_INTERNAL_HASH, zero, 7) == enif_hash(ERL_NIF_INTERNAL_HASH, argv[0], 7)) +
               64 * (enif_is_atom(env, zero) || enif_is_list(env, zero) || enif_is_map(env, zero) ||
                     enif_is_tuple(env, zero) || enif_is_binary(env, zero) || enif_is_pid(env, zero) ||
                     enif_is_ref(env, zero) || enif_is_fun(env, zero) || enif_is_port(env, zero) ||
                     enif_is_empty_list(env, zero) || enif_is_exception(env, zero));
    char text[16];
    enif_snprintf(text, sizeof text, "%T", zero);
    ErlNifBinary external;
    enif_term_to_binary(env, zero, &external);
    size_t used = enif_binary_to_term(env, external.data, external.size, &other, 0);
    kind += 128 * (used == external.size && is_made(other) && enif_is_identical(other, zero));
    return enif_make_tuple5(env, enif_make_int(env, got), enif_make_int(env, (int)(i + u + l + ul)),
                            enif_make_int(env, kind), enif_make_string(env, text, ERL_NIF_LATIN1),
                            enif_make_binary(env, &external));
}

static ERL_NIF_TERM built(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM zero = enif_make_int(env, 0), map = enif_make_new_map(env), smaller, updated, arrays;
    enif_make_map_put(env, map, zero, zero, &map);
    enif_make_map_update(env, map, zero, zero, &updated);
    enif_make_map_remove(env, map, zero, &smaller);
    ERL_NIF_TERM one[] = {zero};
    enif_make_map_from_arrays(env, one, one, 1, &arrays);
    ERL_NIF_TERM all[] = {map,
                          updated,
                          smaller,
                          arrays,
                          enif_make_list(env, 2, zero, zero),
                          enif_make_list_cell(env, zero, zero),
                          enif_make_tuple1(env, zero),
                          enif_make_tuple_from_array(env, one, 1),
                          enif_make_list_from_array(env, one, 1)};
    return enif_make_tuple_from_array(env, all, sizeof all / sizeof *all);
}

static ERL_NIF_TERM returned(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { return enif_make_int(env, 0); }

static ERL_NIF_TERM raised(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_raise_exception(env, enif_make_int(env, 0));
}

static ERL_NIF_TERM sent(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ErlNifPid self;
    enif_self(env, &self);
    ErlNifEnv *own = enif_alloc_env();
    enif_send(env, &self, own, enif_make_int(own, 0));
    enif_free_env(own);
    return enif_make_int(env, enif_send(env, &self, NULL, enif_make_int(env, 0)));
}

static ERL_NIF_TERM second(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    return enif_make_tuple2(env, argv[0], argv[1]);
}

static ERL_NIF_TERM scheduled(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    ERL_NIF_TERM arguments[] = {enif_make_int(env, 0), argv[0]};
    return enif_schedule_nif(env, "second", argc > 1 ? ERL_NIF_DIRTY_JOB_CPU_BOUND : 0, second, 2, arguments);
}

static ErlNifFunc functions[] = {{"made", 2, made, 0},
                                 {"read_back", 1, read_back, 0},
                                 {"built", 0, built, 0},
                                 {"returned", 0, returned, 0},
                                 {"returned_dirty", 0, returned, ERL_NIF_DIRTY_JOB_CPU_BOUND},
                                 {"raised", 0, raised, 0},
                                 {"sent", 0, sent, 0},
                                 {"scheduled", 1, scheduled, 0},
                                 {"scheduled", 2, scheduled, 0}};

ERL_NIF_INIT(r_nif_zero, functions, NULL, NULL, NULL, NULL)

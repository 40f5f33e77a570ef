/* Maps: both forms and the way between them, against a plain array; the order in which stock maps are walked. */
#include "facts.h"
#include "term/hash.h"

#define KEYS 500

static Term value_of(Term map, Term key) {
    const Term *v = map_get(map, key);
    return v == NULL ? NON_VALUE : *v;
}

/* Does the map hold exactly what `expected` (by key, NON_VALUE for absent) says, and has it the one form for it? */
static void check_map(Term map, const Term *expected) {
    size_t size = 0;
    Term pairs[2 * KEYS];
    for (int i = 0; i < KEYS; i++) {
        assert_true(value_of(map, small_make(i)) == expected[i]);
        if (expected[i] == NON_VALUE)
            continue;
        pairs[2 * size] = small_make(i);
        pairs[2 * size++ + 1] = expected[i];
    }
    assert_int_equal(map_size(map), size);
    assert_int_equal(is_flat_map(map), size <= MAP_FLAT_MAX);
    MapIterator it;
    Term key, value;
    size_t count = 0;
    map_iterator_init(&it, map);
    for (; map_iterator_next(&it, &key, &value); count++)
        assert_true(expected[small_value(key)] == value);
    assert_int_equal(count, size);
    Term again = map_from_pairs(&the_area, pairs, size);
    assert_true(term_identical(map, again));
    assert_true(term_equal(map, again));
    assert_int_equal(term_compare(map, again), 0);
}

static void random_updates(void **state) {
    Term expected[KEYS], map = map_empty(&the_area);
    for (int i = 0; i < KEYS; i++)
        expected[i] = NON_VALUE;
    srand(1);
    for (int step = 0; step < 20000; step++) {
        int k = rand() % (step % 4000 < 2000 ? 45 : KEYS);
        Term key = small_make(k), value = small_make(rand() % 5), taken;
        switch (rand() % 4) {
        case 0:
        case 1:
            map = map_put(&the_area, map, key, value);
            expected[k] = value;
            break;
        case 2:
            map = map_remove(&the_area, map, key, &taken);
            assert_true(taken == expected[k]);
            expected[k] = NON_VALUE;
            break;
        default: {
            Term updated = map_update(&the_area, map, key, value);
            assert_int_equal(is_value(updated), is_value(expected[k]));
            if (is_value(updated)) {
                map = updated;
                expected[k] = value;
            }
        }
        }
        if (step % 100 == 0)
            check_map(map, expected);
    }
}

static Term range_map(int from, int to, Term value) {
    Term map = map_empty(&the_area);
    for (int i = from; i < to; i++)
        map = map_put(&the_area, map, small_make(i), value);
    return map;
}

static void merging(void **state) {
    static const int sizes[] = {0, 1, 5, 20, 32, 33, 100, 490};
    for (size_t i = 0; i < array_length(sizes); i++) {
        for (size_t j = 0; j < array_length(sizes); j++) {
            Term expected[KEYS];
            for (int k = 0; k < KEYS; k++)
                expected[k] = k >= 10 && k < 10 + sizes[j] ? am_true : k < sizes[i] ? am_false : NON_VALUE;
            Term a = range_map(0, sizes[i], am_false), b = range_map(10, 10 + sizes[j], am_true);
            check_map(map_merge(&the_area, a, b), expected);
        }
    }
}

static void last_of_equal_keys_wins(void **state) {
    Term pairs[200];
    for (int i = 0; i < 100; i++) {
        pairs[2 * i] = small_make(i % 40);
        pairs[2 * i + 1] = small_make(i);
    }
    Term map = map_from_pairs(&the_area, pairs, 100);
    assert_int_equal(map_size(map), 40);
    assert_true(value_of(map, small_make(5)) == small_make(85));
    map = map_from_pairs(&the_area, pairs, 20);
    assert_true(is_flat_map(map));
    for (int i = 0; i < 100; i++)
        pairs[2 * i] = small_make(i % 10);
    map = map_from_pairs(&the_area, pairs, 100);
    assert_true(is_flat_map(map));
    assert_int_equal(map_size(map), 10);
}

static void exact_keys(void **state) {
    Term one = small_make(1), real = float_make(&the_area, 1.0), map = map_empty(&the_area);
    map = map_put(&the_area, map, one, am_true);
    map = map_put(&the_area, map, real, am_false);
    assert_int_equal(map_size(map), 2);
    map = map_put(&the_area, map, float_make(&the_area, 0.0), am_true);
    assert_true(value_of(map, float_make(&the_area, -0.0)) == am_true);
}

static void stored_order(void **state) {
    FILE *f = facts_open("maps.txt");
    char *part[2];
    unsigned line = 0, bad = 0;
    while (facts_line(f, ' ', part, 2) == 2) {
        line++;
        Term expected = term_from_hex(part[0]), keys = term_from_hex(part[1]), map = map_empty(&the_area);
        for (Term t = expected; is_list(t); t = list_tail(t))
            map = map_put(&the_area, map, list_head(t), am_true);
        Term got = map_keys(&the_area, map);
        if (!term_identical(got, keys) || !term_identical(got, expected)) {
            TEXT(text);
            print_term(&text, got);
            text_string(&text, "\n");
            print_term(&text, expected);
            text_string(&text, "\n");
            print_term(&text, keys);
            bad++, print_error("line %u: walked as\n%s\n", line, text_cstring(&text));
        }
    }
    fclose(f);
    assert_int_equal(bad, 0);
}

/* An iterator goes the other way round. */
static void walking_in_steps(void **state) {
    Term map = range_map(0, 400, am_ok), pairs[2 * 50], keys[400], value;
    MapIterator it;
    map_iterator_init(&it, map);
    for (size_t i = 0; i < 400; i++)
        assert_true(map_iterator_next(&it, &keys[i], &value));
    for (size_t max = 1; max <= 50; max += 7) {
        uint64_t position = 0;
        size_t total = 0;
        while (position != MAP_POSITION_END) {
            size_t n = map_next(map, &position, pairs, max);
            for (size_t i = 0; i < n; i++)
                assert_true(pairs[2 * i] == keys[399 - total - i]);
            total += n;
        }
        assert_int_equal(total, 400);
    }
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Integers of which some dozens have the hash of another one. Returns how many, fewer than `most`. */
static size_t keys_of_equal_hashes(Term *keys, size_t most) {
    enum { TRIED = 300000 };
    uint64_t *hashes = malloc(TRIED * sizeof *hashes);
    size_t count = 0;
    for (uint64_t i = 0; i < TRIED; i++)
        hashes[i] = (uint64_t)term_hash(small_make((SWord)i)) << 32 | i;
    qsort(hashes, TRIED, sizeof *hashes, by_value);
    for (size_t i = 1; i < TRIED && count + 2 < most; i++)
        if (hashes[i] >> 32 == hashes[i - 1] >> 32 || i % 3000 == 0)
            for (size_t k = i - 1; k <= i; k++)
                keys[count++] = small_make((SWord)(uint32_t)hashes[k]);
    free(hashes);
    return count;
}

/* A batch may end between them. */
static void walking_among_equal_hashes(void **state) {
    enum { MOST = 200 };
    Term pairs[2 * MOST], keys[MOST], value;
    size_t count = keys_of_equal_hashes(keys, MOST);
    for (size_t i = 0; i < count; i++)
        pairs[2 * i] = pairs[2 * i + 1] = keys[i];
    Term map = map_from_pairs(&the_area, pairs, count);
    assert_int_equal(map_size(map), count);
    for (size_t max = 1; max <= 5; max++) {
        MapIterator it;
        map_iterator_init(&it, map);
        for (size_t i = 0; i < count; i++)
            assert_true(map_iterator_next(&it, &keys[i], &value));
        uint64_t position = 0;
        size_t total = 0;
        while (position != MAP_POSITION_END) {
            size_t n = map_next(map, &position, pairs, max);
            for (size_t i = 0; i < n; i++, total++)
                assert_true(pairs[2 * i] == keys[count - 1 - total]);
        }
        assert_int_equal(total, count);
    }
}

/* Some pairs more, others taken away; what is left is shared with the map as it was. */
static Term changed(Term map, const Term *keys, size_t count, int times) {
    for (int i = 0; i < times; i++) {
        Term key = keys[(size_t)rand() % count];
        map = rand() % 3 == 0 ? map_remove(&the_area, map, key, NULL)
                              : map_put(&the_area, map, key, small_make(rand() % 3));
    }
    return map;
}

static Term merged_one_by_one(Term a, Term b) {
    MapIterator it;
    Term key, value;
    map_iterator_init(&it, b);
    while (map_iterator_next(&it, &key, &value))
        a = map_put(&the_area, a, key, value);
    return a;
}

/* Maps that share parts, or none, and whose keys may have one hash. */
static void merging_in_step(void **state) {
    enum { MOST = 300 };
    Term keys[MOST];
    size_t count = keys_of_equal_hashes(keys, MOST), in_step = 0;
    srand(2);
    for (int round = 0; round < 4000; round++) {
        Term base = changed(map_empty(&the_area), keys, count, rand() % 300);
        Term a = changed(base, keys, count, rand() % 60);
        Term b = changed(round % 4 == 0 ? map_empty(&the_area) : base, keys, count, rand() % (round % 2 ? 5 : 200));
        Term merged = map_merge(&the_area, a, b), expected = merged_one_by_one(a, b);
        assert_int_equal(map_size(merged), map_size(expected));
        assert_int_equal(is_flat_map(merged), is_flat_map(expected));
        assert_true(term_identical(merged, expected));
        assert_true(term_identical(map_merge(&the_area, merged, b), merged));
        assert_true(term_identical(map_merge(&the_area, a, merged), merged));
        in_step += is_hash_map(a) && is_hash_map(b);
    }
    assert_true(in_step > 1000);
}

/* What both share is not copied, nor is a map that has all that the other has. */
static void merging_shares(void **state) {
    Term all = range_map(0, 400, am_ok), most = range_map(0, 300, am_ok), *top = the_area.top;
    assert_true(map_merge(&the_area, most, all) == all);
    assert_true(map_merge(&the_area, all, all) == all);
    assert_true(the_area.top == top);
    Term other = map_put(&the_area, all, small_make(1000), am_ok);
    assert_true(map_merge(&the_area, all, other) == other);
    assert_true(map_merge(&the_area, map_put(&the_area, all, small_make(7), am_true), all) == all);
}

/* The order by definition: keys in their order, and then the values in the order of the keys. */
static int order_by_definition(Term a, Term b) {
    Term keys[2][300];
    Term maps[2] = {a, b};
    size_t size = map_size(a);
    for (int m = 0; m < 2; m++) {
        MapIterator it;
        Term value;
        map_iterator_init(&it, maps[m]);
        for (size_t i = 0; map_iterator_next(&it, &keys[m][i], &value); i++)
            continue;
        qsort(keys[m], size, sizeof(Term), by_value);
    }
    for (size_t i = 0; i < size; i++)
        if (keys[0][i] != keys[1][i])
            return keys[0][i] < keys[1][i] ? -1 : 1;
    for (size_t i = 0; i < size; i++) {
        Term x = value_of(a, keys[0][i]), y = value_of(b, keys[0][i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Maps of one size that share parts, or none, and whose keys may have one hash. */
static void comparing_in_step(void **state) {
    enum { MOST = 300 };
    Term keys[MOST];
    size_t count = keys_of_equal_hashes(keys, MOST), found[3] = {0};
    srand(3);
    for (int round = 0; round < 6000; round++) {
        Term base = changed(map_empty(&the_area), keys, count, 50 + rand() % 300);
        Term a = changed(base, keys, count, rand() % 20);
        Term b = changed(round % 4 == 0 ? map_empty(&the_area) : base, keys, count, 4);
        while (map_size(a) < map_size(b))
            a = changed(a, keys, count, 1);
        while (map_size(b) < map_size(a))
            b = changed(b, keys, count, 1);
        int expected = order_by_definition(a, b), order = term_compare(a, b);
        assert_int_equal(order < 0 ? -1 : order > 0, expected);
        assert_int_equal(term_compare(b, a) < 0 ? -1 : term_compare(b, a) > 0, -expected);
        assert_int_equal(term_identical(a, b), expected == 0);
        found[expected + 1]++;
    }
    assert_true(found[0] > 1000 && found[1] > 0 && found[2] > 1000);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {
        unit(random_updates), unit(merging),          unit(last_of_equal_keys_wins),    unit(exact_keys),
        unit(stored_order),   unit(walking_in_steps), unit(walking_among_equal_hashes), unit(merging_in_step),
        unit(merging_shares), unit(comparing_in_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

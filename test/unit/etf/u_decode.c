/* Decodes and encodes again what cases.txt holds (made by OTP 25): the same bytes, or refused where it says badarg. */
#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "code/export.h"
#include "term/fun.h"
#include "etf/encode.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/map.h"
#include "term/node.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_chain(Fragment *f) {
    for (Fragment *next; f != NULL; f = next) {
        next = f->next;
        fragment_free(f);
    }
}

static size_t from_hex(const char *text, uint8_t *out) {
    size_t count = 0;
    for (; text[0] > ' ' && text[0] != '-'; text += 2, count++) {
        char byte[3] = {text[0], text[1], 0};
        out[count] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return count;
}

/* In steps of `work`, so that every place to stop is met. NON_VALUE: refused. */
static Term decode_in_steps(const uint8_t *bytes, size_t size, Area *area, int64_t work) {
    EtfDecoder d;
    EtfStatus status;
    int64_t left;
    etf_decoder_init(&d, bytes, size, 0);
    do {
        left = work;
        status = etf_decoder_check(&d, &left);
    } while (status == ETF_MORE);
    while (status == ETF_DONE || status == ETF_MORE) {
        left = work;
        status = etf_decoder_build(&d, area, &left);
        if (status == ETF_DONE)
            break;
    }
    Term result = status == ETF_DONE ? d.result : NON_VALUE;
    etf_decoder_release(&d);
    return result;
}

/* The size that OTP 25 tells of a fun counts its old index and uniq as large integers. */
static size_t counted_more(Term t) {
    if (!is_local_fun(t))
        return 0;
    const FunEntry *entry = fun_ptr(t)->entry;
    return 3 * (size_t)(entry->old_index <= 255) + 3 * (size_t)(entry->old_uniq <= 255);
}

static void check_case(const char *line, int64_t work) {
    const char *second = strchr(line, ' ') + 1;
    uint8_t *in = malloc(strlen(line)), *expected = malloc(strlen(line));
    size_t size = from_hex(line, in);
    FragmentArea fa;
    fragment_area_init(&fa, 10);
    uint8_t *exact = malloc(size == 0 ? 1 : size); /* so that a sanitizer sees a step outside */
    memcpy(exact, in, size);
    Term t = decode_in_steps(exact, size, &fa.area, work);
    if (strncmp(second, "badarg", 6) == 0) {
        if (is_value(t))
            print_message("accepted: %s", line);
    } else {
        if (!is_value(t))
            print_message("refused: %s", line);
        size_t expected_size = from_hex(second, expected);
        EtfEncoder e;
        etf_encoder_init(&e, t, ETF_WRITE, ETF_MINOR_DEFAULT, ETF_DETERMINISTIC);
        int64_t left = work;
        while (etf_encoder_run(&e, &fa.area, &left) == ETF_MORE) {
            left = work;
            etf_encoder_resume(&e, etf_encoder_suspend(&e, &fa.area));
        }
        if (etf_encoder_total(&e) != expected_size || memcmp(e.start, expected, expected_size) != 0)
            print_message("not the same: %s", line);
        etf_encoder_release(&e);
        left = INT64_MAX;
        etf_encoder_init(&e, t, ETF_COUNT, ETF_MINOR_DEFAULT, 0);
        etf_encoder_run(&e, &fa.area, &left);
        assert_int_equal(etf_encoder_total(&e), expected_size + counted_more(t));
        etf_encoder_release(&e);
    }
    free_chain(fragment_area_finish(&fa));
    free(exact);
    free(in);
    free(expected);
}

static void check_cases(int64_t work) {
    /* From the top of the tree, where tools/run_tests runs it, or beside the source, as the compiler was told of it. */
    FILE *file = fopen("test/unit/etf/cases.txt", "r");
    char path[1000];
    snprintf(path, sizeof path, "%.*s/cases.txt", (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__);
    if (file == NULL)
        file = fopen(path, "r");
    assert_non_null(file);
    char *line = NULL;
    size_t room = 0, count = 0;
    while (getline(&line, &room, file) > 0) {
        if (line[0] == '#')
            continue;
        check_case(line, work);
        count++;
    }
    assert_true(count > 300);
    free(line);
    fclose(file);
}

static void as_otp_25_at_once(void **state) {
    int64_t binaries = alloc_sum(ALLOC_BINARY).blocks, temporary = alloc_sum(ALLOC_TEMP).blocks;
    check_cases(INT64_MAX);
    assert_int_equal(alloc_sum(ALLOC_BINARY).blocks, binaries);
    assert_int_equal(alloc_sum(ALLOC_TEMP).blocks, temporary);
}
static void as_otp_25_in_small_steps(void **state) {
    check_cases(3);
    check_cases(1);
}

static void deep_terms_need_no_c_stack(void **state) {
    size_t depth = 1000000;
    uint8_t *bytes = malloc(2 * depth + 2);
    bytes[0] = 131;
    for (size_t i = 0; i < depth; i++) {
        bytes[1 + 2 * i] = 104;
        bytes[2 + 2 * i] = 1;
    }
    bytes[1 + 2 * depth] = 106;
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    Term t;
    size_t used;
    assert_int_equal(etf_decode(bytes, 2 * depth + 2, 0, &fa.area, &t, &used), ETF_DONE);
    assert_int_equal(used, 2 * depth + 2);
    EtfEncoder e;
    int64_t left = INT64_MAX;
    etf_encoder_init(&e, t, ETF_WRITE, 1, 0);
    etf_encoder_run(&e, &fa.area, &left);
    assert_int_equal(etf_encoder_total(&e), 2 * depth + 2);
    assert_memory_equal(e.start, bytes, 2 * depth + 2);
    etf_encoder_release(&e);
    free_chain(fragment_area_finish(&fa));
    free(bytes);
}

static void large_maps(void **state) {
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    Term pairs[2000], t;
    for (int i = 0; i < 1000; i++) {
        pairs[2 * i] = small_make(i * 7);
        pairs[2 * i + 1] = small_make(i);
    }
    Term map = map_from_pairs(&fa.area, pairs, 1000);
    for (int deterministic = 0; deterministic < 2; deterministic++) {
        EtfEncoder e;
        int64_t left = INT64_MAX;
        etf_encoder_init(&e, map, ETF_WRITE, 1, deterministic ? ETF_DETERMINISTIC : 0);
        etf_encoder_run(&e, &fa.area, &left);
        assert_int_equal(etf_decode(e.start, etf_encoder_total(&e), 0, &fa.area, &t, NULL), ETF_DONE);
        assert_int_equal(map_size(t), 1000);
        for (int i = 0; i < 1000; i++)
            assert_true(*map_get(t, small_make(i * 7)) == small_make(i));
        etf_encoder_release(&e);
    }
    free_chain(fragment_area_finish(&fa));
}

/* Integers of each size, in any order, and what is none between them and behind them. */
static size_t put_any(uint8_t *p, unsigned kind) {
    static const uint8_t some[][6] = {{97, 7},       {98, 0xff, 0xff, 0xff, 0xfe}, {98, 0, 0, 1, 0}, {97, 255}, {106},
                                      {110, 1, 0, 9}};
    static const size_t sizes[] = {2, 5, 5, 2, 1, 4};
    memcpy(p, some[kind], sizes[kind]);
    return sizes[kind];
}

static Term any_term(unsigned kind) {
    static const int values[] = {7, -2, 256, 255, 0, 9};
    return kind == 4 ? NIL : small_make(values[kind]);
}

static void check_list_of(uint32_t seed, size_t count, unsigned kinds, int64_t work) {
    uint8_t bytes[600] = {131, 108, 0, 0, 0, (uint8_t)count};
    size_t size = 6;
    for (size_t i = 0; i < count; i++)
        size += put_any(bytes + size, (seed >> i) % kinds);
    size += put_any(bytes + size, 4);
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    for (size_t cut = 1; cut < size; cut++)
        assert_false(is_value(decode_in_steps(bytes, cut, &fa.area, work)));
    Term t = decode_in_steps(bytes, size, &fa.area, work);
    for (size_t i = 0; i < count; i++, t = list_tail(t))
        assert_true(list_head(t) == any_term((seed >> i) % kinds));
    assert_true(is_nil(t));
    free_chain(fragment_area_finish(&fa));
}

static void lists_of_integers(void **state) {
    uint32_t seed = 1;
    for (int round = 0; round < 300; round++, seed = seed * 1664525 + 1013904223)
        for (int64_t work = 1; work < 40; work += 6)
            check_list_of(seed, 1 + seed % 25, 1 + (seed >> 16) % 6, work);
}

static Term decode_shared(RefcBinary *owner, size_t at, size_t size, Area *area) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    etf_decoder_init_received(&d, owner->bytes + at, size, NULL, 0);
    etf_decoder_share(&d, owner);
    assert_int_equal(etf_decoder_check(&d, &work), ETF_DONE);
    assert_int_equal(etf_decoder_build(&d, area, &work), ETF_DONE);
    Term t = d.result;
    etf_decoder_release(&d);
    return t;
}

/* `size` bytes of binary in `whole`, behind others: is it a part of the whole? */
static bool is_part(size_t whole, size_t size) {
    RefcBinary *owner = refc_binary_create(whole);
    uint8_t *p = owner->bytes + 20;
    for (size_t i = 0; i < whole; i++)
        owner->bytes[i] = (uint8_t)(i * 31);
    memcpy(p, (uint8_t[]){109, (uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size}, 5);
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    BitsView view;
    bits_view(decode_shared(owner, 20, size + 5, &fa.area), &view);
    assert_int_equal(view.bit_size, 8 * size);
    bool is_shared = view.bytes + view.bit_offset / 8 == p + 5;
    assert_int_equal(owner->refc, is_shared ? 2 : 1);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(view.bytes[view.bit_offset / 8 + i], (uint8_t)((25 + i) * 31));
    free_chain(fragment_area_finish(&fa));
    assert_int_equal(owner->refc, 1);
    refc_binary_release(owner);
    return is_shared;
}

static void large_binaries_are_parts(void **state) {
    assert_true(is_part(100000, 100000 - 25));
    assert_true(is_part(100000, 75000));
    assert_false(is_part(100000, 74999));
    assert_false(is_part(ETF_SHARED_BYTES + 24, ETF_SHARED_BYTES - 1));
    assert_true(is_part(ETF_SHARED_BYTES + 25, ETF_SHARED_BYTES));
    assert_false(is_part(100, 10));
}

static void safe_makes_no_atoms(void **state) {
    static const uint8_t unknown[] = {131, 119, 4, 'q', 'q', 'q', 'q'};
    FragmentArea fa;
    Term t;
    fragment_area_init(&fa, 0);
    assert_int_equal(etf_decode(unknown, sizeof unknown, ETF_SAFE, &fa.area, &t, NULL), ETF_BAD);
    assert_int_equal(etf_decode(unknown, sizeof unknown, 0, &fa.area, &t, NULL), ETF_DONE);
    assert_int_equal(etf_decode(unknown, sizeof unknown, ETF_SAFE, &fa.area, &t, NULL), ETF_DONE);
    free_chain(fragment_area_finish(&fa));
}

static int setup(void **state) {
    thread_progress_register();
    atom_table_init(1 << 20);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_otp_25_at_once),          cmocka_unit_test(as_otp_25_in_small_steps),
        cmocka_unit_test(deep_terms_need_no_c_stack), cmocka_unit_test(large_maps),
        cmocka_unit_test(safe_makes_no_atoms),        cmocka_unit_test(lists_of_integers),
        cmocka_unit_test(large_binaries_are_parts),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

/* The form for other nodes: what is written is read again, in one piece or more, at once or in steps. */
#include "etf/encode.h"

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "code/export.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"
#include "unit.h"

#include <string.h>

static FragmentArea fa;
static Area *const area = &fa.area;

static void run(EtfEncoder *e, int64_t step) {
    int64_t work = step;
    while (etf_encoder_run(e, area, &work) == ETF_MORE) {
        work = step;
        etf_encoder_resume(e, etf_encoder_suspend(e, area));
    }
}

/* What was taken, in one; the parts are released. */
static uint8_t *joined(EtfBytes *parts, size_t count, size_t *size) {
    uint8_t *bytes = NULL;
    *size = 0;
    for (size_t i = 0; i < count; i++) {
        bytes = realloc(bytes, *size + parts[i].size);
        memcpy(bytes + *size, parts[i].bytes, parts[i].size);
        *size += parts[i].size;
        etf_bytes_release(&parts[i]);
    }
    return bytes;
}

static Term decode(const uint8_t *bytes, size_t size, const EtfAtoms *atoms, int64_t step) {
    EtfDecoder d;
    EtfStatus status;
    int64_t work;
    Term numbered[ETF_ATOMS_MAX];
    for (unsigned i = 0; i < atoms->count; i++)
        numbered[i] = etf_atoms_at(atoms, i);
    etf_decoder_init_received(&d, bytes, size, numbered, atoms->count);
    while (work = step, (status = etf_decoder_check(&d, &work)) == ETF_MORE)
        ;
    if (status == ETF_DONE) {
        assert_int_equal(d.used, size);
        while (work = step, (status = etf_decoder_build(&d, area, &work)) == ETF_MORE)
            ;
    }
    Term result = status == ETF_DONE ? d.result : NON_VALUE;
    etf_decoder_release(&d);
    return result;
}

/* Returns how many parts it was. */
static size_t there_and_back(Term t, EtfMode mode, size_t ahead, int64_t step) {
    EtfEncoder e;
    EtfAtoms atoms;
    EtfBytes parts[20];
    size_t size;
    etf_atoms_clear(&atoms);
    etf_encoder_init_sent(&e, t, mode, &atoms, ahead);
    run(&e, step);
    size_t total = etf_encoder_total(&e);
    assert_true(etf_encoder_part_count(&e) <= array_length(parts));
    size_t count = etf_encoder_take(&e, parts);
    etf_encoder_release(&e);
    if (ahead > 0)
        memset(etf_bytes_extend(&parts[0], ahead), 0x77, ahead);
    uint8_t *bytes = joined(parts, count, &size);
    assert_int_equal(size, ahead + total);
    for (size_t i = 0; i < ahead; i++)
        assert_int_equal(bytes[i], 0x77);
    assert_true(term_identical(decode(bytes + ahead, size - ahead, &atoms, step), t));
    free(bytes);
    return count;
}

static Term bytes_of(size_t size) {
    uint8_t *data;
    Term t = binary_make(area, size, &data);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(i * 7 >> 3);
    return t;
}

static Term all_kinds(void) {
    Term other = atom_from_cstring("other@host"), pairs[80];
    uint32_t numbers[5] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 80; i++)
        pairs[i] = i % 2 == 0 ? small_make(i) : am_ok;
    Term t[] = {
        am_ok,
        am_error,
        am_ok,
        am_empty_text,
        small_make(1),
        small_make(-1),
        small_make(SMALL_MAX),
        NIL,
        integer_from_uint64(area, UINT64_MAX),
        ident_pid(area, other, 7, 1, 2),
        pid_make(5),
        ident_port(area, other, 7, 9),
        ident_ref(area, other, 7, numbers, 5),
        ref_make(area, numbers, 3),
        bytes_of(10),
        bytes_of(100),
        bits_sub(area, bytes_of(100), 3, 77),
        map_from_pairs(area, pairs, 3),
        map_from_pairs(area, pairs, 40),
        area_cons(area, am_error, small_make(3)),
    };
    Term list = area_list(area, t, array_length(t));
    return area_tuple3(area, list, am_ok, list);
}

static void all_come_back(void **state) {
    static const int64_t steps[] = {1, 3, INT64_MAX};
    static const size_t aheads[] = {0, 1, 100, ETF_BUFFER_FIXED, 5000};
    Term t = all_kinds();
    for (size_t s = 0; s < array_length(steps); s++)
        for (size_t i = 0; i < array_length(aheads); i++) {
            assert_int_equal(there_and_back(t, ETF_WRITE, aheads[i], steps[s]), 1);
            assert_int_equal(there_and_back(am_ok, ETF_PIECES, aheads[i], steps[s]), 1);
        }
}

/* Integers of each size, of one kind in a row or in any order, and what is none between them; improper ones too. */
static Term any_element(uint32_t random, unsigned kinds) {
    switch (random % kinds) {
    case 0: return small_make(random >> 8 & 0xff);
    case 1: return small_make((int32_t)(random * 77773));
    case 2: return small_make((SWord)(random + 1) << 28);
    case 3: return am_ok;
    case 4: return integer_from_uint64(area, UINT64_MAX - random);
    default: return area_cons(area, small_make((SWord)random), NIL);
    }
}

static void lists_of_integers(void **state) {
    static const size_t counts[] = {1, 2, 70, 255, 3000, 70000};
    uint32_t random = 1;
    for (unsigned kinds = 1; kinds <= 6; kinds++)
        for (size_t i = 0; i < array_length(counts); i++) {
            Term list = i % 2 == 0 ? NIL : small_make(5);
            for (size_t count = counts[i]; count > 0; count--, random = random * 1664525 + 1013904223)
                list = area_cons(area, any_element(random >> 3, kinds), list);
            assert_int_equal(there_and_back(list, ETF_WRITE, 3, INT64_MAX), 1);
            assert_int_equal(there_and_back(list, ETF_PIECES, 0, i < 4 ? 1 : 999), 1);
        }
}

static void large_binaries_are_shared(void **state) {
    Term large = bytes_of(ETF_SENT_PIECE_BYTES), part = bits_sub(area, bytes_of(5000), 8 * 100, 8 * 4000);
    Term ragged = bits_sub(area, bytes_of(5000), 3, 8 * 4000), odd = bits_sub(area, bytes_of(5000), 0, 8 * 4000 + 3);
    Term less = bytes_of(ETF_SENT_PIECE_BYTES - 1);
    for (int64_t step = 1; step > 0; step = step == 1 ? INT64_MAX : 0) {
        assert_int_equal(there_and_back(area_tuple2(area, large, am_ok), ETF_PIECES, 10, step), 3);
        assert_int_equal(there_and_back(area_tuple2(area, large, part), ETF_PIECES, 0, step), 4);
        assert_int_equal(there_and_back(large, ETF_PIECES, 10, step), 2);
        assert_int_equal(there_and_back(large, ETF_WRITE, 10, step), 1);
        assert_int_equal(there_and_back(area_tuple3(area, ragged, odd, less), ETF_PIECES, 10, step), 1);
    }
}

/* What an actor sends may lie elsewhere later, with who encodes it. */
static void encoders_move(void **state) {
    struct {
        EtfAtoms atoms;
        EtfEncoder e;
    } from, *to = malloc(sizeof *to);
    EtfBytes part;
    int64_t work = 5;
    size_t size;
    Term t = all_kinds();
    etf_atoms_clear(&from.atoms);
    etf_encoder_init_sent(&from.e, t, ETF_WRITE, &from.atoms, 30);
    assert_int_equal(etf_encoder_run(&from.e, area, &work), ETF_MORE);
    etf_encoder_move(&to->e, &from.e);
    to->atoms = from.atoms;
    to->e.atoms = &to->atoms;
    memset(&from, 0xaa, sizeof from);
    run(&to->e, INT64_MAX);
    assert_int_equal(etf_encoder_take(&to->e, &part), 1);
    etf_encoder_release(&to->e);
    uint8_t *bytes = joined(&part, 1, &size);
    assert_true(term_identical(decode(bytes, size, &to->atoms, INT64_MAX), t));
    free(bytes);
    free(to);
}

static Term many_atoms(unsigned count) {
    Term list = NIL;
    for (unsigned i = 0; i < count; i++) {
        char text[30];
        snprintf(text, sizeof text, "many%u", i);
        list = area_cons(area, atom_from_cstring(text), list);
    }
    return list;
}

/* Beyond the last number they stand in full, as all do without numbers. */
static void more_atoms_than_numbers(void **state) {
    EtfEncoder e, plain;
    int64_t work = INT64_MAX;
    Term t = many_atoms(ETF_ATOMS_MAX + 45);
    there_and_back(t, ETF_WRITE, 20, INT64_MAX);
    etf_encoder_init_sent(&e, t, ETF_WRITE, NULL, 20);
    run(&e, INT64_MAX);
    etf_encoder_init(&plain, t, ETF_WRITE, 2, 0);
    assert_int_equal(etf_encoder_run(&plain, area, &work), ETF_DONE);
    assert_int_equal(etf_encoder_total(&e), etf_encoder_total(&plain) - 1);
    assert_memory_equal(e.start + 20, plain.start + 1, etf_encoder_total(&e));
    etf_encoder_release(&e);
    etf_encoder_release(&plain);
}

static EtfStatus check(const uint8_t *bytes, size_t size, const Term *atoms, size_t atom_count, size_t *used) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    etf_decoder_init_received(&d, bytes, size, atoms, atom_count);
    EtfStatus status = etf_decoder_check(&d, &work);
    *used = d.used;
    etf_decoder_release(&d);
    return status;
}
#define CHECK(...) check((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), atoms, 2, &used)

static void numbers_that_are_not_there(void **state) {
    static const uint8_t plain[] = {131, 82, 0}, two[] = {131, 97, 1, 131, 97, 2};
    const Term atoms[2] = {am_ok, am_error};
    size_t used;
    Term t;
    assert_int_equal(CHECK(82, 1, 82, 0), ETF_DONE);
    assert_int_equal(used, 2);
    assert_int_equal(CHECK(82, 2), ETF_BAD);
    assert_int_equal(CHECK(82), ETF_BAD);
    assert_int_equal(CHECK(131, 82, 1), ETF_BAD);                      /* a version byte */
    assert_int_equal(CHECK(80, 0, 0, 0, 1), ETF_BAD);                  /* compressed */
    assert_int_equal(CHECK(121, 0, 0, 0, 0, 106), ETF_BAD);            /* in local form */
    assert_int_equal(CHECK(88, 82, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), ETF_BAD);
    assert_int_equal(CHECK(88, 82, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), ETF_DONE);
    assert_int_equal(etf_decode(plain, sizeof plain, 0, area, &t, NULL), ETF_BAD);
    assert_int_equal(etf_decode(two, sizeof two, 0, area, &t, &used), ETF_DONE);
    assert_int_equal(used, 3);
}

static EtfStatus status_of(Term t, EtfMode mode, bool is_sent) {
    EtfEncoder e;
    int64_t work = INT64_MAX;
    if (is_sent)
        etf_encoder_init_sent(&e, t, mode, NULL, 20);
    else
        etf_encoder_init(&e, t, mode, 2, 0);
    EtfStatus status = etf_encoder_run(&e, area, &work);
    etf_encoder_release(&e);
    return status;
}

/* The term says that it has so many bytes, which nobody looks at. */
static void what_is_too_large_has_no_form(void **state) {
    RefcBinary *few = refc_binary_create(100);
    _Alignas(16)
        BinRef ref = {header_make(KIND_BIN_REF, 4), NULL, few, small_make((SWord)UINT32_MAX + 1), small_make(0)};
    Term large = boxed_make((Term *)&ref), list = area_cons(area, am_ok, area_cons(area, large, NIL));
    const Term terms[] = {large, list, area_tuple2(area, list, many_atoms(20))};
    for (size_t i = 0; i < array_length(terms); i++) {
        assert_int_equal(status_of(terms[i], ETF_WRITE, false), ETF_SYSTEM_LIMIT);
        assert_int_equal(status_of(terms[i], ETF_COUNT, false), ETF_SYSTEM_LIMIT);
        assert_int_equal(status_of(terms[i], ETF_PIECES, false), ETF_SYSTEM_LIMIT);
        assert_int_equal(status_of(terms[i], ETF_PIECES, true), ETF_SYSTEM_LIMIT);
        EtfEncoder e;
        int64_t work = 1000;
        size_t bytes;
        assert_false(etf_encoder_init_count(&e, terms[i], 2, &work, &bytes));
        assert_int_equal(etf_encoder_run(&e, area, &work), ETF_SYSTEM_LIMIT);
        etf_encoder_release(&e);
    }
    ref.size = small_make(UINT32_MAX);
    assert_int_equal(status_of(list, ETF_COUNT, false), ETF_DONE);
    assert_int_equal(status_of(list, ETF_PIECES, true), ETF_DONE); /* it is shared */
    refc_binary_release(few);
}

/* An area that ends. */
#define SUSPENDED_WORDS (1 << 22)
static Term suspended_words[SUSPENDED_WORDS];
static Term *no_more_words(Area *a, size_t words) {
    fail();
    return NULL;
}

#define LEVELS 100000
#define EACH_STEP 100 /* so there are a thousand suspensions: each with all that is open were some 50 million words */

static void run_suspended(Term t, EtfMode mode, size_t expected) {
    EtfEncoder e;
    int64_t work = EACH_STEP;
    Area words = {.top = suspended_words, .limit = suspended_words + SUSPENDED_WORDS, .overflow = no_more_words};
    etf_encoder_init(&e, t, mode, 2, 0);
    while (etf_encoder_run(&e, &words, &work) == ETF_MORE) {
        work = EACH_STEP;
        etf_encoder_resume(&e, etf_encoder_suspend(&e, &words));
    }
    assert_int_equal(etf_encoder_total(&e), expected);
    etf_encoder_release(&e);
}

static size_t size_at_once(Term t) {
    EtfEncoder e;
    int64_t work = INT64_MAX;
    etf_encoder_init(&e, t, ETF_WRITE, 2, 0);
    assert_int_equal(etf_encoder_run(&e, area, &work), ETF_DONE);
    size_t size = etf_encoder_total(&e);
    etf_encoder_release(&e);
    return size;
}

/* What was suspended once is not copied again while it is not needed: nested on either side, and pieces. */
static void little_is_suspended_twice(void **state) {
    Term left = am_ok, right = am_ok, heads = NIL, pieces = NIL, large = bytes_of(100);
    for (size_t i = 0; i < LEVELS; i++) {
        left = area_tuple2(area, left, am_ok);
        right = area_tuple2(area, am_ok, right);
        heads = area_cons(area, heads, NIL);
        pieces = area_cons(area, large, pieces);
    }
    const Term terms[] = {left, right, heads, pieces};
    for (size_t i = 0; i < array_length(terms); i++) {
        size_t size = size_at_once(terms[i]);
        for (EtfMode mode = ETF_WRITE; mode <= ETF_PIECES; mode++)
            run_suspended(terms[i], mode, size);
    }
}

static int64_t blocks_before;
static int64_t blocks(void) { return alloc_sum(ALLOC_BINARY).blocks + alloc_sum(ALLOC_TEMP).blocks; }

static int begin(void **state) {
    blocks_before = blocks();
    fragment_area_init(&fa, 100);
    return 0;
}

static int end(void **state) {
    fragment_area_drop(&fa);
    return blocks() == blocks_before ? 0 : -1;
}

static int setup(void **state) {
    thread_progress_register();
    atom_table_init(1 << 16);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    node_this_set(atom_from_cstring("this@host"), 3);
    return 0;
}

#define ENCODING(test) cmocka_unit_test_setup_teardown(test, begin, end)
int main(void) {
    const struct CMUnitTest tests[] = {
        ENCODING(all_come_back),
        ENCODING(large_binaries_are_shared),
        ENCODING(encoders_move),
        ENCODING(more_atoms_than_numbers),
        ENCODING(numbers_that_are_not_there),
        ENCODING(lists_of_integers),
        ENCODING(what_is_too_large_has_no_form),
        ENCODING(little_is_suspended_twice),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

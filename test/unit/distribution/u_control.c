/* All that stock nodes said to each other is read, and is written as they wrote it. */
#include "distribution/control.h"

#include "alloc/alloc.h"
#include "distribution/capabilities.h"
#include "distribution/fragments.h"
#include "etf/encode.h"
#include "recorded.h"
#include "term/compare.h"
#include "term/integer.h"

/* A message whose headers are gone. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
    const Term *atoms;
    unsigned atom_count;
    bool pass_through;
} Message;

static EtfStatus decode(const Message *m, size_t from, Area *area, Term *result, size_t *used) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    if (m->pass_through)
        etf_decoder_init(&d, m->bytes + from, m->size - from, 0);
    else
        etf_decoder_init_received(&d, m->bytes + from, m->size - from, m->atoms, m->atom_count);
    EtfStatus status = etf_decoder_check(&d, &work);
    if (status == ETF_DONE)
        status = etf_decoder_build(&d, area, &work);
    *result = d.result;
    *used = d.used;
    etf_decoder_release(&d);
    return status;
}

/* As this side writes a part: the bytes that a stock node wrote. */
static size_t check_written(const Message *m, size_t from, Term t, EtfAtoms *atoms, Area *area) {
    EtfEncoder e;
    EtfBytes part;
    int64_t work = INT64_MAX;
    if (m->pass_through)
        etf_encoder_init(&e, t, ETF_WRITE, 2, 0);
    else
        etf_encoder_init_sent(&e, t, ETF_WRITE, atoms, 20);
    assert_int_equal(etf_encoder_run(&e, area, &work), ETF_DONE);
    size_t size = etf_encoder_total(&e);
    assert_true(size <= m->size - from);
    if (m->pass_through) {
        assert_memory_equal(e.start, m->bytes + from, size);
    } else {
        assert_int_equal(etf_encoder_take(&e, &part), 1);
        assert_int_equal(part.size, size);
        assert_memory_equal(part.bytes, m->bytes + from, size);
        etf_bytes_release(&part);
    }
    etf_encoder_release(&e);
    return size;
}

static void check_message(const Message *m, bool *seen) {
    FragmentArea fa;
    Control c;
    Term t, payload;
    size_t control_size, payload_size = 0;
    EtfAtoms atoms;
    etf_atoms_clear(&atoms);
    fragment_area_init(&fa, 0);
    assert_int_equal(decode(m, 0, &fa.area, &t, &control_size), ETF_DONE);
    assert_true(control_read(t, &c));
    seen[c.op] = true;
    assert_true(term_identical(control_make(&fa.area, &c), t));
    assert_int_equal(check_written(m, 0, t, &atoms, &fa.area), control_size);
    if (control_has_payload(c.op)) {
        assert_int_equal(decode(m, control_size, &fa.area, &payload, &payload_size), ETF_DONE);
        assert_int_equal(check_written(m, control_size, payload, &atoms, &fa.area), payload_size);
    }
    assert_int_equal(control_size + payload_size, m->size);
    if (!m->pass_through)
        assert_int_equal(atoms.count, m->atom_count);
    for (unsigned i = 0; i < atoms.count; i++)
        assert_true(etf_atoms_at(&atoms, i) == m->atoms[i]);
    fragment_area_drop(&fa);
}

static void check_recording(const char *name, bool *seen) {
    static AtomCacheIn cache;
    Fragments fragments;
    Recording r;
    HeaderIn h;
    unsigned whole_count = 0;
    recording_open(&r, name);
    atom_cache_in_init(&cache);
    fragments_init(&fragments, FRAGMENTS_OPEN_DEFAULT, FRAGMENTS_BYTES_DEFAULT);
    while (recording_next(&r)) {
        Assembly *whole = NULL;
        assert_int_equal(header_in_read(&h, &cache, r.bytes, r.size), HEADER_READ);
        assert_true((h.kind == HEADER_PASS_THROUGH) == !(r.abilities & CAN_DIST_HDR_ATOM_CACHE));
        Message m = {r.bytes + h.size, r.size - h.size, h.atoms, h.atom_count, h.kind == HEADER_PASS_THROUGH};
        if (h.kind == HEADER_FIRST || h.kind == HEADER_CONTINUING) {
            if (fragments_add(&fragments, &h, m.bytes, m.size, &whole) == FRAGMENTS_MORE)
                continue;
            assert_non_null(whole);
            m = (Message){whole->bytes->bytes, whole->size, whole->atoms, whole->atom_count, false};
            whole_count++;
        }
        check_message(&m, seen);
        if (whole != NULL)
            assembly_free(whole);
    }
    assert_true((whole_count >= 2) == ((r.abilities & CAN_FRAGMENTS) != 0));
    fragments_release(&fragments);
    recording_close(&r);
}

/* Operations that OTP 25 reads and never says: it sends no token with exit/2. */
static bool is_only_read(ControlOp op) {
    return op == CONTROL_NODE_LINK || op == CONTROL_EXIT2_TT || op == CONTROL_PAYLOAD_EXIT2_TT;
}

#define OPERATION(number, name, payload, elements) CONTROL_##name,
static const ControlOp operations[] = {CONTROL_OPERATIONS(OPERATION)};

static void as_stock_nodes_say_it(void **state) {
    bool seen[CONTROL_LIMIT] = {false};
    for (size_t i = 0; i < array_length(recordings); i++)
        check_recording(recordings[i], seen);
    for (size_t i = 0; i < array_length(operations); i++)
        if (seen[operations[i]] == is_only_read(operations[i]))
            fail_msg("operation %d", operations[i]);
}

/* Terms of all kinds. */
static size_t samples(Area *area, Term *t) {
    Term other = atom_from_cstring("other@host"), this = node_this_name();
    uint32_t creation = node_this_creation(), numbers[3] = {1, 2, 3};
    size_t n = 0;
    t[n++] = small_make(-1);
    t[n++] = small_make(0);
    t[n++] = area_tuple2(area, am_ok, am_error);
    t[n++] = ident_pid(area, other, 7, 1, 2);
    t[n++] = ident_pid(area, this, creation, 1, 2);
    t[n++] = ident_pid(area, this, creation + 1, 1, 2);
    t[n++] = ident_ref(area, other, 7, numbers, 3);
    t[n++] = ident_ref(area, this, creation, numbers, 3);
    t[n++] = ident_ref(area, this, creation + 1, numbers, 3);
    t[n++] = ident_port(area, other, 7, 8);
    t[n++] = am_ok;
    t[n++] = NIL;
    t[n++] = area_cons(area, am_ok, NIL);
    t[n++] = area_cons(area, am_ok, am_ok);
    t[n++] = small_make(1);
    t[n++] = integer_from_uint64(area, UINT32_MAX);
    t[n++] = integer_from_uint64(area, (uint64_t)UINT32_MAX + 1);
    t[n++] = integer_from_uint64(area, UINT64_MAX);
    t[n++] = integer_from_int64(area, INT64_MIN);
    t[n++] = area_tuple3(area, am_lists, am_ok, small_make(255));
    t[n++] = area_tuple3(area, am_lists, am_ok, small_make(256));
    t[n++] = area_tuple3(area, am_lists, am_ok, small_make(-1));
    t[n++] = area_tuple3(area, am_lists, t[2], small_make(2));
    t[n++] = area_tuple(area, (Term[]){small_make(1), am_ok, small_make(2), t[3], small_make(3)}, 5);
    t[n++] = area_tuple(area, (Term[]){small_make(1), am_ok, small_make(2), am_ok, small_make(3)}, 5);
    t[n++] = area_tuple(area, (Term[]){small_make(1), am_ok, small_make(2), NIL, small_make(3)}, 5);
    return n;
}

/* Which of the samples an element of a letter may be. */
static bool is_wanted(size_t sample, char letter) {
    static const struct {
        char letter;
        const char *samples; /* 'A' is the first */
    } wanted[] = {
        {'f', "D"}, {'F', "DK"}, {'p', "DEF"}, {'g', "DEF"}, {'t', "EF"}, {'T', "EFK"},  {'n', "K"},   {'a', "HI"},
        {'i', "G"}, {'r', "HI"}, {'k', "XY"},  {'m', "TU"},  {'o', "LM"}, {'u', "OPQR"}, {'x', "BOP"}, {'y', "DK"},
    };
    for (size_t i = 0; i < array_length(wanted); i++)
        if (wanted[i].letter == letter)
            return strchr(wanted[i].samples, (int)('A' + sample)) != NULL;
    return true;
}

static size_t first_wanted(char letter) {
    size_t sample = 0;
    while (!is_wanted(sample, letter))
        sample++;
    return sample;
}

/* One element after the other is each of the samples, all others are as they should be. */
static void check_elements(ControlOp op, const char *letters, Area *area) {
    Term t[30], e[10] = {small_make(op)};
    size_t count = samples(area, t), arity = 1 + strlen(letters);
    Control c;
    for (size_t i = 1; i < arity; i++)
        e[i] = t[first_wanted(letters[i - 1])];
    assert_true(control_read(area_tuple(area, e, arity), &c));
    assert_int_equal(c.op, op);
    assert_false(control_read(area_tuple(area, e, arity + 1), &c));
    assert_false(control_read(area_tuple(area, e, arity - 1), &c));
    for (size_t i = 1; i < arity; i++) {
        Term good = e[i];
        for (size_t sample = 0; sample < count; sample++) {
            e[i] = t[sample];
            if (control_read(area_tuple(area, e, arity), &c) != is_wanted(sample, letters[i - 1]))
                fail_msg("operation %d, element %zu, sample %zu", op, i, sample);
        }
        e[i] = good;
    }
}

#define ELEMENTS(number, name, payload, elements_) elements_,
static const char *const elements[] = {CONTROL_OPERATIONS(ELEMENTS)};

static void other_elements_are_refused(void **state) {
    FragmentArea fa;
    Control c;
    fragment_area_init(&fa, 0);
    node_this_set(atom_from_cstring("this@host"), 5);
    for (size_t i = 0; i < array_length(operations); i++)
        check_elements(operations[i], elements[i], &fa.area);
    assert_false(control_read(am_ok, &c));
    assert_false(control_read(area_tuple(&fa.area, NULL, 0), &c));
    assert_false(control_read(area_tuple2(&fa.area, small_make(9), am_ok), &c));
    assert_false(control_read(area_tuple2(&fa.area, small_make(-1), am_ok), &c));
    assert_false(control_read(area_tuple2(&fa.area, small_make(CONTROL_LIMIT), am_ok), &c));
    assert_false(control_read(area_tuple2(&fa.area, am_ok, am_ok), &c));
    fragment_area_drop(&fa);
}

static void take_at_most_what_is_said(void **state) {
    Term words[CONTROL_MAX_WORDS];
    Area area = {.top = words, .limit = words + CONTROL_MAX_WORDS};
    Term pid = pid_make(1), ref = NIL;
    for (size_t i = 0; i < array_length(operations); i++) {
        Control c = {operations[i], pid, pid, ref, NIL, NIL, pid, NIL, pid, am_ok, am_ok, 255, UINT32_MAX, UINT64_MAX};
        area.top = words;
        Term t = control_make(&area, &c);
        assert_int_equal(tuple_arity(t), 1 + strlen(elements[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_stock_nodes_say_it),
        cmocka_unit_test(other_elements_are_refused),
        cmocka_unit_test(take_at_most_what_is_said),
    };
    return cmocka_run_group_tests(tests, recorded_setup, NULL);
}

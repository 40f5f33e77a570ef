/* Headers are read as stock nodes write them, and what is written is read again, with both caches the same. */
#include "distribution/header.h"

#include "etf/tags.h"
#include "recorded.h"

static AtomCacheIn in;
static AtomCacheOut out;

static void begin(void) {
    atom_cache_in_init(&in);
    atom_cache_out_init(&out);
}

static Term numbered_atom(const char *prefix, unsigned number) {
    char text[40];
    snprintf(text, sizeof text, "%s%u", prefix, number);
    return atom_from_cstring(text);
}

/* Writes a header for these atoms, and reads it: bytes that it took. */
static size_t there_and_back(const EtfAtoms *atoms, HeaderKind kind) {
    HeaderOut h;
    HeaderIn read;
    FragmentId id = {0x0102030405060708, 0x1112131415161718};
    header_out_prepare(&h, &out, atoms);
    size_t size = header_out_size(&h, kind);
    uint8_t *bytes = malloc(size);
    header_out_write(&h, kind, kind == HEADER_FIRST ? &id : NULL, bytes);
    assert_int_equal(header_in_read(&read, &in, bytes, size), HEADER_READ);
    assert_int_equal(read.kind, kind);
    assert_int_equal(read.size, size);
    assert_int_equal(read.atom_count, atoms->count);
    for (unsigned i = 0; i < atoms->count; i++)
        assert_true(read.atoms[i] == etf_atoms_at(atoms, i));
    if (kind == HEADER_FIRST)
        assert_true(read.id.sequence == id.sequence && read.id.fragment == id.fragment);
    free(bytes);
    return size;
}

static void check_recording(const char *name) {
    Recording r;
    HeaderIn h;
    recording_open(&r, name);
    begin();
    while (recording_next(&r)) {
        AtomCacheIn before = in, after;
        EtfAtoms atoms;
        etf_atoms_clear(&atoms);
        assert_int_equal(header_in_read(&h, &in, r.bytes, r.size), HEADER_READ);
        after = in;
        for (size_t size = 0; size < h.size; size++) { /* of exactly so many bytes */
            uint8_t *cut = malloc(size + (size == 0));
            HeaderIn ignored;
            memcpy(cut, r.bytes, size);
            in = before;
            assert_int_equal(header_in_read(&ignored, &in, cut, size), HEADER_BAD);
            free(cut);
        }
        in = after;
        for (unsigned i = 0; i < h.atom_count; i++)
            assert_int_equal(etf_atoms_put(&atoms, h.atoms[i]), i);
    }
    recording_close(&r);
}

static void as_stock_nodes_write_it(void **state) {
    for (size_t i = 0; i < array_length(recordings); i++)
        check_recording(recordings[i]);
}

/* What a stock node's atoms become in this side's headers. */
static void atoms_of_stock_nodes_are_written(void **state) {
    static AtomCacheIn theirs;
    Recording r;
    HeaderIn h;
    recording_open(&r, "all_asks");
    begin();
    atom_cache_in_init(&theirs);
    while (recording_next(&r)) {
        EtfAtoms atoms;
        etf_atoms_clear(&atoms);
        assert_int_equal(header_in_read(&h, &theirs, r.bytes, r.size), HEADER_READ);
        for (unsigned i = 0; i < h.atom_count; i++)
            etf_atoms_put(&atoms, h.atoms[i]);
        there_and_back(&atoms, HEADER_NORMAL);
    }
    recording_close(&r);
}

/* The example in the User's Guide, with the atoms that it takes to be in the cache. */
static void as_the_users_guide_has_it(void **state) {
    static const uint8_t bytes[] = {131, 69,  0,   0,   2,   168, 0,   0,   5,   83,  0,   0,   0,
                                    0,   0,   0,   0,   2,   5,   4,   137, 9,   10,  5,   236, 3,
                                    114, 101, 103, 9,   4,   99,  97,  108, 108, 238, 13,  115, 101,
                                    116, 95,  103, 101, 116, 95,  115, 116, 97,  116, 101, 104, 4};
    static const uint8_t goes_on[] = {131, 70, 0, 0, 2, 168, 0, 0, 5, 83, 0, 0, 0, 0, 0, 0, 0, 1, 77};
    HeaderIn h;
    begin();
    in.slots[4 * 256 + 10] = am_node;
    assert_int_equal(header_in_read(&h, &in, bytes, sizeof bytes), HEADER_BAD);
    in.slots[0 * 256 + 5] = am_nonode_at_nohost;
    assert_int_equal(header_in_read(&h, &in, bytes, sizeof bytes), HEADER_READ);
    assert_int_equal(h.kind, HEADER_FIRST);
    assert_true(h.id.sequence == 0x2a800000553 && h.id.fragment == 2);
    assert_int_equal(h.size, sizeof bytes - 2);
    assert_int_equal(h.atom_count, 5);
    assert_true(h.atoms[0] == am_node && h.atoms[1] == am_nonode_at_nohost);
    assert_true(h.atoms[2] == atom_from_cstring("reg") && h.atoms[3] == am_call);
    assert_true(h.atoms[4] == atom_from_cstring("set_get_state"));
    assert_int_equal(header_in_read(&h, &in, goes_on, sizeof goes_on), HEADER_READ);
    assert_int_equal(h.kind, HEADER_CONTINUING);
    assert_true(h.id.sequence == 0x2a800000553 && h.id.fragment == 1);
    assert_int_equal(h.size, HEADER_CONTINUING_BYTES);
    uint8_t again[HEADER_CONTINUING_BYTES];
    header_out_continue(&h.id, again);
    assert_memory_equal(again, goes_on, sizeof again);
}

static HeaderStatus read(const uint8_t *bytes, size_t size) {
    HeaderIn h;
    return header_in_read(&h, &in, bytes, size);
}
#define READ(...) read((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void what_is_no_header_is_refused(void **state) {
    begin();
    assert_int_equal(READ(112, 131), HEADER_READ);
    assert_int_equal(READ(131, 68, 0), HEADER_READ);
    assert_int_equal(READ(131, 68), HEADER_BAD);
    assert_int_equal(READ(131, 67, 0), HEADER_BAD);
    assert_int_equal(READ(131, 71, 0), HEADER_BAD);
    assert_int_equal(READ(130, 68, 0), HEADER_BAD);
    assert_int_equal(READ(131), HEADER_BAD);
    assert_int_equal(read((const uint8_t[]){131}, 0), HEADER_BAD);
    assert_int_equal(READ(131, 69, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0), HEADER_BAD); /* fragment 0 */
    assert_int_equal(READ(131, 68, 1, 0, 7), HEADER_BAD); /* an empty slot */
    assert_int_equal(READ(131, 68, 1, 8, 7, 2, 'h', 'i'), HEADER_READ);
    assert_int_equal(READ(131, 68, 1, 0, 7), HEADER_READ);
    assert_int_equal(READ(131, 68, 1, 1, 7), HEADER_BAD); /* in another segment */
    assert_int_equal(READ(131, 68, 1, 8, 7, 2, 0xc3, 0x28), HEADER_BAD); /* no UTF-8 */
    assert_int_equal(READ(131, 68, 2, 0x88, 0, 7, 1, 'a', 9, 0), HEADER_READ); /* and the empty atom */
    assert_int_equal(READ(131, 68, 2, 0x88, 1, 7, 0, 1, 'a', 9, 0, 1, 'b'), HEADER_READ); /* long forms */
    assert_int_equal(READ(131, 68, 1, 0x18, 7, 0, 1, 'a'), HEADER_READ);
}

static void longer_atoms_than_there_are(void **state) {
    uint8_t bytes[7 + 256] = {131, 68, 1, 0x18, 7, 0, 255};
    begin();
    memset(bytes + 7, 'l', 256);
    assert_int_equal(read(bytes, 7 + 255), HEADER_READ);
    bytes[5] = 1;
    bytes[6] = 0;
    assert_int_equal(read(bytes, 7 + 256), HEADER_BAD);
}

static void known_atoms_are_short(void **state) {
    for (unsigned count = 0; count <= ETF_ATOMS_MAX; count += count < 9 ? 1 : 41) {
        EtfAtoms atoms;
        etf_atoms_clear(&atoms);
        begin();
        for (unsigned i = 0; i < count; i++)
            etf_atoms_put(&atoms, numbered_atom("known", i));
        size_t first = there_and_back(&atoms, HEADER_NORMAL), then = there_and_back(&atoms, HEADER_NORMAL);
        assert_true(count == 0 ? first == then : then < first);
        assert_true(there_and_back(&atoms, HEADER_FIRST) <= HEADER_KNOWN_BYTES(count));
        assert_int_equal(there_and_back(&atoms, HEADER_FIRST), then + 16);
    }
}

/* No slot twice in a message, however many others were there before. */
static void a_slot_serves_one_atom_of_a_message(void **state) {
    unsigned next = 0;
    begin();
    for (unsigned round = 0; round < 100; round++) {
        EtfAtoms atoms;
        HeaderOut h;
        bool taken[ATOM_CACHE_SLOTS] = {false};
        etf_atoms_clear(&atoms);
        if (round == 50)
            out.now = UINT32_MAX - 1; /* the next but one begins anew */
        while (atoms.count < ETF_ATOMS_MAX) {
            etf_atoms_put(&atoms, numbered_atom("slot", next));
            next = (next + 7) % 4000;
        }
        AtomCacheOut before = out;
        header_out_prepare(&h, &out, &atoms);
        for (unsigned i = 0; i < ETF_ATOMS_MAX; i++) {
            unsigned slot = h.slots[i] % ATOM_CACHE_SLOTS;
            assert_false(taken[slot]);
            taken[slot] = true;
        }
        out = before;
        there_and_back(&atoms, round % 2 == 0 ? HEADER_NORMAL : HEADER_FIRST);
    }
}

/* What is used often stays, whatever passes by. */
static void atoms_that_are_used_stay(void **state) {
    EtfAtoms often;
    begin();
    etf_atoms_clear(&often);
    for (unsigned i = 0; i < 8; i++)
        etf_atoms_put(&often, numbered_atom("often", i));
    there_and_back(&often, HEADER_NORMAL);
    size_t known = there_and_back(&often, HEADER_NORMAL);
    for (unsigned i = 0; i < 8000; i++) {
        EtfAtoms one;
        etf_atoms_clear(&one);
        etf_atoms_put(&one, numbered_atom("slot", i % 4000));
        there_and_back(&one, HEADER_NORMAL);
        assert_int_equal(there_and_back(&often, HEADER_NORMAL), known);
    }
}

/* The last test: there is no room for atoms afterwards. */
static void atom_table_full(void **state) {
    begin();
    for (unsigned i = 0; atom_count() < atom_limit(); i++)
        numbered_atom("full", i);
    assert_int_equal(READ(131, 68, 1, 8, 7, 7, 'n', 'o', '_', 'r', 'o', 'o', 'm'), HEADER_ATOMS_FULL);
    assert_int_equal(READ(131, 68, 1, 8, 7, 5, 'f', 'u', 'l', 'l', '0'), HEADER_READ);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_stock_nodes_write_it),
        cmocka_unit_test(atoms_of_stock_nodes_are_written),
        cmocka_unit_test(as_the_users_guide_has_it),
        cmocka_unit_test(what_is_no_header_is_refused),
        cmocka_unit_test(longer_atoms_than_there_are),
        cmocka_unit_test(known_atoms_are_short),
        cmocka_unit_test(a_slot_serves_one_atom_of_a_message),
        cmocka_unit_test(atoms_that_are_used_stay),
        cmocka_unit_test(atom_table_full),
    };
    return cmocka_run_group_tests(tests, recorded_setup, NULL);
}

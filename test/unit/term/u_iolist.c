/* Random nested lists against the flat bytes they were made from; sizes of lists that say more than there is. */
#include "facts.h"
#include "term/iolist.h"
#include "term/refc_binary.h"

#define MODEL_BITS_MAX 100000

typedef struct {
    uint8_t bytes[MODEL_BITS_MAX / 8 + 8];
    Word bits;
} Model;

static Term random_piece(Model *model, bool odd_bits) {
    uint8_t bytes[200];
    Word bits = (Word)rand() % (sizeof bytes * 8);
    if (!odd_bits)
        bits &= ~(Word)7;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)rand();
    bits_copy(model->bytes, model->bits, bytes, 0, bits);
    model->bits += bits;
    BitsView view = {bytes, 0, bits};
    return bits_from_view(&the_area, &view);
}

/* Elements are made from the front, so that the model grows in their order; a tail is [] or a bitstring. */
static Term random_list(Model *model, unsigned depth, bool odd_bits) {
    Term list = NIL, *slot = &list;
    for (int left = rand() % 6; left > 0; left--) {
        Term head;
        uint8_t byte = (uint8_t)rand();
        switch (depth == 0 ? rand() % 2 : rand() % 4) {
        case 0:
            bits_put(model->bytes, model->bits, 8, byte);
            model->bits += 8;
            head = small_make(byte);
            break;
        case 1: head = random_piece(model, odd_bits); break;
        default: head = random_list(model, depth - 1, odd_bits);
        }
        *slot = area_cons(&the_area, head, NIL);
        slot = list_ptr(*slot) + 1;
    }
    if (list != NIL && rand() % 3 == 0)
        *slot = random_piece(model, odd_bits);
    return list;
}

static void random_lists(void **state) {
    static Model model;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        static uint8_t joined[sizeof model.bytes];
        bool odd_bits = round % 2 == 0;
        model = (Model){.bits = 0};
        Term list = random_list(&model, 3, odd_bits);
        require(model.bits <= MODEL_BITS_MAX);
        size_t pieces;
        assert_int_equal(iolist_bits(list, true, &pieces), model.bits);
        uint64_t bytes;
        if (!odd_bits) {
            assert_int_equal(iolist_bits(list, false, &pieces), model.bits);
            assert_true(iolist_bytes(list, &bytes, &pieces));
            assert_int_equal(bytes, model.bits / 8);
        }
        memset(joined, 0, sizeof joined);
        iolist_copy(list, joined);
        assert_memory_equal(joined, model.bytes, (model.bits + 7) / 8);
        Term bad = area_cons(&the_area, list, small_make(1)), worse = area_cons(&the_area, small_make(256), list);
        assert_int_equal(iolist_bits(bad, true, NULL), -1);
        assert_false(iolist_bytes(worse, &bytes, NULL));
    }
}

/* The rest of a list after any number of pieces is what they have left. */
static void rests(void **state) {
    static Model model;
    srand(2);
    for (int round = 0; round < 20000; round++) {
        model = (Model){.bits = 0};
        Term list = random_list(&model, 3, false);
        int64_t left = (int64_t)model.bits;
        IOLIST(io, list);
        for (int stop = rand() % 10; stop > 0; stop--)
            switch (iolist_next(&io)) {
            case IOLIST_BYTE: left -= 8; break;
            case IOLIST_BITS: left -= (int64_t)bits_size(io.bits); break;
            case IOLIST_BAD: fail();
            case IOLIST_END: assert_int_equal(left, 0); stop = 1;
            }
        assert_int_equal(iolist_bits(iolist_rest(&io, &the_area), false, NULL), left);
    }
}

/* Nobody reads the bytes of a binary to know its size: these are not there. */
static Term binary_of(uint64_t bytes) {
    static uint8_t *somewhere;
    Term b = binary_make(&the_area, 100, &somewhere);
    return bits_elsewhere(&the_area, ((BinRef *)boxed_ptr(b))->binary, somewhere, bytes);
}

static Term doubled(Term t, unsigned times) {
    while (times-- > 0)
        t = area_cons(&the_area, t, t);
    return t;
}

static void more_than_there_is(void **state) {
    uint64_t bytes, large = (uint64_t)1 << 50;
    Term b = binary_of(large);
    assert_int_equal(iolist_bits(doubled(b, 9), false, NULL), (int64_t)1 << 62);
    assert_int_equal(iolist_bits(doubled(b, 10), false, NULL), IOLIST_TOO_LARGE);
    assert_int_equal(iolist_bits(doubled(b, 13), true, NULL), IOLIST_TOO_LARGE); /* 2^66 bits: 4 in 64 bits */
    assert_int_equal(iolist_bits(area_cons(&the_area, doubled(b, 13), small_make(1)), true, NULL), -1);
    for (unsigned times = 0; times < 20; times++) {
        assert_true(iolist_bytes(doubled(b, times), &bytes, NULL));
        assert_int_equal(bytes, times < 14 ? large << times : UINT64_MAX);
    }
    assert_true(iolist_bytes(area_cons(&the_area, small_make(7), doubled(b, 13)), &bytes, NULL));
    assert_int_equal(bytes, ((uint64_t)1 << 63) + 1);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(random_lists), unit(rests), unit(more_than_there_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

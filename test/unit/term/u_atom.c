/* The atom table, alone and from several threads. */
#include "facts.h"

#include <pthread.h>

static void known_atoms(void **state) {
    assert_true(atom_from_cstring("true") == am_true);
    assert_true(atom_from_cstring("false") == am_false);
    assert_true(atom_find((const uint8_t *)"undefined", 9) == am_undefined);
    assert_true(atom_find((const uint8_t *)"never seen", 10) == NON_VALUE);
}

static void lengths(void **state) {
    uint8_t text[2 * 256];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\u00e5", 2);
    Term t = atom_put(text, 2 * 255, NULL);
    assert_true(is_atom(t));
    assert_int_equal(atom_name(t)->character_count, 255);
    assert_true(atom_name(t)->latin1);
    assert_true(atom_put(text, 2 * 256, NULL) == NON_VALUE);
    assert_true(atom_put((const uint8_t *)"\xff", 1, NULL) == NON_VALUE);
    assert_true(atom_put_latin1((const uint8_t *)"\xe5", 1, NULL) == atom_put((const uint8_t *)"\u00e5", 2, NULL));
}

#define THREADS 4
#define NAMES 5000

static void *put_names(void *result) {
    for (int i = 0; i < NAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread_%d", i);
        Term t = atom_from_cstring(name);
        ((Term *)result)[i] = t;
        require(atom_name(t)->byte_count == strlen(name) && memcmp(atom_name(t)->bytes, name, strlen(name)) == 0);
    }
    return NULL;
}

static void threads(void **state) {
    static Term atoms[THREADS][NAMES];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, put_names, atoms[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i < THREADS; i++)
        assert_memory_equal(atoms[0], atoms[i], sizeof atoms[0]);
}

static void full_table(void **state) {
    bool full = false;
    char name[32];
    size_t used, before, total;
    atom_memory(&used, &before);
    for (int i = 0; !full; i++, before = total) {
        snprintf(name, sizeof name, "many_%d", i);
        Term t = atom_put((const uint8_t *)name, strlen(name), &full);
        assert_int_equal(is_value(t), !full);
        atom_memory(&used, &total);
        assert_true(total - before < 1000); /* it does not grow by leaps */
    }
    assert_int_equal(atom_count(), atom_limit());
    assert_true(atom_find((const uint8_t *)"true", 4) == am_true);
}

int main(void) {
    terms_init();
    const struct CMUnitTest tests[] = {unit(known_atoms), unit(lengths), unit(threads), unit(full_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

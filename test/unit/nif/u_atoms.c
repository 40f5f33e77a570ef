/* What 2.17 added to atoms and strings: encodings, and atoms that may not be made. Expected: erl_nif(3) of OTP 27. */
#include "nif/env.h"
#include "term/atom.h"
#include "unit.h"

#include <string.h>

static ErlNifEnv *env;

static void new_atoms(void **state) {
    ERL_NIF_TERM atom = 0, same = 0;
    char text[1200];
    assert_true(enif_make_new_atom(env, "caf\xc3\xa9", &atom, ERL_NIF_UTF8));
    assert_true(enif_make_new_atom(env, "caf\xe9", &same, ERL_NIF_LATIN1));
    assert_true(atom == same);
    assert_true(enif_make_new_atom_len(env, "caf\xc3\xa9 and more", 5, &same, ERL_NIF_UTF8));
    assert_true(atom == same);
    assert_false(enif_make_new_atom(env, "\xff\xfe", &same, ERL_NIF_UTF8));
    memset(text, 'a', sizeof text);
    assert_true(enif_make_new_atom_len(env, text, 255, &same, ERL_NIF_LATIN1));
    assert_false(enif_make_new_atom_len(env, text, 256, &same, ERL_NIF_LATIN1));
    for (int i = 0; i < 256; i++)
        memcpy(text + 4 * i, "\xf0\x9f\x98\x80", 4);
    assert_true(enif_make_new_atom_len(env, text, 4 * 255, &same, ERL_NIF_UTF8));
    assert_false(enif_make_new_atom_len(env, text, 4 * 256, &same, ERL_NIF_UTF8));
    assert_false(enif_has_pending_exception(env, NULL));
}

static void atoms_in_utf8(void **state) {
    ERL_NIF_TERM atom, found = 0;
    char text[20];
    unsigned length = 0;
    assert_true(enif_make_new_atom(env, "\xce\xbb\xc3\xa9x", &atom, ERL_NIF_UTF8));
    assert_true(enif_get_atom_length(env, atom, &length, ERL_NIF_UTF8));
    assert_int_equal(length, 5);
    assert_int_equal(enif_get_atom(env, atom, text, sizeof text, ERL_NIF_UTF8), 6);
    assert_string_equal(text, "\xce\xbb\xc3\xa9x");
    assert_int_equal(enif_get_atom(env, atom, text, 5, ERL_NIF_UTF8), 0);
    assert_false(enif_get_atom_length(env, atom, &length, ERL_NIF_LATIN1));
    assert_true(enif_make_existing_atom(env, "\xce\xbb\xc3\xa9x", &found, ERL_NIF_UTF8));
    assert_true(found == atom);
    assert_false(enif_make_existing_atom(env, "\xce\xbb never made", &found, ERL_NIF_UTF8));
}

static void strings_in_utf8(void **state) {
    char text[20];
    unsigned length = 77;
    ERL_NIF_TERM list = enif_make_string(env, "\xce\xbb\xc3\xa9x", ERL_NIF_UTF8);
    assert_true(enif_get_list_length(env, list, &length));
    assert_int_equal(length, 3);
    assert_true(enif_get_string_length(env, list, &length, ERL_NIF_UTF8));
    assert_int_equal(length, 5);
    assert_false(enif_get_string_length(env, list, &length, ERL_NIF_LATIN1));
    assert_int_equal(enif_get_string(env, list, text, sizeof text, ERL_NIF_UTF8), 6);
    assert_string_equal(text, "\xce\xbb\xc3\xa9x");
    assert_true(enif_get_string_length(env, enif_make_list(env, 0), &length, ERL_NIF_UTF8));
    assert_int_equal(length, 0);
    assert_false(enif_get_string_length(env, am_true, &length, ERL_NIF_UTF8));
    assert_false(enif_get_string_length(env, enif_make_list1(env, am_true), &length, ERL_NIF_UTF8));
}

static int start(void **state) {
    atom_table_init(100000);
    env = enif_alloc_env();
    return 0;
}

static int stop(void **state) {
    enif_free_env(env);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(new_atoms), unit(atoms_in_utf8), unit(strings_in_utf8)};
    return cmocka_run_group_tests(tests, start, stop);
}

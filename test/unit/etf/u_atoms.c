/* Atoms get numbers in the order of their first use, up to so many. */
#include "etf/atoms.h"

#include "unit.h"

#define SPREAD 0x9e3779b1u /* their indices do not follow each other */
static Term some_atom(unsigned i) { return atom_make(i * SPREAD >> 8); }

static void numbers_in_order(void **state) {
    EtfAtoms a;
    memset(&a, 0x55, sizeof a);
    for (int round = 0; round < 3; round++) {
        etf_atoms_clear(&a);
        assert_int_equal(a.count, 0);
        for (unsigned i = 0; i < ETF_ATOMS_MAX; i++) {
            assert_int_equal(etf_atoms_put(&a, some_atom(i + 100 * (unsigned)round)), i);
            assert_int_equal(etf_atoms_put(&a, some_atom(i / 2 + 100 * (unsigned)round)), i / 2);
            assert_int_equal(a.count, i + 1);
        }
        for (unsigned i = 0; i < ETF_ATOMS_MAX; i++)
            assert_true(etf_atoms_at(&a, i) == some_atom(i + 100 * (unsigned)round));
    }
}

static void no_more_than_fit(void **state) {
    EtfAtoms a;
    etf_atoms_clear(&a);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(etf_atoms_put(&a, some_atom(i)), i < ETF_ATOMS_MAX ? i : ETF_ATOMS_MAX);
    assert_int_equal(a.count, ETF_ATOMS_MAX);
    for (unsigned i = 0; i < ETF_ATOMS_MAX; i++)
        assert_int_equal(etf_atoms_put(&a, some_atom(i)), i);
}

UNIT_TESTS(unit(numbers_in_order), unit(no_more_than_fit))

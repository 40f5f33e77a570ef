/*
 * The type tests and comparisons of terms, each with its name and the condition on the terms a[0] and a[1]: the one
 * table from which built-in functions and the functions of match specifications are made.
 */
#ifndef VIV_TERM_TYPE_TESTS_H
#define VIV_TERM_TYPE_TESTS_H

#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"

#define TYPE_TESTS(TEST)                                                                                               \
    TEST(is_atom, is_atom(a[0]))                                                                                       \
    TEST(is_binary, is_binary(a[0]))                                                                                   \
    TEST(is_boolean, a[0] == am_true || a[0] == am_false)                                                              \
    TEST(is_float, is_float(a[0]))                                                                                     \
    TEST(is_function, is_fun(a[0]))                                                                                    \
    TEST(is_integer, is_integer(a[0]))                                                                                 \
    TEST(is_list, is_list(a[0]) || is_nil(a[0]))                                                                       \
    TEST(is_map, is_map(a[0]))                                                                                         \
    TEST(is_number, is_number(a[0]))                                                                                   \
    TEST(is_pid, is_pid(a[0]))                                                                                         \
    TEST(is_port, is_port(a[0]))                                                                                       \
    TEST(is_reference, is_ref(a[0]))                                                                                   \
    TEST(is_tuple, is_tuple(a[0]))

#define COMPARISONS(TEST)                                                                                              \
    TEST(less, term_compare(a[0], a[1]) < 0)                                                                           \
    TEST(less_or_equal, term_compare(a[0], a[1]) <= 0)                                                                 \
    TEST(greater, term_compare(a[0], a[1]) > 0)                                                                        \
    TEST(greater_or_equal, term_compare(a[0], a[1]) >= 0)                                                              \
    TEST(equal, term_equal(a[0], a[1]))                                                                                \
    TEST(not_equal, !term_equal(a[0], a[1]))                                                                           \
    TEST(identical, term_identical(a[0], a[1]))                                                                        \
    TEST(not_identical, !term_identical(a[0], a[1]))

#endif

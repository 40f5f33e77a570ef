/*
 * What every unit test includes: cmocka and its needs. A program is one file u_<file>.c with
 *     UNIT_TESTS(unit(name), ...)
 */
#ifndef VIV_TEST_UNIT_H
#define VIV_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define unit(name) cmocka_unit_test(name)
#define UNIT_TESTS(...)                                                                                                \
    int main(void) {                                                                                                   \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                               \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                              \
    }

#endif
